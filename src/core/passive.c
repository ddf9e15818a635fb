/*
 * Passive target synchronization: lock, unlock, lock_all, unlock_all, flush, sync (MPI-4.1, 13.5.3 and 13.5.4).
 *
 * A lock on one target is that target's reader-writer lock (core/rwlock.h): one atomic when free. A lock_all does not take n locks: it
 * counts itself in one word of the window, then looks whether any target has a writer. An exclusive lock takes its target, then looks at
 * that word. Both announce before they look, sequentially consistent, so they cannot miss each other (Dekker). A lock_all that finds a
 * writer takes its count back and waits for that writer holding nothing, so it cannot deadlock with a process that locks several targets.
 *
 * Fairness: those who find a lock taken wait in its queue, first come first served. A lock_all cannot, nor can a shared lock of a process
 * that holds others already: two readers that cross, each with a writer waiting behind it, would wait for ever. These wait outside of the
 * queue, for the writers that are there, and are counted in `asked` and `granted`; a writer that comes later waits until they have had
 * their turn. Nobody who holds a lock that somebody waits for (is_pressed) waits for one who only waits: it goes ahead of such writers, and
 * gives way to nobody outside. So in a circle of processes that wait for each other each one waits for a lock that another holds, and then
 * the program itself is wrong. Whoever does not stand in anybody's way overtakes nobody, whatever else it holds.
 */
#include "base/fail.h"
#include "base/system.h"
#include "core/ask.h"
#include "core/held.h"
#include "core/settle.h"
#include "core/strict.h"
#include "core/sync.h"

/* ---- who may go ahead ---- */

/* A wait that looks, as it goes on, whether meanwhile somebody waits for what we hold. */
struct patience {
    long begin_ns; /* 0: it has not begun */
};

/* Another thread of ours may hold a lock and come to its end only after this one: then that one's counts as well, but only after so long a
 * wait, as threads that do not depend on each other should not overtake strangers for each other's sake. */
enum { THREADS_DEPEND_NS = 1000000000 };

static int is_pressed(struct patience *patience)
{
    if (proa_held_wanted(PROA_HOLDER_THREAD))
        return 1;
    if (patience->begin_ns == 0)
        patience->begin_ns = proa_system->now_ns();
    return proa_system->now_ns() - patience->begin_ns > THREADS_DEPEND_NS && proa_held_wanted(PROA_HOLDER_PROCESS);
}

/* ---- exclusive locks and lock_all ---- */

static struct proa_all_ctl *all_of(const struct proa_win *win)
{
    return &win->leader->all;
}

struct asked {
    const struct proa_all_ctl *all;
    uint32_t count;
    struct patience patience;
};

static int need_not_give_way(void *arg)
{
    struct asked *asked = arg;

    return proa_ask_are_granted(asked->all, asked->count) || is_pressed(&asked->patience);
}

static int no_lock_all(void *arg)
{
    return proa_ask_all_none(arg);
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
    struct asked asked = {all, proa_ask_asked(all), {0}};

    if (__builtin_expect(!proa_ask_are_granted(all, asked.count), 0))
        proa_wait(need_not_give_way, &asked, &all->bell);
    if (proa_rwlock_write_try(&ctl->lock)) {
        if (no_lock_all(all))
            return;
        proa_rwlock_write_unlock(&ctl->lock, &ctl->lock_bell);
    }
    lock_exclusive_queued(all, ctl);
}

/* ---- outside of the queue ---- */

/* One who waits outside, for the writers of one target. */
struct outsider {
    struct proa_win_ctl *ctl;
    struct patience patience;
    int ahead; /* found, while waiting, that it may go ahead of writers that only wait */
};

static int is_in_the_way(const struct proa_win_ctl *ctl, int ahead)
{
    return proa_rwlock_has_writer(&ctl->lock, !ahead);
}

static int way_is_clear(void *arg)
{
    struct outsider *o = arg;

    if (!is_in_the_way(o->ctl, 0))
        return 1;
    o->ahead = o->ahead || is_pressed(&o->patience);
    return o->ahead && !is_in_the_way(o->ctl, 1);
}

