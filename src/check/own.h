/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Buffers of operations that are memory of this process's own windows: operations of other
 * processes come there, too. So each is an access to that memory until it is locally complete. And
 * accesses to that memory that are no operations: loads and stores of the program's
 * (check/local.h), and those of the host's calls. Each is compared with this process's operations
 * there that are not complete, and handed over to be compared with those of other processes.
 *
 * Of windows and regions of dynamic ones the first PROA_OWN_MOST are known. All of this is for
 * callers inside (order/inside.h), and needs clocks.
 */
#ifndef PROA_CHECK_OWN_H
#define PROA_CHECK_OWN_H

#include "base/hidden.h"
#include "order/accesses.h"
#include "window/win.h"

#include <mpi.h>
#include <stdint.h>

struct proa_ordering;

enum { PROA_OWN_MOST = 256 };

/* Begins, for targets that are so many processes: PROA_OK, or PROA_ERR_NO_MEM; and ends. */
int proa_own_begin(int processes);
void proa_own_end(void);

/* The memory of a window, or a region of a dynamic one. */
struct proa_own_range {
    uint64_t low, high, number;
    int is_region;
    const struct proa_win *win;
    struct proa_ordering *ordering;
};

/* A window is there, by that number of all processes; or it is no longer. */
void proa_own_open(const struct proa_win *win, struct proa_ordering *ordering, uint64_t number);
void proa_own_close(uint64_t number);

/* Memory is attached, or detached. */
void proa_own_attach(const struct proa_win *win, struct proa_ordering *ordering, uint64_t number,
                     const void *base, uint64_t bytes);
void proa_own_detach(uint64_t number, const void *base);

/* All that memory lies between these addresses. */
struct proa_own_span {
    uint64_t low, high;
};
extern PROA_HIDDEN struct proa_own_span proa_own_span;

/* May a buffer be such memory? Most are on a stack. */
static inline int proa_own_may_be(uint64_t low, uint64_t high)
{
    return low < proa_own_span.high && high > proa_own_span.low;
}

/* A window with some of the bytes [*low, *high), which become those that it has. NULL: there is
 * none. */
const struct proa_own_range *proa_own_range(uint64_t *low, uint64_t *high);

/* Keeps the bytes [low, low + bytes) of a buffer, as far as they are a window's, of an operation on
 * that process; access: the operation's; stores: its result comes there. */
void proa_own_keep(int process, const struct proa_access *access, uint64_t low, uint64_t bytes,
                   int stores);

/* How many are kept. */
uint32_t proa_own_alive(void);

/* Drops those of operations on that process of which `goes` says so. */
void proa_own_drop(int process, proa_access_goes *goes, void *arg);

/* A load or a store is over; access: its bytes, its place, and what it is. While other processes
 * share memory with this one it is compared with own operations alone. Inside (order/inside.h). */
void proa_own_touch(const struct proa_win *win, struct proa_ordering *ordering,
                    const struct proa_access *access);

/* Is there a window with memory that calls of the host's may touch? Safe anywhere: it may be late.
 */
int proa_own_touchable(void);

/* A call of the host's loads from this buffer, or stores to it, as far as that is memory of a
 * window. It counts as over: stores of a call that waits come after it. call: constant. Not inside.
 */
void proa_own_touch_call(const char *call, const void *caller, const void *memory, int64_t count,
                         MPI_Datatype datatype, int stores);

#endif
