/* SPDX-License-Identifier: BSD-3-Clause */
/* Cross-memory attach (CMA): the kernel reads and writes private memory of another process on the
 * node for us (process_vm_readv(2)). */
#ifndef PROA_SHM_CMA_H
#define PROA_SHM_CMA_H

#include "shm/peer.h"

#include <sys/uio.h>

/* Copies bytes between our memory and address in peer, in several system calls if needed. Returns
 * PROA_OK, PROA_ERR_RMA_RANGE if that memory is unmapped, or PROA_ERR_OTHER if the kernel
 * refuses. */
int proa_cma_read(const struct proa_peer *peer, uint64_t address, void *here, uint64_t bytes);
int proa_cma_write(const struct proa_peer *peer, uint64_t address, const void *here,
                   uint64_t bytes);

/* Many runs in few system calls. peer: may be NULL if no run is added. */
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

/* Permits neighbours to read and write this process's private memory. This also permits any process
 * of the same user, so it is called only for the first window that needs it, before the window is
 * announced to others. */
void proa_cma_allow(void);

/* Returns whether the kernel permits CMA for this peer. The result of the first call is cached. */
int proa_cma_works(struct proa_peer *peer);

/* Returns whether the kernel has refused CMA for any peer so far. */
int proa_cma_is_refused(void);

#endif
