/* SPDX-License-Identifier: BSD-3-Clause */
/* The lock of check mode: one thread at a time works on accesses and clocks. */
#ifndef PROA_ORDER_INSIDE_H
#define PROA_ORDER_INSIDE_H

/* threads: several may call at once, as is assumed before. If not, a flag is enough. */
void proa_inside_begin(int threads);

/* Does one thread call at a time? */
int proa_inside_is_single(void);

/* Excludes other threads. try: for handlers of signals; 0: another thread, or the code that the
 * signal has interrupted, is inside. */
void proa_inside_enter(void);
int proa_inside_try(void);
void proa_inside_leave(void);

#endif
