/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Everything that is atomic, on the same elements, from all ranks (and threads: `stress_atomic
 * threads`) at once: fetch_and_op, compare_and_swap, accumulates of 1 to 100,000 elements,
 * get_accumulate with REPLACE and NO_OP, through two windows over the same memory, or through one
 * under locks of both kinds. The results are exact: tickets are distinct and dense, sums are what
 * was added, every value that was put in by REPLACE comes out once, and each origin's accumulates
 * to one place keep their order.
 */
#include "window.h"
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

enum {
    words = 100000,
    brief_most = 8,
    tokens = 3000,
    own_words = 64,
    reals = 20000,
    wides = 3000,
    shorts = 5000,
    threads_most = 4,
    targets = 2
};

/* What lies in a rank's memory. */
struct shared {
    int64_t ticket, swapped;
    int64_t sum[words];
    int64_t token[tokens];
    double real[reals];
    double wide[wides][2]; /* MPI_C_DOUBLE_COMPLEX: too wide for an atomic of the processor */
    int16_t narrow[shorts];
    int64_t own[]; /* own_words for each rank and thread */
};

enum {
    at_sum = 0,
    at_real = at_sum + words + 1,
    at_wide = at_real + reals + 1,
    at_narrow = at_wide + wides + 1,
    at_end = at_narrow + shorts + 1
};

struct setting {
    enum kind kind;
    const char *granularity; /* NULL: no info */
    bool locks; /* one window and a lock for each operation; else two windows and lock_all */
    /* never many elements at once: Proa then needs nothing but atomics of the processor */
    bool brief;
};

struct values {
    int64_t *value;
    size_t count, room;
};

/* The work of a thread so far. */
struct worker {
    const struct setting *setting;
    int number; /* of all ranks' threads */
    uint64_t seed;
    struct values tickets[targets], swaps[targets];
    /* additions to each element of the four arrays, as steps at both ends; where an array starts:
     * at_... */
    int32_t *added[targets];
    uint64_t put_in[targets][2], got_out[targets][2]; /* sums and sums of squares of tokens */
    int64_t next_token, step[targets];
    int64_t *ones, *got;
    double *real_ones, *wide_ones;
    int16_t *narrow_ones;
    long failures;
    char failure[200];
    double until;
};

static int nthreads = 1, several_threads;
static MPI_Win windows[2];
static MPI_Aint *address; /* dynamic: of every rank's memory */
static struct shared *mine;
static size_t shared_bytes;

static int targets_used(void)
{
    return nranks == 1 ? 1 : targets;
}
static int target_of(int which)
{
    return which ? nranks - 1 : 0;
}

#define EXPECT(w, cond, ...)                                         \
    do {                                                             \
        if (!(cond) && (w)->failures++ == 0)                         \
            snprintf((w)->failure, sizeof(w)->failure, __VA_ARGS__); \
    } while (0)

/* ---- memory and windows ---- */

static MPI_Info info_of(const struct setting *s)
{
    MPI_Info info = MPI_INFO_NULL;
    if (s->granularity) {
        MPI_Info_create(&info);
        MPI_Info_set(info, "mpi_accumulate_granularity", s->granularity);
    }
    return info;
}

static void open_windows(const struct setting *s)
{
    MPI_Info info = info_of(s);
    MPI_Aint bytes = (MPI_Aint)shared_bytes, at;
    mine = s->kind == kind_allocate ? NULL : need(malloc(shared_bytes));
    for (int i = 0; i < 2; i++)
        if (s->kind == kind_dynamic) {
            MPI_Win_create_dynamic(info, MPI_COMM_WORLD, &windows[i]);
            MPI_Win_attach(windows[i], mine, bytes);
        } else if (s->kind == kind_allocate && i == 0)
            MPI_Win_allocate(bytes, 1, info, MPI_COMM_WORLD, &mine, &windows[i]);
        else
            MPI_Win_create(mine, bytes, 1, info, MPI_COMM_WORLD, &windows[i]);
    address = need(calloc((size_t)nranks, sizeof *address));
    MPI_Get_address(mine, &at);
    MPI_Allgather(&at, 1, MPI_AINT, address, 1, MPI_AINT, MPI_COMM_WORLD);
    memset(mine, 0, shared_bytes);
    MPI_Barrier(MPI_COMM_WORLD);
    if (info != MPI_INFO_NULL)
        MPI_Info_free(&info);
}

