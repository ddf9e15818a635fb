/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds Proa's own libraries. */
#ifndef PROA_TOOL_LIBRARY_H
#define PROA_TOOL_LIBRARY_H

#include "host.h"

/* Returns the absolute path of libproa-LIBRARY.so for the host. If check mode is requested, the
 * path of the library of instruments and a colon come first. Returns NULL, after a message on
 * stderr, if one of them cannot be preloaded. */
const char *proa_library_find(const struct proa_host *host);

/* The same without a message: searches only, and does not check whether it can be preloaded. */
const char *proa_library_look(const struct proa_host *host);

/* Returns the absolute path of the folder of Proa's headers, installed or in the sources of the
 * build; NULL if they are absent. */
const char *proa_library_headers(void);

/* Returns the path of Proa's own program that tests a host (tools/selftest), or NULL. */
const char *proa_library_selftest(const struct proa_host *host);

/* Returns the path of the library to preload in a launcher that splits sessions (tools/launcher),
 * or NULL if it is absent. */
const char *proa_library_launcher(void);

/* Returns the command that runs a program in the tool that records loads and stores
 * (tools/translator), or NULL if it is absent. */
const char *proa_library_translator(void);

/* Returns the path of the script of `proa bench`, beside the benchmarks, or NULL. */
const char *proa_library_bench(void);

/* Returns the host's own library, if a program's library is another host's with the same ABI. near:
 * that library's path; its folder is searched. Returns NULL, after a message on stderr, if there is
 * none. */
const char *proa_library_of_host(const struct proa_host *host, const char *near);

#endif
