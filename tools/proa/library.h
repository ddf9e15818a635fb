/* SPDX-License-Identifier: BSD-3-Clause */
/* Where Proa's own libraries are. */
#ifndef PROA_TOOL_LIBRARY_H
#define PROA_TOOL_LIBRARY_H

#include "host.h"

/* The absolute path of libproa-LIBRARY.so for the host. Where check mode is asked for, that of the
 * library of instruments and a colon come before it. NULL, after a line on stderr, where one of
 * them cannot be preloaded. */
const char *proa_library_find(const struct proa_host *host);

/* The same without a word: where it is looked for, and not asked whether it can be preloaded. */
const char *proa_library_look(const struct proa_host *host);

/* The absolute path of the folder of Proa's headers, installed or in the sources of the build; NULL
 * where they are not. */
const char *proa_library_headers(void);

/* The program of Proa's own that tests a host (tools/selftest): its path, or NULL. */
const char *proa_library_selftest(const struct proa_host *host);

/* The path of the library that is preloaded in a launcher that splits sessions (tools/launcher), or
 * NULL where there is none. */
const char *proa_library_launcher(void);

/* The command that runs a program in the tool that sees loads and stores (tools/translator), or
 * NULL where there is none. */
const char *proa_library_translator(void);

/* The script of `proa bench`, beside which the benchmarks are: its path, or NULL. */
const char *proa_library_bench(void);

/* The host's own library, where a program's is another host's of the same ABI, at `near`: beside
 * that. NULL, after a line on stderr, where there is none. */
const char *proa_library_of_host(const struct proa_host *host, const char *near);

#endif
