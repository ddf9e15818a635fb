/* SPDX-License-Identifier: BSD-3-Clause */
/* The little that proa asks of ELF files. */
#ifndef PROA_TOOL_ELF_H
#define PROA_TOOL_ELF_H

#include <stdbool.h>

enum proa_elf_kind {
    PROA_ELF_NOT,     /* no ELF file, or one for another kind of machine */
    PROA_ELF_STATIC,  /* needs no loader, so LD_PRELOAD has no effect on it */
    PROA_ELF_DYNAMIC, /* started by the loader in *loader */
};

enum proa_elf_kind proa_elf_kind(const char *path, const char **loader);

/* Whether a symbol in the file ends in `name`. Looks for the text with its closing zero: as good as
 * a walk through the symbol table for names that no other library would use. */
bool proa_elf_names(const char *path, const char *name);

#endif
