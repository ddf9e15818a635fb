/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Words that processes or threads share are read and written by these alone, with the order named
 * at each place. The orders and operations are those of C11 (7.17.3, 7.17.7), on plain words,
 * because the standard's _Atomic says nothing about memory that processes share.
 */
#ifndef PROA_BASE_ATOMIC_H
#define PROA_BASE_ATOMIC_H

enum {
    PROA_RELAXED = __ATOMIC_RELAXED,
    PROA_ACQUIRE = __ATOMIC_ACQUIRE,
    PROA_RELEASE = __ATOMIC_RELEASE,
    PROA_ACQ_REL = __ATOMIC_ACQ_REL,
    PROA_SEQ_CST = __ATOMIC_SEQ_CST
};

/* word: the address of an integer of 1 to 8 bytes, or of a pointer. Each returns what was there
 * before, but for sub_fetch, which returns what is there after it. */
#define proa_atomic_load(word, order) __atomic_load_n(word, order)
#define proa_atomic_store(word, value, order) __atomic_store_n(word, value, order)
#define proa_atomic_exchange(word, value, order) __atomic_exchange_n(word, value, order)
#define proa_atomic_fetch_add(word, value, order) __atomic_fetch_add(word, value, order)
#define proa_atomic_fetch_sub(word, value, order) __atomic_fetch_sub(word, value, order)
#define proa_atomic_sub_fetch(word, value, order) __atomic_sub_fetch(word, value, order)
#define proa_atomic_fetch_or(word, value, order) __atomic_fetch_or(word, value, order)
#define proa_atomic_fetch_and(word, value, order) __atomic_fetch_and(word, value, order)

/* Stores value if *expected is there, else puts what is there into *expected. Returns whether it
 * stored. order: of the exchange; failed: of the load where it did not store. Never fails without a
 * reason. */
#define proa_atomic_compare_exchange(word, expected, value, order, failed) \
    __atomic_compare_exchange_n(word, expected, value, 0, order, failed)

/* Orders what this thread does before and after it. proa_membar_full() (base/membar.h) is the
 * cheaper full fence. */
#define proa_atomic_fence(order) __atomic_thread_fence(order)

/* Keeps the compiler from moving loads and stores over it; the processor still may. */
#define proa_atomic_compiler_fence() __atomic_signal_fence(__ATOMIC_SEQ_CST)

#endif