static void close_windows(const struct setting *s)
{
    for (int i = 1; i >= 0; i--) {
        if (s->kind == kind_dynamic)
            MPI_Win_detach(windows[i], mine);
        MPI_Win_free(&windows[i]);
    }
    if (s->kind != kind_allocate)
        free(mine);
    free(address);
}

static MPI_Aint disp(const struct worker *w, int which, size_t offset)
{
    return w->setting->kind == kind_dynamic
               ? MPI_Aint_add(address[target_of(which)], (MPI_Aint)offset)
               : (MPI_Aint)offset;
}

/* ---- one operation: begin gives the window ---- */

static MPI_Win begin(struct worker *w, int which)
{
    if (!w->setting->locks)
        return windows[random_below(&w->seed, 2)];
    MPI_Win_lock(random_below(&w->seed, 3) ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, target_of(which),
                 0, windows[0]);
    return windows[0];
}

static void end(const struct worker *w, int which, MPI_Win win)
{
    if (w->setting->locks)
        MPI_Win_unlock(target_of(which), win);
    else
        MPI_Win_flush(target_of(which), win);
}

static void remember(struct values *v, int64_t value)
{
    if (v->count == v->room) {
        v->room = v->room ? 2 * v->room : 1024;
        v->value = need(realloc(v->value, v->room * sizeof *v->value));
    }
    v->value[v->count++] = value;
}

static void take_ticket(struct worker *w, int which)
{
    int64_t one = 1, got = -1;
    MPI_Win win = begin(w, which);
    MPI_Fetch_and_op(&one, &got, MPI_INT64_T, target_of(which),
                     disp(w, which, offsetof(struct shared, ticket)), MPI_SUM, win);
    end(w, which, win);
    struct values *v = &w->tickets[which];
    EXPECT(w, v->count == 0 || got > v->value[v->count - 1], "ticket %lld after %lld",
           (long long)got, (long long)v->value[v->count - 1]);
    remember(v, got);
}

static void swap(struct worker *w, int which)
{
    MPI_Aint at = disp(w, which, offsetof(struct shared, swapped));
    int64_t seen = w->swaps[which].count ? w->swaps[which].value[w->swaps[which].count - 1] : 0,
            old, fresh;
    for (;;) {
        fresh = seen + 1;
        MPI_Win win = begin(w, which);
        MPI_Compare_and_swap(&fresh, &seen, &old, MPI_INT64_T, target_of(which), at, win);
        end(w, which, win);
        if (old == seen)
            break;
        seen = old;
    }
    remember(&w->swaps[which], old);
}

static void tally(int32_t *steps, int first, int n)
{
    steps[first]++;
    steps[first + n]--;
}

/* Often few, at the start, so that short and long ones meet. */
static void range(struct worker *w, int most, int *first, int *n)
{
    static const int limits[] = {1, 8, 9, 600, 1 << 30};
    int limit = w->setting->brief ? brief_most : limits[random_below(&w->seed, 5)];
    *n = 1 + random_below(&w->seed, limit < most ? limit : most);
    *first = random_below(&w->seed, 2) ? 0 : random_below(&w->seed, most - *n + 1);
}

static void add_words(struct worker *w, int which)
{
    int first, n, t = target_of(which);
    range(w, words, &first, &n);
    MPI_Aint at = disp(w, which, offsetof(struct shared, sum) + sizeof(int64_t) * (size_t)first);
    MPI_Win win = begin(w, which);
    if (random_below(&w->seed, 2))
        MPI_Accumulate(w->ones, n, MPI_INT64_T, t, at, n, MPI_INT64_T, MPI_SUM, win);
    else
        MPI_Get_accumulate(w->ones, n, MPI_INT64_T, w->got, n, MPI_INT64_T, t, at, n, MPI_INT64_T,
                           MPI_SUM, win);
    end(w, which, win);
    tally(w->added[which] + at_sum, first, n);
}

