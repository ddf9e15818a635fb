/* SPDX-License-Identifier: BSD-3-Clause */
/* See cma.h. */
#include "shm/cma.h"
#include "base/atomic.h"
#include "base/fail.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/prctl.h>

/* One call moves at most a little less than 2 GiB (MAX_RW_COUNT). A larger run takes several
 * calls. */
static const uint64_t most_bytes = 1ull << 30;

static int cma_error(const struct proa_peer *peer, uint64_t address, const char *what)
{
    int error = errno;

    if (error == EFAULT)
        return proa_fail(
            PROA_ERR_RMA_RANGE, "the target's memory at %#llx (process %d) is not mapped there%s",
            (unsigned long long)address, peer->pid, what[0] == 'w' ? " for writing" : "");
    return proa_fail(PROA_ERR_OTHER, "cannot %s the memory of process %d: %s", what, peer->pid,
                     strerror(error));
}

typedef ssize_t cma_call(pid_t pid, const struct iovec *local, unsigned long local_count,
                         const struct iovec *remote, unsigned long remote_count,
                         unsigned long flags);

static int cma_move(cma_call *call, const char *what, const struct proa_peer *peer,
                    uint64_t address, void *here, uint64_t bytes)
{
    while (bytes > 0) {
        struct iovec local = {here, bytes}, remote = {(void *)(uintptr_t)address, bytes};
        ssize_t moved = call(peer->pid, &local, 1, &remote, 1, 0);

        if (moved <= 0) {
            if (moved < 0 && errno == EINTR)
                continue;
            return cma_error(peer, address, what);
        }
        here = (char *)here + moved;
        address += (uint64_t)moved;
        bytes -= (uint64_t)moved;
    }
    return PROA_OK;
}

int proa_cma_read(const struct proa_peer *peer, uint64_t address, void *here, uint64_t bytes)
{
    return cma_move(process_vm_readv, "read", peer, address, here, bytes);
}

int proa_cma_write(const struct proa_peer *peer, uint64_t address, const void *here, uint64_t bytes)
{
    return cma_move(process_vm_writev, "write", peer, address, (void *)(uintptr_t)here, bytes);
}

/* ---- batches ---- */

void proa_cma_begin(struct proa_cma_batch *batch, const struct proa_peer *peer, int write)
{
    batch->peer = peer;
    batch->write = write;
    batch->runs = 0;
    batch->bytes = 0;
}

/* One system call moves all runs. If it stops early, all runs are moved again one by one, as only
 * single calls show the reason. */
int proa_cma_end(struct proa_cma_batch *batch)
{
    cma_call *call = batch->write ? process_vm_writev : process_vm_readv;
    int error = PROA_OK;

    if (batch->runs && call(batch->peer->pid, batch->here, batch->runs, batch->there, batch->runs,
                            0) != (ssize_t)batch->bytes)
        for (unsigned i = 0; i < batch->runs && !error; i++)
            error = cma_move(call, batch->write ? "write" : "read", batch->peer,
                             (uint64_t)(uintptr_t)batch->there[i].iov_base, batch->here[i].iov_base,
                             batch->here[i].iov_len);
    proa_cma_begin(batch, batch->peer, batch->write);
    return error;
}

int proa_cma_add(struct proa_cma_batch *batch, void *here, uint64_t there, uint64_t bytes)
{
    int error = PROA_OK;

    if (batch->runs == PROA_CMA_RUNS || batch->bytes + bytes > most_bytes)
        error = proa_cma_end(batch);
    batch->here[batch->runs] = (struct iovec){here, bytes};
    batch->there[batch->runs] = (struct iovec){(void *)(uintptr_t)there, bytes};
    batch->runs++;
    batch->bytes += bytes;
    return error;
}

/* Yama, a security module, otherwise restricts access to ancestors. Without Yama the call fails and
 * is not needed. */
static void allow(void)
{
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
}

void proa_cma_allow(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, allow);
}

static int refused;

int proa_cma_is_refused(void)
{
    return proa_atomic_load(&refused, PROA_RELAXED);
}

int proa_cma_works(struct proa_peer *peer)
{
    int works = peer == proa_self ? 1 : proa_atomic_load(&peer->cma, PROA_RELAXED);
    const uint64_t there = peer->ctl->segments[0].address;
    uint64_t magic = 0;

    if (works == 0) { /* concurrent threads may both check and get the same result */
        works = proa_cma_read(peer, there, &magic, sizeof magic) == PROA_OK &&
                        magic == PROA_CTL_MAGIC &&
                        proa_cma_write(peer, there, &magic, sizeof magic) == PROA_OK
                    ? 1
                    : -1;
        proa_atomic_store(&peer->cma, works, PROA_RELAXED);
        if (works < 0)
            proa_atomic_store(&refused, 1, PROA_RELAXED);
    }
    return works > 0;
}
