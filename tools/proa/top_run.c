/* SPDX-License-Identifier: BSD-3-Clause */
/* See top.h: `proa run --top`. The launcher's output is stored in an anonymous file, and its last
 * lines are shown under the view. */
#include "top.h"

#include "complain.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { TAIL_BYTES = 4096, TAIL_LINES = 4, VIEW_MS = 1000 };

struct output {
    int from;   /* pipe; -1 once closed */
    FILE *kept; /* all output */
    char tail[TAIL_BYTES + 1], text[TAIL_BYTES + 2];
    size_t bytes;
};

static volatile sig_atomic_t launcher_pid;

/* Forwards a signal to the launcher, which ends its ranks. An interrupt of the terminal reaches it
 * anyway. */
static void pass_on(int number)
{
    if (launcher_pid > 0)
        kill(launcher_pid, number);
}

static pid_t start(const char *launcher, char *const *words, int *from)
{
    int ends[2];
    pid_t pid;

    if (pipe2(ends, O_CLOEXEC) != 0)
        return -1;
    pid = fork();
    if (pid == 0) {
        dup2(ends[1], STDOUT_FILENO);
        dup2(ends[1], STDERR_FILENO);
        execv(launcher, words);
        proa_complain(0, "cannot start %s: %s", launcher, strerror(errno));
        _exit(PROA_EXIT_MISSING);
    }
    close(ends[1]);
    *from = ends[0];
    return pid;
}

/* ---- the output ---- */

static void keep(struct output *output, const char *bytes, size_t count)
{
    size_t over;

    if (output->kept)
        fwrite(bytes, 1, count, output->kept);
    if (count > TAIL_BYTES) {
        bytes += count - TAIL_BYTES;
        count = TAIL_BYTES;
    }
    over = output->bytes + count > TAIL_BYTES ? output->bytes + count - TAIL_BYTES : 0;
    memmove(output->tail, output->tail + over, output->bytes - over);
    memcpy(output->tail + output->bytes - over, bytes, count);
    output->bytes += count - over;
    output->tail[output->bytes] = 0;
}

/* Returns the last lines, without characters that move the cursor. */
static const char *last_lines(struct output *output)
{
    const char *at = output->tail + output->bytes;
    size_t length = 0;

    for (int lines = 0; at > output->tail; at--)
        if (at[-1] == '\n' && at != output->tail + output->bytes && ++lines == TAIL_LINES)
            break;
    for (; *at; at++)
        output->text[length++] = (char)(*at == '\n' || (unsigned char)*at >= ' ' ? *at : ' ');
    if (length && output->text[length - 1] != '\n')
        output->text[length++] = '\n';
    output->text[length] = 0;
    return output->text;
}

static void show_all(struct output *output)
{
    char bytes[4096];
    size_t count;

    if (!output->kept)
        return;
    rewind(output->kept);
    while ((count = fread(bytes, 1, sizeof bytes, output->kept)) > 0)
        fwrite(bytes, 1, count, stdout);
    fclose(output->kept);
    fflush(stdout);
}

/* ---- until the launcher ends ---- */

static long now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void take(struct output *output)
{
    char bytes[4096];
    ssize_t count = read(output->from, bytes, sizeof bytes);

    if (count > 0)
        keep(output, bytes, (size_t)count);
    else if (count == 0 || errno != EINTR) {
        close(output->from);
        output->from = -1;
    }
}

/* The pipe closes when the last process that has it ends. */
static void follow(struct proa_live *live, struct output *output)
{
    long due_ms = now_ms();

    while (output->from >= 0) {
        struct pollfd pipe = {.fd = output->from, .events = POLLIN};
        long left_ms = due_ms - now_ms();

        if (left_ms <= 0) {
            proa_live_look(live);
            proa_top_show(live, last_lines(output));
            due_ms = now_ms() + VIEW_MS;
        } else if (poll(&pipe, 1, (int)left_ms) > 0) {
            take(output);
        }
    }
}

int proa_top_run(const char *launcher, char *const *words, const char *folder)
{
    struct output output = {.from = -1};
    struct proa_live live;
    int status = 0;
    pid_t pid;

    signal(SIGINT, SIG_IGN);
    pid = start(launcher, words, &output.from);
    if (pid < 0)
        return proa_complain(PROA_EXIT_MISSING, "cannot start %s: %s", launcher, strerror(errno));
    launcher_pid = pid;
    signal(SIGTERM, pass_on);
    signal(SIGHUP, pass_on);
    output.kept = tmpfile();
    proa_live_open(&live, folder);
    proa_top_begin();
    follow(&live, &output);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    proa_top_end();
    show_all(&output);
    proa_live_close(&live);
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
