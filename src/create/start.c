/* SPDX-License-Identifier: BSD-3-Clause */
/* See start.h. */
#include "create/start.h"
#include "base/fail.h"
#include "base/membar.h"
#include "adopt/adopt.h"
#include "shm/arena.h"
#include "shm/available.h"
#include "shm/fd_server.h"
#include "shm/peer.h"
#include "shm/process.h"
#include "shm/segment.h"
#include "type/basic.h"

/* Registering for membarrier(2) waits for a grace period of the kernel, 14 ms, if the process
 * already has threads. Once that is done, registering again costs nothing. */
void proa_core_load(void)
{
    proa_file_make_room();
    proa_adopt_load();
    proa_membar_start();
}

void proa_core_prepare(void)
{
    (void)proa_machine();          /* the result is remembered */
    proa_kernels_choose();         /* for the features of the processor */
    (void)proa_memory_is_strict(); /* the result is remembered for a second */
}

int proa_core_start(void)
{
    struct proa_proc_ctl *ctl = proa_arena_start();

    if (!ctl)
        return PROA_ERR_NO_MEM;
    proa_adopt_load();
    proa_core_prepare();
    if (proa_peers_start(ctl) == PROA_OK)
        return PROA_OK;
    proa_arena_stop();
    return proa_fail(PROA_ERR_NO_MEM, "out of memory at the start of Proa");
}

void proa_core_stop(void)
{
    proa_fd_server_close();
    proa_peers_stop();
    proa_adopt_stop();
    proa_arena_stop();
}
