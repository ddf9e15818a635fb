/* SPDX-License-Identifier: BSD-3-Clause */
/* Stands before src/base/atomic.h on the include path of the explorer: the same operations, each of
 * which calls the explorer with its place (explore.h). */
#ifndef PROA_BASE_ATOMIC_H
#define PROA_BASE_ATOMIC_H

#include "explore.h"

enum {
    PROA_RELAXED = __ATOMIC_RELAXED,
    PROA_ACQUIRE = __ATOMIC_ACQUIRE,
    PROA_RELEASE = __ATOMIC_RELEASE,
    PROA_ACQ_REL = __ATOMIC_ACQ_REL,
    PROA_SEQ_CST = __ATOMIC_SEQ_CST
};

#define EXPLORE_AS(word, value) ((__typeof__(*(word)))(value))
#define EXPLORE_RMW(name, word, change, value, order)                                       \
    EXPLORE_AS(word, explore_change(EXPLORE_PLACE(name, word, order), word, sizeof *(word), \
                                    change, (uint64_t)EXPLORE_AS(word, value)))

#define proa_atomic_load(word, order) \
    EXPLORE_AS(word, explore_load(EXPLORE_PLACE("load", word, order), word, sizeof *(word)))
#define proa_atomic_store(word, value, order)                                \
    explore_store(EXPLORE_PLACE("store", word, order), word, sizeof *(word), \
                  (uint64_t)EXPLORE_AS(word, value))
#define proa_atomic_exchange(word, value, order) \
    EXPLORE_RMW("exchange", word, EXPLORE_EXCHANGE, value, order)
#define proa_atomic_fetch_add(word, value, order) \
    EXPLORE_RMW("fetch_add", word, EXPLORE_ADD, value, order)
#define proa_atomic_fetch_sub(word, value, order) \
    EXPLORE_RMW("fetch_sub", word, EXPLORE_SUB, value, order)
#define proa_atomic_sub_fetch(word, value, order) \
    EXPLORE_AS(word, EXPLORE_RMW("sub_fetch", word, EXPLORE_SUB, value, order) - (value))
#define proa_atomic_fetch_or(word, value, order) \
    EXPLORE_RMW("fetch_or", word, EXPLORE_OR, value, order)
#define proa_atomic_fetch_and(word, value, order) \
    EXPLORE_RMW("fetch_and", word, EXPLORE_AND, value, order)
#define proa_atomic_compare_exchange(word, expected, value, order, failed)                  \
    explore_compare_exchange(EXPLORE_PLACE("compare_exchange", word, order),                \
                             EXPLORE_PLACE("compare_exchange, failed", word, failed), word, \
                             expected, sizeof *(word), (uint64_t)EXPLORE_AS(word, value))

#define proa_atomic_fence(order) explore_fence(EXPLORE_PLACE("fence", , order))
#define proa_atomic_compiler_fence() ((void)0)

#endif
