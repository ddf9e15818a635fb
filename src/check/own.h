/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Accesses of this process to its own windows, other than operations on them. A buffer of an
 * operation may be window memory that operations of other processes access as well. Each such
 * buffer is an access to that memory until it is locally complete. Others are the program's loads
 * and stores (check/local.h), and those of the host's calls. Each access is compared with this
 * process's pending operations there, and handed over for comparison with those of other processes.
 *
 * At most PROA_OWN_MOST windows and regions of dynamic windows are registered; later ones are
 * ignored. The caller is inside (order/inside.h). Clocks are required.
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

/* Start and end. processes: number of targets. Returns PROA_OK or PROA_ERR_NO_MEM. */
int proa_own_begin(int processes);
void proa_own_end(void);

/* The memory of a window, or a region of a dynamic one. */
struct proa_own_range {
    uint64_t low, high, number;
    int is_region;
    const struct proa_win *win;
    struct proa_ordering *ordering;
};

/* Registers a window, or removes it. number: number of the window, equal in all processes. */
void proa_own_open(const struct proa_win *win, struct proa_ordering *ordering, uint64_t number);
void proa_own_close(uint64_t number);

/* Memory was attached, or is detached. */
void proa_own_attach(const struct proa_win *win, struct proa_ordering *ordering, uint64_t number,
                     const void *base, uint64_t bytes);
void proa_own_detach(uint64_t number, const void *base);

/* The address range that spans all of this memory. */
struct proa_own_span {
    uint64_t low, high;
};
extern PROA_HIDDEN struct proa_own_span proa_own_span;

/* Returns true if a buffer may be such memory. Most buffers are on a stack. */
static inline int proa_own_may_be(uint64_t low, uint64_t high)
{
    return low < proa_own_span.high && high > proa_own_span.low;
}

/* Returns a window that contains some of the bytes [*low, *high), and clips the range to it.
 * Returns NULL if there is none. */
const struct proa_own_range *proa_own_range(uint64_t *low, uint64_t *high);

/* Keeps the bytes [low, low + bytes) of an operation's buffer, as far as they are window memory.
 * process: target of the operation. access: access of the operation. stores: true if the result is
 * stored there. */
void proa_own_keep(int process, const struct proa_access *access, uint64_t low, uint64_t bytes,
                   int stores);

/* Returns the number of kept accesses. */
uint32_t proa_own_alive(void);

/* Drops kept accesses of operations on that process for which `goes` returns true. */
void proa_own_drop(int process, proa_access_goes *goes, void *arg);

/* A load or a store was made. access: its bytes, place and kind. While other processes share memory
 * with this one, it is compared with own operations only. Inside (order/inside.h). */
void proa_own_touch(const struct proa_win *win, struct proa_ordering *ordering,
                    const struct proa_access *access);

/* Returns true if there is window memory that calls of the host may touch. Callable from any
 * thread; the result may be stale. */
int proa_own_touchable(void);

/* A call of the host loads from this buffer, or stores to it, as far as it is window memory. The
 * access counts as complete: stores of a call that waits happen after it. call: name of the call,
 * constant. The caller is not inside. */
void proa_own_touch_call(const char *call, const void *caller, const void *memory, int64_t count,
                         MPI_Datatype datatype, int stores);

#endif
