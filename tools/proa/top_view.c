/* SPDX-License-Identifier: BSD-3-Clause */
/* See top.h: one view of a run. */
#include "top.h"

#include "base/log.h"
#include "reader.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Terminals with fewer columns than WIDE show only the most important columns. */
enum { LINE_BYTES = 512, LOCKS_MOST = 6, WINDOWS_MOST = 4, WIDE = 60 };

struct view {
    FILE *out;
    int rows, columns;
};

/* Cuts text to a number of columns. Names of windows may have characters of several bytes, and
 * control characters. */
static int cut(char *text, int columns)
{
    int length = 0;

    for (; text[length] && length < columns; length++)
        if ((unsigned char)text[length] < ' ' || text[length] == 127)
            text[length] = '?';
    while (length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80)
        length--;
    return length;
}

/* Writes a line, cut at the right edge; nothing after the last row. */
__attribute__((format(printf, 2, 3))) static void line(struct view *view, const char *format, ...)
{
    char text[LINE_BYTES];
    va_list arguments;

    if (view->rows-- <= 0)
        return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(view->out, "%.*s\n", cut(text, view->columns), text);
}

/* Orders by the time in the call, longest first. */
static int by_time(const void *a, const void *b)
{
    const struct proa_live_rank *const *one = a, *const *other = b;

    if ((*one)->seconds != (*other)->seconds)
        return (*one)->seconds > (*other)->seconds ? -1 : 1;
    return (*one)->rank - (*other)->rank;
}

static void window_text(const struct proa_live *live, int window, char *text, size_t bytes)
{
    const char *name = window < 0 ? "" : live->windows[window].name;

    if (window < 0)
        text[0] = 0;
    else if (*name)
        snprintf(text, bytes, "%d \"%s\"", window + 1, name);
    else
        snprintf(text, bytes, "%d", window + 1);
}

static void awaited_text(const struct proa_live_rank *rank, char *text, size_t bytes)
{
    text[0] = 0;
    if (rank->awaited >= 0)
        snprintf(text, bytes, "rank %d", rank->awaited);
    else if (rank->target >= 0 && strcmp(rank->call, "MPI_Win_lock") == 0)
        snprintf(text, bytes, "lock of rank %d", rank->target);
    else if (rank->target >= 0)
        snprintf(text, bytes, "(to rank %d)", rank->target);
    else if (rank->counter >= 0)
        snprintf(text, bytes, "counter %d", rank->counter);
    else if (strcmp(rank->call, "PROA_Win_waitsome_notify") == 0)
        snprintf(text, bytes, "counters");
}

/* Returns "lock" for "MPI_Win_lock". */
static const char *short_name(const char *call)
{
    const char *name = strchr(call, '_');

    name = name ? name + 1 : call;
    return strncmp(name, "Win_", 4) == 0 ? name + 4 : name;
}

static void show_rank_narrow(struct view *view, const struct proa_live_rank *rank)
{
    char awaited[32];

    if (!rank->call) {
        line(view, "%4d %12.0f operations/s", rank->rank, rank->operations_s);
        return;
    }
    awaited_text(rank, awaited, sizeof awaited);
    line(view, "%4d %-12.12s %5.1f  %s", rank->rank, short_name(rank->call), rank->seconds,
         awaited);
}

static void show_rank(const struct proa_live *live, struct view *view,
                      const struct proa_live_rank *rank)
{
    char window[96], awaited[32];

    if (rank->has_ended) {
        line(view, "%6d  ended", rank->rank);
        return;
    }
    if (view->columns < WIDE) {
        show_rank_narrow(view, rank);
        return;
    }
    if (!rank->call) {
        line(view, "%6d %12.0f %10.1f  -", rank->rank, rank->operations_s, rank->bytes_s / 1e6);
        return;
    }
    window_text(live, rank->window, window, sizeof window);
    awaited_text(rank, awaited, sizeof awaited);
    line(view, "%6d %12.0f %10.1f  %-20s %8.1f  %-16s %-14s %s", rank->rank, rank->operations_s,
         rank->bytes_s / 1e6, rank->call, rank->seconds, awaited, window,
         proa_place_text(live->places, rank->place));
}

static void show_ranks(const struct proa_live *live, struct view *view, int most)
{
    const size_t count = (size_t)live->rank_count;
    const struct proa_live_rank **ranks = proa_need(NULL, (count + 1) * sizeof(void *));

    for (size_t i = 0; i < count; i++)
        ranks[i] = &live->ranks[i];
    if (live->rank_count > most)
        qsort(ranks, count, sizeof(void *), by_time);
    if (view->columns < WIDE)
        line(view, "%4s %-12s %5s  %s", "rank", "in", "for s", "waits for");
    else
        line(view, "%6s %12s %10s  %-20s %8s  %-16s %-14s %s", "rank", "operations/s", "MB/s", "in",
             "for s", "waits for", "on window", "at");
    for (int i = 0; i < live->rank_count && i < most; i++)
        show_rank(live, view, ranks[i]);
    if (live->rank_count > most)
        line(view, "%6s  %d more, not so long in a call", "", live->rank_count - most);
    free(ranks);
}