static void wait_outside(struct outsider *o)
{
    if (way_is_clear(o))
        return;
    proa_rwlock_outside(&o->ctl->lock, 1);
    proa_wait(way_is_clear, o, &o->ctl->lock_bell);
    proa_rwlock_outside(&o->ctl->lock, -1);
}

/* ---- lock_all ---- */

static struct proa_win_ctl *find_writer(const struct proa_win *win, int ahead)
{
    for (int i = 0; i < win->size; i++)
        if (is_in_the_way(win->targets[i].ctl, ahead))
            return win->targets[i].ctl;
    return NULL;
}

static void lock_shared_by_all(struct proa_win *win)
{
    struct proa_all_ctl *all = all_of(win);
    struct outsider outsider = {0};
    int waited = 0;

    proa_ask_all_enter(all);
    while ((outsider.ctl = find_writer(win, outsider.ahead))) {
        proa_ask_all_leave(all);
        if (!waited++)
            proa_ask_outside(all);
        wait_outside(&outsider);
        proa_ask_all_enter(all);
    }
    if (waited)
        proa_ask_granted(all);
}

/* ---- shared locks ---- */

static void lock_shared_outside(struct proa_all_ctl *all, struct proa_win_ctl *ctl)
{
    struct outsider outsider = {.ctl = ctl};

    proa_ask_outside(all);
    do
        wait_outside(&outsider);
    while (!outsider.ahead && !proa_rwlock_read_try(&ctl->lock, &ctl->lock_bell));
    if (outsider.ahead)
        proa_rwlock_read_ahead(&ctl->lock, &ctl->lock_bell);
    proa_ask_granted(all);
}

static void lock_shared(struct proa_win *win, struct proa_win_ctl *ctl)
{
    if (proa_rwlock_read_try(&ctl->lock, &ctl->lock_bell))
        return;
    if (proa_held_any())
        lock_shared_outside(all_of(win), ctl);
    else
        proa_rwlock_read_queued(&ctl->lock, &ctl->lock_bell);
}

/* ---- lock and unlock ---- */

static int lock_check(struct proa_win *win, int target)
{
    enum proa_call call = target < 0 ? PROA_CALL_Win_lock_all : PROA_CALL_Win_lock;
    int error = PROA_OK;

    if (win->epoch_all & PROA_EPOCH_LOCK)
        return proa_fail(PROA_ERR_RMA_SYNC, "the window is in a lock_all epoch of this process already");
    if (target >= 0 && win->targets[target].epoch & PROA_EPOCH_LOCK)
        return proa_fail(PROA_ERR_RMA_SYNC, "target rank %d is locked by this process already", target);
    if (win->started)
        return proa_fail(PROA_ERR_RMA_SYNC, "an access epoch is open: MPI_Win_complete first");
    if (win->exposed && (target < 0 || target == win->rank))
        error = proa_lax(win, PROA_LAX_EXPOSED, PROA_ERR_RMA_SYNC, call, "the window of this process is exposed: MPI_Win_wait first");
    return error ? error : proa_fence_epoch_end(win, call);
}

/* Before the epoch says that the lock is held (core/held.h). */
static void taken_by(const struct proa_win *win, pthread_t *taker)
{
    if (win->threads)
        __atomic_store_n(taker, pthread_self(), __ATOMIC_RELAXED);
}

/* The mutex is not held while we wait for the lock: other threads of this process may have to unlock other targets first. */
int proa_win_lock(struct proa_win *win, int rank, int exclusive, int mode)
{
    struct proa_target *target = &win->targets[rank];
    uint8_t epoch;
    int error;

    proa_win_enter(win);
    error = lock_check(win, rank);
    epoch = proa_epoch_of_lock(win, rank, exclusive, mode & PROA_MODE_NOCHECK);
    if (!error)
        proa_epoch_before_lock(win);
    proa_win_leave(win);
    if (error)
        return error;
    if (!(mode & PROA_MODE_NOCHECK)) {
        if (exclusive)
            lock_exclusive(win, target->ctl);
        else
            lock_shared(win, target->ctl);
    }
    taken_by(win, &target->taker);
    proa_epoch_open_lock(target, epoch);
    return PROA_OK;
}

