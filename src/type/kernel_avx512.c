/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernels for processors that have AVX-512 and do not slow down for it; compiled with it
 * (CMakeLists.txt), used where it is there (kernel.c). */
#if defined(__x86_64__)
#define PROA_KERNEL_TABLE proa_kernels_avx512
#include "type/kernel_loops.h"
#endif