static void add_others(struct worker *w, int which)
{
    int first, n, t = target_of(which);
    MPI_Win win = begin(w, which);
    range(w, reals, &first, &n);
    MPI_Accumulate(w->real_ones, n, MPI_DOUBLE, t,
                   disp(w, which, offsetof(struct shared, real) + sizeof(double) * (size_t)first),
                   n, MPI_DOUBLE, MPI_SUM, win);
    tally(w->added[which] + at_real, first, n);
    range(w, wides, &first, &n);
    MPI_Accumulate(
        w->wide_ones, n, MPI_C_DOUBLE_COMPLEX, t,
        disp(w, which, offsetof(struct shared, wide) + 2 * sizeof(double) * (size_t)first), n,
        MPI_C_DOUBLE_COMPLEX, MPI_SUM, win);
    tally(w->added[which] + at_wide, first, n);
    range(w, shorts, &first, &n);
    MPI_Accumulate(
        w->narrow_ones, n, MPI_INT16_T, t,
        disp(w, which, offsetof(struct shared, narrow) + sizeof(int16_t) * (size_t)first), n,
        MPI_INT16_T, MPI_SUM, win);
    tally(w->added[which] + at_narrow, first, n);
    end(w, which, win);
}

static void count_token(uint64_t sums[2], uint64_t token)
{
    sums[0] += token;
    sums[1] += token * token;
}

/* Puts new values in and takes what was there. */
static void exchange(struct worker *w, int which)
{
    int first, n;
    range(w, tokens, &first, &n);
    int64_t *fresh = need(malloc(sizeof *fresh * (size_t)n));
    for (int i = 0; i < n; i++)
        fresh[i] = ++w->next_token * 1000 + w->number;
    MPI_Aint at = disp(w, which, offsetof(struct shared, token) + sizeof(int64_t) * (size_t)first);
    MPI_Win win = begin(w, which);
    if (n == 1)
        MPI_Fetch_and_op(fresh, w->got, MPI_INT64_T, target_of(which), at, MPI_REPLACE, win);
    else
        MPI_Get_accumulate(fresh, n, MPI_INT64_T, w->got, n, MPI_INT64_T, target_of(which), at, n,
                           MPI_INT64_T, MPI_REPLACE, win);
    end(w, which, win);
    for (int i = 0; i < n; i++) {
        count_token(w->put_in[which], (uint64_t)fresh[i]);
        count_token(w->got_out[which], (uint64_t)w->got[i]);
    }
    free(fresh);
}

/* Only this worker writes these words, others read them. All in one window, and no flush before the
 * end. */
static void in_order(struct worker *w, int which)
{
    const int all = w->setting->brief ? brief_most : own_words;
    int64_t first[own_words], second[own_words], before[own_words], between[own_words],
        after[own_words], step = w->step[which];
    int t = target_of(which), n = 1 + random_below(&w->seed, all),
        part = 1 + random_below(&w->seed, n);
    MPI_Aint at = disp(
        w, which, offsetof(struct shared, own) + sizeof(int64_t) * own_words * (size_t)w->number);
    for (int i = 0; i < all; i++) {
        first[i] = step + 1;
        second[i] = step + 2;
    }
    MPI_Win win = begin(w, which);
    MPI_Accumulate(first, all, MPI_INT64_T, t, at, all, MPI_INT64_T, MPI_REPLACE, win);
    MPI_Get_accumulate(NULL, 0, MPI_INT64_T, before, n, MPI_INT64_T, t, at, n, MPI_INT64_T,
                       MPI_NO_OP, win); /* after a write */
    /* after a read, a write */
    MPI_Accumulate(second, part, MPI_INT64_T, t, at, part, MPI_INT64_T, MPI_REPLACE, win);
    MPI_Get_accumulate(NULL, 0, MPI_INT64_T, between, part, MPI_INT64_T, t, at, part, MPI_INT64_T,
                       MPI_NO_OP, win);
    MPI_Get_accumulate(second, n, MPI_INT64_T, after, n, MPI_INT64_T, t, at, n, MPI_INT64_T,
                       MPI_REPLACE, win); /* after a read */
    end(w, which, win);
    for (int i = 0; i < n; i++) {
        EXPECT(w, before[i] == step + 1, "read after write: %lld instead of %lld",
               (long long)before[i], (long long)step + 1);
        EXPECT(w, i >= part || between[i] == step + 2, "write after write: %lld instead of %lld",
               (long long)between[i], (long long)step + 2);
        EXPECT(w, after[i] == (i < part ? step + 2 : step + 1),
               "read before write: %lld at step %lld", (long long)after[i], (long long)step);
    }
    w->step[which] = step + 2;
}

