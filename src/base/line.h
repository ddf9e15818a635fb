/* SPDX-License-Identifier: BSD-3-Clause */
/* Cache lines: words of different writers lie on lines of their own. */
#ifndef PROA_BASE_LINE_H
#define PROA_BASE_LINE_H

/* The largest cache line of the architecture's processors, in bytes, as one binary serves all of
 * them. POWER and Apple's processors have 128. */
#if defined(__powerpc64__) || defined(__aarch64__)
enum { PROA_CACHE_LINE = 128 };
#else
enum { PROA_CACHE_LINE = 64 };
#endif

/* Begins to fetch the cache line of a word that will be stored to. */
static inline void proa_line_prefetch(const void *word)
{
#if defined(__x86_64__) /* without an extra option gcc has a prefetch for loads only */
    __asm__ volatile("prefetchw %0" : : "m"(*(const char *)word));
#else
    __builtin_prefetch(word, 1);
#endif
}

#define PROA_ALIGNED_LINE __attribute__((aligned(PROA_CACHE_LINE)))

#endif
