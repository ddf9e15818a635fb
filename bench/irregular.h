/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the words of an irregular type lie, for rma and limit: at distances of 2 to 7 words that no
 * loop has. */
#ifndef BENCH_IRREGULAR_H
#define BENCH_IRREGULAR_H

/* at[i]: words from the first one. */
static inline void irregular_words(int *at, int count)
{
    at[0] = 0;
    for (int i = 1; i < count; i++)
        at[i] = at[i - 1] + 2 + (i * i + i / 3) % 6;
}

#endif
