/* SPDX-License-Identifier: BSD-3-Clause */
/* Cross-memory attach: another process's private memory on the same node, read and written by the
 * kernel for us (process_vm_readv(2)). */
#ifndef PROA_SHM_CMA_H
#define PROA_SHM_CMA_H

#include "shm/peer.h"

#include <sys/uio.h>

/* Copies bytes between our memory and address in peer. PROA_OK; PROA_ERR_RMA_RANGE if that memory
 * is gone; PROA_ERR_OTHER if the kernel refuses. Sizes beyond what one system call moves are looped
 * over. */
int proa_cma_read(const struct proa_peer *peer, uint64_t address, void *here, uint64_t bytes);
int proa_cma_write(const struct proa_peer *peer, uint64_t address, const void *here,
                   uint64_t bytes);

/* Many runs in few system calls. peer may be NULL if nothing is added. */
enum { PROA_CMA_RUNS = 256 };
struct proa_cma_batch {
    const struct proa_peer *peer;
    int write;
    unsigned runs;
    uint64_t bytes;
    struct iovec here[PROA_CMA_RUNS], there[PROA_CMA_RUNS];
};
void proa_cma_begin(struct proa_cma_batch *batch, const struct proa_peer *peer, int write);
int proa_cma_add(struct proa_cma_batch *batch, void *here, uint64_t there, uint64_t bytes);
int proa_cma_end(struct proa_cma_batch *batch);

/* From now on neighbours may read and write this process's private memory. So may any process of
 * the same user: it is done for the first window that needs it, before others are told of it. */
void proa_cma_allow(void);

/* Does the kernel let us do it for this peer? Asks once and remembers. */
int proa_cma_works(struct proa_peer *peer);

/* Has the kernel refused it for any peer so far? */
int proa_cma_is_refused(void);

#endif
