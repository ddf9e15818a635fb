/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every order of calls on a window up to a certain length, by two processes that make the same
 * calls in step: Proa must find legal, or wrong (MPI_ERR_RMA_SYNC, and no effect), what a model of
 * the standard does (model.c).
 *
 *   states LENGTH GROUP [exclusive]
 *
 * GROUP is given to every start and post: other, self, both or none. Locks are shared unless told
 * otherwise. With PROA_STRICT=1 the model is of the standard alone; without it, what both hosts
 * serve is legal. A call that the model leaves out ends its sequence. After each sequence the
 * window is brought back to rest by legal calls, one epoch with an operation is checked, and the
 * next sequence goes on with the same window, unless that was freed.
 */
#include "check.h"
#include "model.h"

/* every_verdict: with so many calls each can be right (post, start, complete, wait) */
enum { longest = 6, every_verdict = 4, words = 4 };
/* words of a window: puts by each process, and the target of wrong puts */
enum { from_other, from_self, never, nothing };

static MPI_Win win = MPI_WIN_NULL, beat;
static int *memory;
static MPI_Group group;
static long sequences, calls, wrong_calls, windows;
static enum call sequence[longest];
static int length;

static void open_window(void)
{
    MPI_Win_allocate(words * (MPI_Aint)sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD,
                     &memory, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    memset(memory, 0, words * sizeof(int));
    MPI_Win_fence(0, beat);
    windows++;
}

/* Waits for the other process: a fence on another window, which sleeps where a barrier of the
 * host's would spin. */
static void in_step(void)
{
    MPI_Win_fence(0, beat);
}

static int rank_of(int target)
{
    return target == self ? rank : 1 - rank;
}

static int put(int target, int at, int value)
{
    return MPI_Put(&value, 1, MPI_INT, rank_of(target), at, 1, MPI_INT, win);
}

static int rput(int target, int at, int value)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int code = MPI_Rput(&value, 1, MPI_INT, rank_of(target), at, 1, MPI_INT, win, &request);
    CHECK((request != MPI_REQUEST_NULL) == (code == MPI_SUCCESS),
          "MPI_Rput gives class %d, and %s request", error_class(code),
          request == MPI_REQUEST_NULL ? "no" : "a");
    if (request != MPI_REQUEST_NULL)
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    return code;
}

/* ---- one call, as it is made in step ---- */

static int test(const struct model *m)
{
    int flag, completed = model_judge(m, call_test) == legal && model_is_completed(m), code;
    do {
        flag = -1;
        code = MPI_Win_test(win, &flag);
        /* the other process has still to reach its complete */
    } while (code == MPI_SUCCESS && completed && !flag);
    CHECK(code != MPI_SUCCESS || flag == completed,
          "MPI_Win_test gives %d before all have completed", flag);
    if (!completed)
        in_step(); /* the other process is not to complete before we have tested */
    return code;
}

/* A window must not be exposed while it is locked. Where that is tried, the other process has
 * locked our window before, and unlocks it after; where it is not, it has unlocked it before. */
static int post(const struct model *m)
{
    if (m->locked[other] || model_judge(m, call_post) == legal)
        in_step();
    int code = MPI_Win_post(group, 0, win);
    if (m->locked[other])
        in_step();
    return code;
}

/* No process takes an exclusive lock, goes on, and keeps the other one waiting for it. */
static void in_step_for_locks(const struct model *m)
{
    if (m->exclusive)
        in_step();
}

static int lock(const struct model *m, int target)
{
    in_step_for_locks(m);
    return MPI_Win_lock(m->exclusive ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, rank_of(target), 0,
                        win);
}

static int lock_all(const struct model *m)
{
    in_step_for_locks(m);
    return MPI_Win_lock_all(0, win);
}

static int fence_put(void)
{
    int code = MPI_Win_fence(0, win);
    return code == MPI_SUCCESS ? put(other, from_other, (int)sequences) : code;
}

static int make(const struct model *m, enum call call)
{
    const int at = model_judge(m, call) == legal ? from_other : never;
    switch (call) {
    case call_fence:
        return MPI_Win_fence(0, win);
    case call_fence_put:
        return fence_put();
    case call_start:
        return MPI_Win_start(group, 0, win);
    case call_complete:
        return MPI_Win_complete(win);
    case call_post:
        return post(m);
    case call_wait:
        return MPI_Win_wait(win);
    case call_test:
        return test(m);
    case call_lock_other:
        return lock(m, other);
    case call_lock_self:
        return lock(m, self);
    case call_unlock_other:
        return MPI_Win_unlock(rank_of(other), win);
    case call_unlock_self:
        return MPI_Win_unlock(rank, win);
    case call_lock_all:
        return lock_all(m);
    case call_unlock_all:
        return MPI_Win_unlock_all(win);
    case call_flush_other:
        return MPI_Win_flush(rank_of(other), win);
    case call_flush_self:
        return MPI_Win_flush(rank, win);
    case call_put_other:
        return put(other, at, 1);
    case call_put_self:
        return put(self, at == never ? never : from_self, 1);
    case call_rput_other:
        return rput(other, at, 1);
    default:
        return MPI_Win_free(&win);
    }
}

/* ---- back to rest ---- */

static void legally(struct model *m, enum call call)
{
    enum verdict verdict = model_judge(m, call);
    int class = error_class(make(m, call));
    CHECK(verdict == legal && class == MPI_SUCCESS, "on the way back to rest: %s gives class %d",
          call_names[call], class);
    model_apply(m, call);
}

