/*
 * Passive target synchronization: lock, unlock, lock_all, unlock_all, flush, sync (MPI-4.1, 13.5.3 and 13.5.4).
 *
 * A lock on one target is that target's reader-writer lock (core/rwlock.h): one atomic when free. A lock_all does not take n locks: it
 * counts itself in one word of the window, then looks whether any target has a writer. An exclusive lock takes its target, then looks at
 * that word. Both announce before they look, sequentially consistent, so they cannot miss each other (Dekker). A lock_all that finds a
 * writer takes its count back and waits for that writer holding nothing, so it cannot deadlock with a process that locks several targets.
 * Fairness: a lock_all gives way to writers that are there; a writer that holds no other lock gives way to lock_alls that were waiting when it
 * came; a process that asks for a shared lock or a lock_all while it holds another goes ahead of writers that only wait, because two readers
 * that cross, each with a writer waiting behind it, would otherwise wait for ever.
 */
#include "base/fail.h"
#include "core/sync.h"

/* ---- what this process holds ---- */

/* Locks, and lock_alls, that this process holds on windows of any kind, or is about to take. */
static long locks_held;

static void held_add(const struct proa_win *win, long change)
{
    if (win->threads)
        __atomic_fetch_add(&locks_held, change, __ATOMIC_RELAXED);
    else
        __atomic_store_n(&locks_held, __atomic_load_n(&locks_held, __ATOMIC_RELAXED) + change, __ATOMIC_RELAXED);
}

/* Does it hold any besides the one it is about to take? */
static int holds_others(void)
{
    return __atomic_load_n(&locks_held, __ATOMIC_RELAXED) > 1;
}

/* ---- exclusive locks and lock_all ---- */

static struct proa_all_ctl *all_of(const struct proa_win *win)
{
    return &win->targets[0].ctl->all;
}

struct asked {
    const struct proa_all_ctl *all;
    uint32_t count;
};

static int asked_are_granted(void *arg)
{
    const struct asked *asked = arg;

    return (int32_t)(atomic_load_explicit(&asked->all->granted, memory_order_relaxed) - asked->count) >= 0;
}

static int no_lock_all(void *arg)
{
    const struct proa_all_ctl *all = arg;

    return atomic_load(&all->active) == 0; /* also acquires what was done under the lock_alls */
}

/* Not free. At the head of the queue, announced, we keep those out that come now, but not those who go ahead; nobody ever waits for a writer
 * that is inside and itself waits for lock_alls. */
static void lock_exclusive_queued(struct proa_all_ctl *all, struct proa_win_ctl *ctl)
{
    proa_rwlock_write_queue(&ctl->lock, &ctl->lock_bell);
    for (;;) {
        if (!no_lock_all(all))
            proa_wait(no_lock_all, all, &all->bell);
        proa_rwlock_write_enter(&ctl->lock, &ctl->lock_bell);
        if (no_lock_all(all))
            break;
        proa_rwlock_write_step_back(&ctl->lock, &ctl->lock_bell); /* one that went ahead, or that is about to give way */
    }
    proa_rwlock_write_leave_queue(&ctl->lock, &ctl->lock_bell);
}

static void lock_exclusive(struct proa_win *win, struct proa_win_ctl *ctl)
{
    struct proa_all_ctl *all = all_of(win);
    struct asked asked = {all, atomic_load_explicit(&all->asked, memory_order_relaxed)};

    if (!holds_others() && !asked_are_granted(&asked))
        proa_wait(asked_are_granted, &asked, &all->bell);
    if (proa_rwlock_write_try(&ctl->lock)) {
        if (no_lock_all(all))
            return;
        proa_rwlock_write_unlock(&ctl->lock, &ctl->lock_bell);
    }
    lock_exclusive_queued(all, ctl);
}

/* A target with a writer that a lock_all has to wait for. One that holds other locks goes ahead of writers that only wait. */
static int is_in_the_way(const struct proa_win_ctl *ctl, int ahead)
{
    uint32_t state = atomic_load(&ctl->lock.state);

    return (state & (ahead ? PROA_RW_HELD : PROA_RW_HELD | PROA_RW_WANTED)) != 0;
}

static struct proa_win_ctl *find_writer(const struct proa_win *win, int ahead)
{
    for (int i = 0; i < win->size; i++)
        if (is_in_the_way(win->targets[i].ctl, ahead))
            return win->targets[i].ctl;
    return NULL;
}

struct writer {
    struct proa_win_ctl *ctl;
    int ahead;
};

static int writer_is_gone(void *arg)
{
    const struct writer *writer = arg;

    return !is_in_the_way(writer->ctl, writer->ahead);
}

static void all_leave(struct proa_all_ctl *all)
{
    atomic_fetch_sub(&all->active, 1); /* releases; partner: no_lock_all */
    proa_bell_ring(&all->bell);
}

static void lock_shared_by_all(struct proa_win *win)
{
    struct proa_all_ctl *all = all_of(win);
    struct writer writer = {.ahead = holds_others()};
    int waited = 0;

    atomic_fetch_add(&all->active, 1);
    while ((writer.ctl = find_writer(win, writer.ahead))) {
        all_leave(all);
        if (!waited++)
            atomic_fetch_add(&all->asked, 1);
        if (!writer_is_gone(&writer))
            proa_wait(writer_is_gone, &writer, &writer.ctl->lock_bell);
        atomic_fetch_add(&all->active, 1);
    }
    if (waited) {
        atomic_fetch_add(&all->granted, 1);
        proa_bell_ring(&all->bell);
    }
}

/* ---- lock and unlock ---- */

