/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Requests to Valgrind: a sequence of instructions that has no effect on a processor and that
 * Valgrind recognizes (valgrind.h documents it).
 */
#ifndef PROA_SHM_VALGRIND_H
#define PROA_SHM_VALGRIND_H

#include <stdint.h>

/* Returns the answer to request `what` with three arguments; 0 if no tool knows the request. */
#ifdef __x86_64__
static inline uintptr_t proa_ask(uintptr_t what, uintptr_t first, uintptr_t second, uintptr_t third)
{
    volatile uintptr_t request[6] = {what, first, second, third, 0, 0};
    uintptr_t result = 0;

    __asm__ volatile("rolq $3, %%rdi; rolq $13, %%rdi; rolq $61, %%rdi; rolq $51, %%rdi\n\t"
                     "xchgq %%rbx, %%rbx"
                     : "+d"(result)
                     : "a"(&request[0])
                     : "cc", "memory");
    return result;
}
#else
static inline uintptr_t proa_ask(uintptr_t what, uintptr_t first, uintptr_t second, uintptr_t third)
{
    (void)what, (void)first, (void)second, (void)third;
    return 0;
}
#endif

/* Returns whether this process runs in Valgrind, with any tool. Its threads then run one at a
 * time. */
static inline int proa_is_in_valgrind(void)
{
    return proa_ask(0x1001, 0, 0, 0) != 0;
}

#endif
