/* SPDX-License-Identifier: BSD-3-Clause */
/* See membar.h. */
#include "base/atomic.h"
#include "base/membar.h"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

int proa_membar_light_is_full = 1; /* until proa_membar_start finds membarrier */
int proa_membar_rings_are_full = 1;
static int membarrier_works, rings_wanted;

static void rings_update(void)
{
    proa_atomic_store(&proa_membar_rings_are_full, proa_membar_light_is_full || rings_wanted,
                      PROA_RELAXED);
}

void proa_membar_set_rings(int full)
{
    rings_wanted = full;
    rings_update();
}

int proa_membar_start(void)
{
    membarrier_works =
        syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED, 0, 0) == 0 &&
        syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL_EXPEDITED, 0, 0) == 0;
    proa_membar_light_is_full = !membarrier_works;
    rings_update();
    return membarrier_works;
}

void proa_membar_weaken(void)
{
    proa_membar_light_is_full = 1;
    rings_update();
    proa_membar_heavy();
}

void proa_membar_heavy(void)
{
    if (!membarrier_works || syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL_EXPEDITED, 0, 0) != 0)
        proa_membar_full();
}