/* Another worker's words only grow; two reads of them see that. */
static void read_twice(struct worker *w, int which)
{
    int64_t first[own_words], second[own_words];
    int t = target_of(which),
        n = 1 + random_below(&w->seed, w->setting->brief ? brief_most : own_words),
        whose = random_below(&w->seed, nranks * nthreads);
    MPI_Aint at =
        disp(w, which, offsetof(struct shared, own) + sizeof(int64_t) * own_words * (size_t)whose);
    MPI_Win win = begin(w, which);
    MPI_Get_accumulate(NULL, 0, MPI_INT64_T, first, n, MPI_INT64_T, t, at, n, MPI_INT64_T,
                       MPI_NO_OP, win);
    MPI_Get_accumulate(NULL, 0, MPI_INT64_T, second, n, MPI_INT64_T, t, at, n, MPI_INT64_T,
                       MPI_NO_OP, win);
    end(w, which, win);
    for (int i = 0; i < n; i++)
        EXPECT(w, second[i] >= first[i], "read %lld, then %lld", (long long)first[i],
               (long long)second[i]);
}

static void *work(void *arg)
{
    struct worker *w = arg;
    do {
        int which = random_below(&w->seed, targets_used());
        for (int i = 0; i < 8; i++)
            take_ticket(w, which);
        for (int i = 0; i < 3; i++)
            swap(w, which);
        add_words(w, which);
        add_others(w, which);
        exchange(w, which);
        in_order(w, which);
        read_twice(w, which);
    } while (MPI_Wtime() < w->until);
    return NULL;
}

/* ---- workers ---- */

static void worker_open(struct worker *w, const struct setting *s, int thread, double until)
{
    memset(w, 0, sizeof *w);
    w->setting = s;
    w->number = rank * nthreads + thread;
    w->seed = 77u + (unsigned)w->number;
    w->until = until;
    w->ones = need(malloc(words * sizeof *w->ones));
    w->got = need(malloc(words * sizeof *w->got));
    w->real_ones = need(malloc(reals * sizeof *w->real_ones));
    w->wide_ones = need(malloc(2 * wides * sizeof *w->wide_ones));
    w->narrow_ones = need(malloc(shorts * sizeof *w->narrow_ones));
    for (int i = 0; i < words; i++)
        w->ones[i] = 1;
    for (int i = 0; i < reals; i++)
        w->real_ones[i] = 1;
    for (int i = 0; i < 2 * wides; i++)
        w->wide_ones[i] = 1 + i % 2;
    for (int i = 0; i < shorts; i++)
        w->narrow_ones[i] = 1;
    for (int t = 0; t < targets; t++)
        w->added[t] = need(calloc(at_end, sizeof(int32_t)));
}

static void worker_close(struct worker *w)
{
    for (int t = 0; t < targets; t++) {
        free(w->tickets[t].value);
        free(w->swaps[t].value);
        free(w->added[t]);
    }
    free(w->ones);
    free(w->got);
    free(w->real_ones);
    free(w->wide_ones);
    free(w->narrow_ones);
}

/* ---- verification: at the rank whose memory it is ---- */

static const char *setting_text(const struct setting *s)
{
    static char text[100];
    snprintf(text, sizeof text, "%s, granularity %s, %s%s", kind_names[s->kind],
             s->granularity ? s->granularity : "by default", s->locks ? "locks" : "two windows",
             s->brief ? ", brief" : "");
    return text;
}

