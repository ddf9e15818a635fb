/* SPDX-License-Identifier: BSD-3-Clause */
/* The buffers of the host's messages and collectives, compared with those of pending operations
 * (check/reuse.h). Collectives with an array of counts are left out. */
#ifndef PROA_WATCH_HOST_BUFFERS_H
#define PROA_WATCH_HOST_BUFFERS_H

#include "watch/host_waits.h"

void proa_host_buffers_compare(const struct proa_host_call *call);

#endif
