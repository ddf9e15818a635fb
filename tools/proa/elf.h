/* SPDX-License-Identifier: BSD-3-Clause */
/* Minimal reader of ELF files. */
#ifndef PROA_TOOL_ELF_H
#define PROA_TOOL_ELF_H

#include <stdbool.h>

enum proa_elf_kind {
    PROA_ELF_NOT,     /* no ELF file, or one for another machine type */
    PROA_ELF_STATIC,  /* needs no loader, so LD_PRELOAD has no effect on it */
    PROA_ELF_DYNAMIC, /* started by the loader in *loader */
};

enum proa_elf_kind proa_elf_kind(const char *path, const char **loader);

/* Returns true if a symbol in the file ends in `name`. Searches for the text and its terminating
 * zero. For names that no other library uses, this is as reliable as reading the symbol table. */
bool proa_elf_names(const char *path, const char *name);

#endif
