/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the owner of the code at an address, by the name of the file that holds it. */
#ifndef PROA_TRANSLATOR_CODE_H
#define PROA_TRANSLATOR_CODE_H

#include "core.h"

/* COMMON: the C library, whose accesses count for its caller. */
enum proa_code { PROA_CODE_PROGRAM, PROA_CODE_MPI, PROA_CODE_COMMON };

enum proa_code proa_code_at(Addr code);

#endif
