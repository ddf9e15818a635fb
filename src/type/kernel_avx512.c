/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernels for processors that have AVX-512 and do not slow down for it. Compiled for AVX-512
 * (CMakeLists.txt), and used if the processor has it (kernel.c). */
#if defined(__x86_64__)
#define PROA_KERNEL_TABLE proa_kernels_avx512
#include "type/kernel_loops.h"
#endif
