/* SPDX-License-Identifier: BSD-3-Clause */
/* Compares the buffers of the host's messages and collectives with those of pending operations
 * (check/reuse.h). Buffers in window memory are compared with operations of other processes as well
 * (check/own.h). Collectives with an array of counts are left out. */
#ifndef PROA_WATCH_HOST_BUFFERS_H
#define PROA_WATCH_HOST_BUFFERS_H

#include "watch/host_waits.h"

#include <stdint.h>

/* The number of buffers of a function, and the index of the first. */
struct proa_host_buffers {
    int8_t first, count;
};
struct proa_host_buffers proa_host_buffers_of(const char *name);

/* A call starts. is_begun_only: true if the host uses its buffers after the call. */
void proa_host_buffers_begin(const struct proa_host_call *call, struct proa_host_buffers buffers,
                             int is_begun_only);

/* A call that used its buffers returned. */
void proa_host_buffers_end(const struct proa_host_call *call, struct proa_host_buffers buffers);

#endif
