/* SPDX-License-Identifier: BSD-3-Clause */
/* Where Proa's own libraries are. */
#ifndef PROA_TOOL_LIBRARY_H
#define PROA_TOOL_LIBRARY_H

#include "host.h"

/* The absolute path of libproa-HOST.so; NULL, after a line on stderr, where there is none that can
 * be preloaded. */
const char *proa_library_find(const struct proa_host *host);

#endif