/* All workers' additions to one target. */
static int32_t *total_of(const struct worker *w, int which)
{
    int32_t *steps = need(calloc(at_end, sizeof *steps)),
            *total = need(calloc(at_end, sizeof *total));
    for (int i = 0; i < nthreads; i++)
        for (int k = 0; k < at_end; k++)
            steps[k] += w[i].added[which][k];
    MPI_Allreduce(steps, total, at_end, MPI_INT32_T, MPI_SUM, MPI_COMM_WORLD);
    for (int k = 1; k < at_end; k++) /* the steps of each array sum up to 0 */
        total[k] += total[k - 1];
    free(steps);
    return total;
}

static void verify_sums(const struct worker *w, const struct setting *s, int which)
{
    int32_t *total = total_of(w, which);
    const int32_t *sum = total + at_sum, *real = total + at_real, *wide = total + at_wide,
                  *narrow = total + at_narrow;
    for (int i = 0; i < words && rank == target_of(which); i++)
        CHECK(mine->sum[i] == sum[i], "%s: word %d is %lld, not %d", setting_text(s), i,
              (long long)mine->sum[i], sum[i]);
    for (int i = 0; i < reals && rank == target_of(which); i++)
        CHECK(mine->real[i] == real[i], "%s: real %d is %g, not %d", setting_text(s), i,
              mine->real[i], real[i]);
    for (int i = 0; i < wides && rank == target_of(which); i++)
        CHECK(mine->wide[i][0] == wide[i] && mine->wide[i][1] == 2 * wide[i],
              "%s: complex %d is %g, %g, not %d times 1, 2", setting_text(s), i, mine->wide[i][0],
              mine->wide[i][1], wide[i]);
    for (int i = 0; i < shorts && rank == target_of(which); i++)
        CHECK(mine->narrow[i] == (int16_t)narrow[i], "%s: short %d is %d, not %d", setting_text(s),
              i, mine->narrow[i], narrow[i]);
    free(total);
}