/* ---- windows and locks ---- */

static void show_windows(const struct proa_live *live, struct view *view)
{
    int open = 0, shown = 0;
    char text[96];

    for (int i = 0; i < live->window_count; i++)
        open += live->windows[i].members > 0;
    line(view, "%d window%s, %d freed", open, proa_log_plural((uint64_t)open),
         live->window_count - open);
    for (int i = live->window_count - 1; i >= 0 && shown < WINDOWS_MOST; i--) {
        if (live->windows[i].members <= 0)
            continue;
        window_text(live, i, text, sizeof text);
        line(view, "  window %s, %d ranks", text, live->windows[i].size);
        shown++;
    }
}

/* target: in MPI_COMM_WORLD. */
static int is_queued(const struct proa_live_rank *rank, int window, int target)
{
    return rank->call && rank->window == window &&
           (strcmp(rank->call, "MPI_Win_lock_all") == 0 ||
            (strcmp(rank->call, "MPI_Win_lock") == 0 && rank->target == target));
}

/* Returns true if an earlier entry of the list has the same target. */
static int is_repeated(const struct proa_live *live, int index)
{
    for (int i = 0; i < index; i++)
        if (live->locks[i].window == live->locks[index].window &&
            live->locks[i].target == live->locks[index].target)
            return 1;
    return 0;
}

static void show_lock(const struct proa_live *live, struct view *view,
                      const struct proa_live_lock *lock)
{
    char window[96], *holders = NULL, *queue = NULL;
    size_t bytes;
    FILE *out = open_memstream(&holders, &bytes);
    const int target = proa_live_world_rank(live, lock->window, lock->target);
    int queued = 0;

    for (int i = 0; out && i < live->lock_count; i++)
        if (live->locks[i].window == lock->window && live->locks[i].target == lock->target)
            fprintf(out, " %d", live->locks[i].origin);
    if (out)
        fclose(out);
    out = open_memstream(&queue, &bytes);
    for (int i = 0; out && i < live->rank_count; i++)
        if (is_queued(&live->ranks[i], lock->window, target)) {
            fprintf(out, " %d", live->ranks[i].rank);
            queued++;
        }
    if (out)
        fclose(out);
    window_text(live, lock->window, window, sizeof window);
    if (lock->target < 0)
        line(view, "  window %s: lock_all of%s", window, holders ? holders : "");
    else
        line(view, "  window %s, lock of rank %d: held by%s (%s), %d queued:%s", window, target,
             holders ? holders : "", lock->exclusive ? "exclusive" : "shared", queued,
             queue ? queue : "");
    free(holders);
    free(queue);
}

static void show_locks(const struct proa_live *live, struct view *view)
{
    int shown = 0;

    line(view, "%d lock%s held", live->lock_count, proa_log_plural((uint64_t)live->lock_count));
    for (int i = 0; i < live->lock_count && shown < LOCKS_MOST; i++) {
        if (is_repeated(live, i))
            continue;
        show_lock(live, view, &live->locks[i]);
        shown++;
    }
}

void proa_top_view(const struct proa_live *live, FILE *out, int rows, int columns)
{
    struct view view = {out, rows, columns};
    const int others = 4 + WINDOWS_MOST + LOCKS_MOST;
    double operations = 0, bytes = 0;

    for (int i = 0; i < live->rank_count; i++) {
        operations += live->ranks[i].operations_s;
        bytes += live->ranks[i].bytes_s;
    }
    line(&view, "proa top: %d ranks, %.0f operations/s, %.1f MB/s (%s)", live->rank_count,
         operations, bytes / 1e6, live->folder);
    show_ranks(live, &view, rows > others + 4 ? rows - others : 4);
    show_windows(live, &view);
    show_locks(live, &view);
}

/* ---- the terminal ---- */

void proa_top_begin(void)
{
    fputs("\033[?1049h\033[?25l", stdout);
    fflush(stdout);
}

void proa_top_end(void)
{
    fputs("\033[?25h\033[?1049l", stdout);
    fflush(stdout);
}

/* Each line clears the rest of its row, and the last one clears the rows below. */
static void put_lines(const char *text)
{
    fputs("\033[H", stdout);
    for (; *text; text++)
        if (*text == '\n')
            fputs("\033[K\r\n", stdout);
        else
            fputc(*text, stdout);
    fputs("\033[J", stdout);
    fflush(stdout);
}

static int rows_of(const char *text)
{
    int rows = 0;

    for (; *text; text++)
        rows += *text == '\n';
    return rows;
}

void proa_top_show(const struct proa_live *live, const char *text)
{
    struct winsize size = {0};
    size_t bytes;
    char *view = NULL;
    FILE *out = open_memstream(&view, &bytes);

    if (!out)
        return;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row < 8 || size.ws_col < 40)
        size = (struct winsize){.ws_row = 24, .ws_col = 80};
    proa_top_view(live, out, size.ws_row - 2 - rows_of(text), size.ws_col);
    fputs(text, out);
    fclose(out);
    put_lines(view);
    free(view);
}
