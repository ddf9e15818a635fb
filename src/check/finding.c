/* SPDX-License-Identifier: BSD-3-Clause */
/* See finding.h. */
#include "check/finding.h"
#include "check/place.h"
#include "host/handle.h"
#include "host/pmpi.h"
#include "window/epoch.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <uthash.h>

/* Told findings are kept to tell them once. More than so many are counted only. */
enum { TOLD_MOST = 1000 };

struct pair {
    const void *first, *second; /* callers */
    uint64_t calls;
};

struct finding {
    struct pair pair;
    UT_hash_handle hh;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct finding *told;
static uint64_t conflicts, checked, left_scattered, left_dropped;

/* Has this pair of places not been told yet? Notes it. */
static int is_new(const struct proa_access *first, const struct proa_access *second)
{
    struct finding *finding;
    struct pair pair = {first->caller, second->caller, (uint64_t)first->call << 16 | second->call};

    HASH_FIND(hh, told, &pair, sizeof pair, finding);
    if (finding || HASH_COUNT(told) >= TOLD_MOST)
        return 0;
    finding = calloc(1, sizeof *finding);
    if (!finding)
        return 0;
    finding->pair = pair;
    HASH_ADD(hh, told, pair, sizeof finding->pair, finding);
    return 1;
}

/* ---- sentences ---- */

static void say_access(FILE *out, const char *which, const struct proa_win *win,
                       const struct proa_access *access)
{
    const char *form =
        win->flavor == PROA_FLAVOR_DYNAMIC ? "addresses 0x%llx to 0x%llx" : "bytes %llu to %llu";
    char place[PROA_PLACE_BYTES];

    fprintf(out, "proa:   %s %s, ", which, proa_call_name((enum proa_call)access->call));
    fprintf(out, form, (unsigned long long)access->low, (unsigned long long)access->high - 1);
    fprintf(out, ", at %s\n", proa_place_say(access->caller, place));
}

static void say_rule(FILE *out, const struct proa_access *first, const struct proa_access *second)
{
    if (first->kind == PROA_ACCESS_ATOMIC && second->kind == PROA_ACCESS_ATOMIC)
        fprintf(out, "proa:   rule: accumulates are atomic to one another with one predefined "
                     "datatype only (MPI-4.1, 13.7.1)\n");
    else
        fprintf(out, "proa:   rule: until an update is complete at the target, any other access "
                     "to its bytes but a further accumulate is undefined (MPI-4.1, 13.3)\n");
}

/* The call that would order the two. */
static void say_remedy(FILE *out, int target, unsigned epoch)
{
    if (epoch & PROA_EPOCH_LOCK)
        fprintf(out, "proa:   remedy: MPI_Win_flush(%d, win) between them\n", target);
    else if (epoch & PROA_EPOCH_START)
        fprintf(out,
                "proa:   remedy: MPI_Win_complete and a further MPI_Win_start between them, "
                "and MPI_Win_wait and MPI_Win_post at rank %d\n",
                target);
    else
        fprintf(out, "proa:   remedy: MPI_Win_fence between them\n");
}

static void say(FILE *out, const struct proa_win *win, int target, unsigned epoch,
                const struct proa_access *first, const struct proa_access *second)
{
    char name[PROA_HANDLE_NAME_BYTES];

    fprintf(out,
            "proa: race: rank %d does two conflicting operations on rank %d in one epoch "
            "(window \"%s\")\n",
            win->rank, target, proa_handle_name(proa_handle_of(win), name));
    say_access(out, "first: ", win, first);
    say_access(out, "second:", win, second);
    say_rule(out, first, second);
    say_remedy(out, target, epoch);
}

/* One write, so that the lines of several processes do not mix. Frees the text. */
static void write_out(char *text, size_t length)
{
    fflush(stderr);
    if (write(STDERR_FILENO, text, length) < 0) {
        /* there is no other place to tell it */
    }
    free(text);
}

void proa_finding_conflict(const struct proa_win *win, int target, unsigned epoch,
                           const struct proa_access *first, const struct proa_access *second)
{
    char *text = NULL;
    size_t length;
    FILE *out;
    int tells;

    pthread_mutex_lock(&mutex);
    conflicts++;
    tells = is_new(first, second);
    pthread_mutex_unlock(&mutex);
    out = tells ? open_memstream(&text, &length) : NULL;
    if (!out)
        return;
    say(out, win, target, epoch, first, second);
    fclose(out);
    write_out(text, length);
}

/* ---- the end ---- */

void proa_finding_count(uint64_t operations, uint64_t scattered, uint64_t dropped)
{
    pthread_mutex_lock(&mutex);
    checked += operations;
    left_scattered += scattered;
    left_dropped += dropped;
    pthread_mutex_unlock(&mutex);
}

static void forget_all(void)
{
    struct finding *finding, *next;

    HASH_ITER(hh, told, finding, next) {
        HASH_DEL(told, finding);
        free(finding);
    }
}

void proa_finding_tell(void)
{
    char *text = NULL;
    size_t length;
    int rank = 0;
    FILE *out;

    proa_pmpi()->Comm_rank(MPI_COMM_WORLD, &rank);
    out = rank == 0 || conflicts || left_scattered || left_dropped ? open_memstream(&text, &length)
                                                                   : NULL;
    if (!out)
        return;
    fprintf(out, "proa: check: rank %d: %llu operations, ", rank, (unsigned long long)checked);
    if (conflicts)
        fprintf(out, "%llu conflicts, of %u pairs of places", (unsigned long long)conflicts,
                HASH_COUNT(told));
    else
        fprintf(out, "no conflict");
    if (left_scattered)
        fprintf(out, "; not checked: %llu of too many pieces", (unsigned long long)left_scattered);
    if (left_dropped)
        fprintf(out, "; not kept: %llu accesses, as epochs were too long",
                (unsigned long long)left_dropped);
    fprintf(out, "\n");
    fclose(out);
    write_out(text, length);
    forget_all();
}
