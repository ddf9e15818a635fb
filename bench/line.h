/* SPDX-License-Identifier: BSD-3-Clause */
/* A line of TCP between the two processes that measure what a network takes (tcp.c, ofi.c). A
 * launcher starts them; the first calls the second at $BENCH_FAR. Errors end the process. */
#ifndef BENCH_LINE_H
#define BENCH_LINE_H

#include <stddef.h>

/* As the launchers of the hosts tell it. */
int line_own_rank(void);

/* A socket with TCP_NODELAY. */
int line_call_far(void);
int line_await_call(void);

void line_put(int line, const void *bytes, size_t count);

/* flags: MSG_DONTWAIT polls. 0: the other end has ended. */
int line_get(int line, void *bytes, size_t count, int flags);

/* Ends the process with errno in words. */
_Noreturn void line_die(const char *what);

#endif
