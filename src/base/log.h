/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines to the user on stderr, each starting with "proa: ". Each line is one write(), so lines of
 * several ranks do not mix. */
#ifndef PROA_BASE_LOG_H
#define PROA_BASE_LOG_H

#include "base/settings.h"

/* Writes a line if PROA_LOG is at least level (PROA_LOG_WARN .. PROA_LOG_DEBUG). fmt without a
 * newline, as for printf. */
void proa_log(int level, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