static void release_locks(struct model *m)
{
    if (m->lock_all)
        legally(m, call_unlock_all);
    for (int target = other; target <= self; target++)
        if (m->locked[target])
            legally(m, call_unlock_other + target);
}

/* Gives every start its post, every post its start. */
static void match(struct model *m)
{
    if (m->started)
        legally(m, call_complete);
    while (m->exposed || m->posts != m->starts) {
        if (m->starts < m->posts) {
            legally(m, call_start);
            legally(m, call_complete);
        }
        if (m->exposed)
            legally(m, call_wait);
        if (m->posts < m->starts)
            legally(m, call_post);
    }
}

static void check_epoch(void)
{
    int value = (int)sequences, codes[3];
    codes[0] = MPI_Win_fence(0, win);
    codes[1] = put(other, nothing, value);
    codes[2] = MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    for (int i = 0; i < 3; i++)
        CHECK(codes[i] == MPI_SUCCESS, "an epoch after the sequence: call %d gives class %d", i,
              error_class(codes[i]));
    CHECK(memory[nothing] == value, "an epoch after the sequence brings %d, not %d",
          memory[nothing], value);
    CHECK(memory[never] == 0, "a wrong put had an effect");
}

static void bring_to_rest(struct model *m)
{
    release_locks(m);
    if (m->operations)
        legally(m, call_fence);
    match(m);
    check_epoch();
}

/* ---- sequences ---- */

static const char *sequence_text(int n)
{
    static char text[200];
    text[0] = '\0';
    for (int i = 0; i < n; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", i ? ", " : "",
                 call_names[sequence[i]]);
    return text;
}

static long verdicts[ncalls][left_out + 1];

/* Makes the n-th call and compares. 0 where Proa disagrees. */
static int step(struct model *m, int n)
{
    enum verdict verdict = model_judge(m, sequence[n]);
    int class = error_class(make(m, sequence[n]));
    if (class != (verdict == legal ? MPI_SUCCESS : MPI_ERR_RMA_SYNC)) {
        CHECK(0, "%s: the last call gives class %d, and should be %s", sequence_text(n + 1), class,
              verdict == legal ? "legal" : "MPI_ERR_RMA_SYNC");
        return 0;
    }
    if (verdict == legal)
        model_apply(m, sequence[n]);
    return 1;
}

/* Returns how many calls of the sequence were looked at: after a free, or a call that is left out,
 * it does not matter which follow. */
static int run_sequence(struct model m)
{
    int n = 0, agreed = 1;
    long failures = check_failures;
    sequences++;
    if (win == MPI_WIN_NULL)
        open_window();
    while (n < length && agreed && !m.freed) {
        enum verdict verdict = model_judge(&m, sequence[n]);
        verdicts[sequence[n]][verdict]++;
        if (verdict == left_out) {
            n++;
            break;
        }
        agreed = step(&m, n++);
    }
    if (agreed && !m.freed)
        bring_to_rest(&m);
    if (check_failures > failures && agreed)
        fprintf(stderr, "rank %d: ... after %s\n", rank, sequence_text(n));
    if (!agreed)
        win = MPI_WIN_NULL; /* in an unknown state */
    return n;
}

/* The next sequence that differs in its first n calls. 0: there is none. */
static int advance(int n)
{
    for (int i = n; i < length; i++)
        sequence[i] = 0;
    while (n > 0 && ++sequence[n - 1] == ncalls)
        sequence[--n] = 0;
    return n > 0;
}

static int run_all(const struct model *rest)
{
    enum { most_failures = 10 };
    do {
        if (check_failures >= most_failures)
            return 0;
    } while (advance(run_sequence(*rest)));
    return 1;
}

static void check_verdicts(void)
{
    for (int call = 0; call < ncalls; call++) {
        calls += verdicts[call][legal] + verdicts[call][wrong];
        wrong_calls += verdicts[call][wrong];
        CHECK(length < every_verdict || (verdicts[call][legal] && verdicts[call][wrong]),
              "%s was right %ld and wrong %ld times", call_names[call], verdicts[call][legal],
              verdicts[call][wrong]);
    }
}

static MPI_Group group_of(const struct model *m)
{
    int members[2], n = 0;
    MPI_Group all, some;
    for (int target = other; target <= self; target++)
        if (m->in_group[target])
            members[n++] = rank_of(target);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, n, members, &some);
    MPI_Group_free(&all);
    return some;
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    length = argc > 2 ? atoi(argv[1]) : 0;
    if (nranks != 2 || length < 1 || length > longest)
        return skip("is for 2 ranks, and needs a length and the name of a group");
    const char *who = argv[2];
    int both = strcmp(who, "both") == 0;
    const char *strict = getenv("PROA_STRICT");
    struct model rest =
        model_new(both || strcmp(who, "other") == 0, both || strcmp(who, "self") == 0, argc > 3,
                  strict && strcmp(strict, "1") == 0);
    void *unused;
    MPI_Win_allocate(0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &unused, &beat);
    group = group_of(&rest);
    if (run_all(&rest))
        check_verdicts();
    if (rank == 0)
        printf("%s: %ld sequences, %ld calls, %ld of them wrong, %ld windows\n", who, sequences,
               calls, wrong_calls, windows);
    if (win != MPI_WIN_NULL)
        MPI_Win_free(&win);
    MPI_Group_free(&group);
    MPI_Win_free(&beat);
    return finish("states");
}
