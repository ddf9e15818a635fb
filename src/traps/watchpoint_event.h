/* SPDX-License-Identifier: BSD-3-Clause */
/* The perf event of a watchpoint: as check mode has it (watchpoint.h), and as `proa doctor` tries
 * whether the system allows one. */
#ifndef PROA_TRAPS_WATCHPOINT_EVENT_H
#define PROA_TRAPS_WATCHPOINT_EVENT_H

#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Opens a disabled event of stores to the 8 bytes at `at`, a multiple of 8, for this thread and
 * those that it makes. data: the word in its signals. Returns a file descriptor, and in *attr the
 * event; or -1, errno set by perf_event_open(2). */
static inline int proa_watchpoint_event_open(struct perf_event_attr *attr, const void *at,
                                             uint64_t data)
{
    *attr = (struct perf_event_attr){
        .type = PERF_TYPE_BREAKPOINT,
        .size = sizeof *attr,
        .bp_type = HW_BREAKPOINT_W,
        .bp_addr = (uintptr_t)at,
        .bp_len = HW_BREAKPOINT_LEN_8,
        .sample_period = 1,
        .disabled = 1,
        .exclude_kernel = 1,
        .exclude_hv = 1,
        .inherit = 1,
        .inherit_thread = 1,
        .remove_on_exec = 1,
        .sigtrap = 1,
        .sig_data = data,
    };
    return (int)syscall(SYS_perf_event_open, attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

#endif
