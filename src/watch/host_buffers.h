/* SPDX-License-Identifier: BSD-3-Clause */
/* The buffers of the host's messages and collectives, compared with those of pending operations
 * (check/reuse.h), and with operations of other processes where they are memory of a window
 * (check/own.h). Collectives with an array of counts are left out. */
#ifndef PROA_WATCH_HOST_BUFFERS_H
#define PROA_WATCH_HOST_BUFFERS_H

#include "watch/host_waits.h"

#include <stdint.h>

/* How many buffers a function has, by its name, and the number of the first. */
struct proa_host_buffers {
    int8_t first, count;
};
struct proa_host_buffers proa_host_buffers_of(const char *name);

/* A call begins. is_begun_only: the host uses its buffers after it. */
void proa_host_buffers_begin(const struct proa_host_call *call, struct proa_host_buffers buffers,
                             int is_begun_only);

/* A call is over that has used its buffers. */
void proa_host_buffers_end(const struct proa_host_call *call, struct proa_host_buffers buffers);

#endif
