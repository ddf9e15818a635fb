/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernels for processors that have AVX2; compiled with it (CMakeLists.txt), used where it is
 * there (kernel.c). */
#if defined(__x86_64__)
#define PROA_KERNEL_TABLE proa_kernels_avx2
#include "type/kernel_loops.h"
#endif