static void verify_tokens(struct worker *w, const struct setting *s, int which)
{
    uint64_t put_in[2] = {0}, rest[2] = {0}, sums[4] = {0}, all[4];
    for (int i = 0; i < nthreads; i++)
        for (int k = 0; k < 2; k++) {
            sums[k] += w[i].put_in[which][k];
            sums[2 + k] += w[i].got_out[which][k];
        }
    MPI_Allreduce(sums, all, 4, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    if (rank != target_of(which))
        return;
    for (int k = 0; k < 2; k++) {
        put_in[k] = all[k];
        rest[k] = all[2 + k];
    }
    for (int i = 0; i < tokens; i++)
        count_token(rest, (uint64_t)mine->token[i]);
    CHECK(put_in[0] == rest[0] && put_in[1] == rest[1],
          "%s: values put in by REPLACE did not come out once each", setting_text(s));
}

/* Together the workers' values are 0 to last - 1, each once. */
static void verify_dense(const struct values *const *lists, int nlists, const int64_t *last,
                         int root, const char *what)
{
    int n = 0, *counts = need(calloc((size_t)nranks, sizeof *counts)),
        *starts = need(calloc((size_t)nranks + 1, sizeof *starts));
    for (int i = 0; i < nlists; i++)
        n += (int)lists[i]->count;
    int64_t *all = NULL, *list = need(malloc(((size_t)n + 1) * sizeof *list));
    n = 0;
    for (int i = 0; i < nlists; i++) {
        if (lists[i]->count)
            memcpy(list + n, lists[i]->value, lists[i]->count * sizeof *list);
        n += (int)lists[i]->count;
    }
    MPI_Gather(&n, 1, MPI_INT, counts, 1, MPI_INT, root, MPI_COMM_WORLD);
    for (int i = 0; i < nranks; i++)
        starts[i + 1] = starts[i] + counts[i];
    all = need(malloc(((size_t)starts[nranks] + 1) * sizeof *all));
    MPI_Gatherv(list, n, MPI_INT64_T, all, counts, starts, MPI_INT64_T, root, MPI_COMM_WORLD);
    if (rank == root) {
        int total = starts[nranks], wrong = 0;
        char *seen = need(calloc((size_t)total + 1, 1));
        for (int i = 0; i < total; i++)
            wrong += all[i] < 0 || all[i] >= total || seen[all[i]]++;
        CHECK(wrong == 0 && *last == total,
              "%s: %d of %d are not distinct and dense; the counter is %lld", what, wrong, total,
              (long long)*last);
        free(seen);
    }
    free(all);
    free(list);
    free(counts);
    free(starts);
}

static void verify_counters(struct worker *w, const struct setting *s, int which)
{
    const struct values *tickets[threads_most], *swaps[threads_most];
    char what[160];
    for (int i = 0; i < nthreads; i++) {
        tickets[i] = &w[i].tickets[which];
        swaps[i] = &w[i].swaps[which];
    }
    snprintf(what, sizeof what, "%s: fetch_and_op", setting_text(s));
    verify_dense(tickets, nthreads, &mine->ticket, target_of(which), what);
    snprintf(what, sizeof what, "%s: compare_and_swap", setting_text(s));
    verify_dense(swaps, nthreads, &mine->swapped, target_of(which), what);
}

/* ---- one setting ---- */

static void run_setting(const struct setting *s, double seconds)
{
    static struct worker w[threads_most];
    pthread_t thread[threads_most];
    open_windows(s);
    for (int i = 0; i < 2 && !s->locks; i++)
        MPI_Win_lock_all(0, windows[i]);
    for (int i = 0; i < nthreads; i++)
        worker_open(&w[i], s, i, MPI_Wtime() + seconds);
    for (int i = 1; i < nthreads; i++)
        pthread_create(&thread[i], NULL, work, &w[i]);
    work(&w[0]);
    for (int i = 1; i < nthreads; i++)
        pthread_join(thread[i], NULL);
    for (int i = 0; i < 2 && !s->locks; i++)
        MPI_Win_unlock_all(windows[i]);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < nthreads; i++)
        CHECK(w[i].failures == 0, "%s: %ld failures in worker %d, the first: %s", setting_text(s),
              w[i].failures, w[i].number, w[i].failure);
    for (int which = 0; which < targets_used(); which++) {
        verify_sums(w, s, which);
        verify_tokens(w, s, which);
        verify_counters(w, s, which);
    }
    for (int i = 0; i < nthreads; i++)
        worker_close(&w[i]);
    close_windows(s);
}

int main(int argc, char **argv)
{
    static const char *const granularities[] = {NULL, "1", "8", "4096"};
    static const enum kind kinds[] = {kind_allocate, kind_create, kind_dynamic};
    int level = MPI_THREAD_SINGLE;
    several_threads = argc > 1 && strcmp(argv[1], "threads") == 0;
    double seconds = argc > 2 ? atof(argv[2]) : 0;
    MPI_Init_thread(&argc, &argv, several_threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE,
                    &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nranks);
    if (several_threads && level < MPI_THREAD_MULTIPLE)
        return skip("the host has no MPI_THREAD_MULTIPLE");
    nthreads = several_threads ? threads_most : 1;
    if (seconds == 0) /* one thread alone meets no other: a few rounds */
        seconds = nranks * nthreads == 1 ? 0.01 : 0.03;
    shared_bytes =
        sizeof(struct shared) + sizeof(int64_t) * own_words * (size_t)(nranks * nthreads);
    /* brief ones first: Proa does not go back to atomics of the processor */
    for (int i = 0; i < 2 * 3 * 4 * 2; i++) {
        const struct setting s = {.brief = i < 24,
                                  .kind = kinds[i / 8 % 3],
                                  .granularity = granularities[i / 2 % 4],
                                  .locks = i % 2};
        if (several_threads && s.locks) /* threads of one rank would lock a target twice */
            continue;
        if (nranks <= 4 || i / 2 % 4 < 2) /* hosts are slow with more ranks than processors */
            run_setting(&s, seconds);
    }
    return finish("stress_atomic");
}
