/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines to the user on stderr, each starting with "proa: ". Each line is one write(), so lines of
 * several ranks do not mix. */
#ifndef PROA_BASE_LOG_H
#define PROA_BASE_LOG_H

#include "base/settings.h"

#include <stdint.h>

/* Writes a line if PROA_LOG is at least level (PROA_LOG_WARN .. PROA_LOG_DEBUG). fmt: format as for
 * printf, without a newline. */
void proa_log(int level, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The same for a line that may be frequent: a text from one place is written the 1st, 10th, 100th
 * time and so on, from the 10th on with the number. The last 256 new lines are remembered. place:
 * address in the program, or NULL. Callable from any thread. */
void proa_log_often(int level, const void *place, const char *text);

/* Returns the ending of a noun after a number: "" after 1, else "s". */
static inline const char *proa_log_plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

#endif