/* What is given back is told; what was not taken is not. */
static enum proa_settled settled_by(uint8_t epoch)
{
    return epoch & PROA_EPOCH_NOCHECK ? PROA_SETTLED_VISIBLE : PROA_SETTLED_TOLD;
}

static void give_back(struct proa_win_ctl *ctl, int exclusive)
{
    if (exclusive)
        proa_rwlock_write_unlock(&ctl->lock, &ctl->lock_bell);
    else
        proa_rwlock_read_unlock(&ctl->lock, &ctl->lock_bell);
}

int proa_win_unlock(struct proa_win *win, int rank)
{
    struct proa_target *target = &win->targets[rank];
    uint8_t epoch = proa_epoch_one(target);
    int error;

    if (!(epoch & PROA_EPOCH_LOCK))
        return proa_fail(PROA_ERR_RMA_SYNC, "target rank %d is not locked by this process", rank);
    error = proa_settle(win, rank, settled_by(epoch));
    if (error)
        return error;
    proa_epoch_close_lock(target);
    if (!(epoch & PROA_EPOCH_NOCHECK))
        give_back(target->ctl, epoch & (PROA_EPOCH_EXCLUSIVE | PROA_EPOCH_WRITER));
    proa_win_enter(win);
    proa_epoch_after_lock(win);
    proa_win_leave(win);
    proa_polled(&win->polls);
    return PROA_OK;
}

int proa_win_lock_all(struct proa_win *win, int mode)
{
    int error = lock_check(win, -1);

    if (!error && win->locked)
        error = proa_fail(PROA_ERR_RMA_SYNC, "%d target(s) are locked by this process already", win->locked);
    if (error)
        return error;
    if (!(mode & PROA_MODE_NOCHECK))
        lock_shared_by_all(win);
    taken_by(win, &win->taker);
    proa_epoch_open_lock_all(win, mode & PROA_MODE_NOCHECK);
    return PROA_OK;
}

int proa_win_unlock_all(struct proa_win *win)
{
    uint8_t epoch = win->epoch_all;
    int error;

    if (!(epoch & PROA_EPOCH_LOCK))
        return proa_fail(PROA_ERR_RMA_SYNC, "the window is not in a lock_all epoch of this process");
    error = proa_settle(win, -1, settled_by(epoch));
    if (error)
        return error;
    proa_epoch_close_lock_all(win);
    if (!(epoch & PROA_EPOCH_NOCHECK))
        proa_ask_all_leave(all_of(win));
    proa_touch_nothing(win);
    proa_polled(&win->polls);
    return PROA_OK;
}

/* ---- flush and sync ---- */

static int flush_check(const struct proa_win *win, int target)
{
    if (win->epoch_all & PROA_EPOCH_LOCK)
        return PROA_OK;
    if (target < 0)
        return proa_epoch_locks(win) ? PROA_OK : proa_fail(PROA_ERR_RMA_SYNC, "no target is locked by this process");
    if (proa_epoch_one(&win->targets[target]) & PROA_EPOCH_LOCK)
        return PROA_OK;
    return proa_fail(PROA_ERR_RMA_SYNC, "target rank %d is not locked by this process", target);
}

int proa_win_flush(struct proa_win *win, int target)
{
    int error = flush_check(win, target);

    if (!error)
        error = proa_settle(win, target, PROA_SETTLED_VISIBLE);
    if (!error)
        proa_polled(&win->polls);
    return error;
}

int proa_win_flush_local(struct proa_win *win, int target)
{
    int error = flush_check(win, target);

    if (!error)
        error = proa_settle(win, target, PROA_SETTLED_LOCAL);
    if (!error)
        proa_polled(&win->polls);
    return error;
}

void proa_win_sync(struct proa_win *win)
{
    proa_membar_full();
    proa_polled(&win->polls);
}