static int lock_check(struct proa_win *win, int target)
{
    if (win->epoch_all & PROA_EPOCH_LOCK)
        return proa_fail(PROA_ERR_RMA_SYNC, "the window is in a lock_all epoch of this process already");
    if (target >= 0 && win->targets[target].epoch & PROA_EPOCH_LOCK)
        return proa_fail(PROA_ERR_RMA_SYNC, "target rank %d is locked by this process already", target);
    if (win->started)
        return proa_fail(PROA_ERR_RMA_SYNC, "an access epoch is open: MPI_Win_complete first");
    if (win->exposed && (target < 0 || target == win->rank))
        return proa_fail(PROA_ERR_RMA_SYNC, "the window of this process is exposed: MPI_Win_wait first");
    return proa_fence_epoch_end(win, target < 0 ? "MPI_Win_lock_all" : "MPI_Win_lock");
}

/* Under the mutex; flushes of other threads read the number without it. */
static void locked_add(struct proa_win *win, int change)
{
    __atomic_store_n(&win->locked, win->locked + change, __ATOMIC_RELAXED);
}

/* The mutex is not held while we wait for the lock: other threads of this process may have to unlock other targets first. */
int proa_win_lock(struct proa_win *win, int rank, int exclusive, int mode)
{
    struct proa_target *target = &win->targets[rank];
    uint8_t epoch = PROA_EPOCH_LOCK | (exclusive ? PROA_EPOCH_EXCLUSIVE : 0) | (mode & PROA_MODE_NOCHECK ? PROA_EPOCH_NOCHECK : 0);
    int error;

    proa_win_enter(win);
    error = lock_check(win, rank);
    if (!error)
        locked_add(win, 1);
    proa_win_leave(win);
    if (error)
        return error;
    held_add(win, 1);
    if (!(epoch & PROA_EPOCH_NOCHECK)) {
        if (exclusive)
            lock_exclusive(win, target->ctl);
        else if (holds_others())
            proa_rwlock_read_ahead(&target->ctl->lock, &target->ctl->lock_bell);
        else
            proa_rwlock_read(&target->ctl->lock, &target->ctl->lock_bell);
    }
    __atomic_store_n(&target->epoch, epoch, __ATOMIC_RELAXED);
    return PROA_OK;
}

static void visible(struct proa_win *win)
{
    if (!(__atomic_load_n(&win->touched, __ATOMIC_RELAXED) & PROA_TOUCH_STORED))
        return;
    proa_membar_full();
    if (!win->threads) /* another thread may just have touched it again */
        win->touched = 0;
}

int proa_win_unlock(struct proa_win *win, int rank)
{
    struct proa_target *target = &win->targets[rank];
    uint8_t epoch = __atomic_load_n(&target->epoch, __ATOMIC_RELAXED);

    if (!(epoch & PROA_EPOCH_LOCK))
        return proa_fail(PROA_ERR_RMA_SYNC, "target rank %d is not locked by this process", rank);
    __atomic_store_n(&target->epoch, 0, __ATOMIC_RELAXED);
    if (epoch & PROA_EPOCH_NOCHECK)
        visible(win);
    else if (epoch & PROA_EPOCH_EXCLUSIVE)
        proa_rwlock_write_unlock(&target->ctl->lock, &target->ctl->lock_bell);
    else
        proa_rwlock_read_unlock(&target->ctl->lock, &target->ctl->lock_bell);
    held_add(win, -1);
    proa_win_enter(win);
    locked_add(win, -1);
    if (win->locked == 0 && !win->threads)
        win->touched = 0;
    proa_win_leave(win);
    return PROA_OK;
}

int proa_win_lock_all(struct proa_win *win, int mode)
{
    int error = lock_check(win, -1);

    if (!error && win->locked)
        error = proa_fail(PROA_ERR_RMA_SYNC, "%d target(s) are locked by this process already", win->locked);
    if (error)
        return error;
    held_add(win, 1);
    if (!(mode & PROA_MODE_NOCHECK))
        lock_shared_by_all(win);
    win->epoch_all = PROA_EPOCH_LOCK | (mode & PROA_MODE_NOCHECK ? PROA_EPOCH_NOCHECK : 0);
    return PROA_OK;
}

int proa_win_unlock_all(struct proa_win *win)
{
    uint8_t epoch = win->epoch_all;

    if (!(epoch & PROA_EPOCH_LOCK))
        return proa_fail(PROA_ERR_RMA_SYNC, "the window is not in a lock_all epoch of this process");
    win->epoch_all = 0;
    held_add(win, -1);
    if (epoch & PROA_EPOCH_NOCHECK)
        visible(win);
    else
        all_leave(all_of(win));
    win->touched = 0;
    return PROA_OK;
}

/* ---- flush and sync ---- */

static int flush_check(const struct proa_win *win, int target)
{
    if (win->epoch_all & PROA_EPOCH_LOCK)
        return PROA_OK;
    if (target < 0)
        return __atomic_load_n(&win->locked, __ATOMIC_RELAXED) ? PROA_OK : proa_fail(PROA_ERR_RMA_SYNC, "no target is locked by this process");
    if (__atomic_load_n(&win->targets[target].epoch, __ATOMIC_RELAXED) & PROA_EPOCH_LOCK)
        return PROA_OK;
    return proa_fail(PROA_ERR_RMA_SYNC, "target rank %d is not locked by this process", target);
}

int proa_win_flush(struct proa_win *win, int target)
{
    int error = flush_check(win, target);

    if (!error)
        visible(win);
    return error;
}

int proa_win_flush_local(struct proa_win *win, int target)
{
    return flush_check(win, target);
}

void proa_win_sync(struct proa_win *win)
{
    (void)win;
    proa_membar_full();
}
