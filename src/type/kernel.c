/* SPDX-License-Identifier: BSD-3-Clause */
/* See basic.h: selects the kernels, and describes types and operations. */
#define PROA_KERNEL_TABLE proa_kernels_any
#include "type/kernel_loops.h"

proa_kernel *const (*proa_kernels)[PROA_OP_COUNT] = proa_kernels_any;

void proa_kernels_choose(void)
{
#if defined(__x86_64__)
    /* VBMI: the first processors that have it are also the first that keep their clock rate with
     * wide vectors */
    if (__builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        proa_kernels = proa_kernels_avx512;
    else if (__builtin_cpu_supports("avx2"))
        proa_kernels = proa_kernels_avx2;
#endif
}

const char *proa_operation_name(enum proa_operation operation)
{
#define OPERATION_NAME(name, mpi) #mpi,
    static const char *const names[] = {PROA_OPERATIONS(OPERATION_NAME)};

    return names[operation];
}

const char *proa_basic_name(enum proa_basic basic)
{
#define BASIC_NAME(name, ctype, class) #name,
    static const char *const names[] = {PROA_BASICS(BASIC_NAME) "mixed"};

    return names[basic];
}

size_t proa_basic_bytes(enum proa_basic basic)
{
#define BASIC_BYTES(name, ctype, class) sizeof(ctype),
    static const uint8_t bytes[] = {PROA_BASICS(BASIC_BYTES) 0};

    return bytes[basic];
}

int proa_basic_pair(enum proa_basic basic, size_t *value, size_t *index, size_t *index_at)
{
#define PAIR_SHAPE(name, ctype, class)      \
    case PROA_##name:                       \
        *value = sizeof((ctype *)0)->value; \
        *index = sizeof((ctype *)0)->index; \
        *index_at = offsetof(ctype, index); \
        return 1;
    switch ((int)basic) {
        PROA_PAIRS(PAIR_SHAPE)
    default:
        return 0;
    }
}
