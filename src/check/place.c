/* SPDX-License-Identifier: BSD-3-Clause */
/* See place.h. */
#include "check/place.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* The address as it stands in the file: files that are loaded anywhere begin at 0 there. */
static uintptr_t in_file(const Dl_info *info, uintptr_t address)
{
    const ElfW(Ehdr) *head = info->dli_fbase;

    return head->e_type == ET_EXEC ? address : address - (uintptr_t)info->dli_fbase;
}

/* The call itself is before its return address. */
const char *proa_place_say(const void *caller, char text[PROA_PLACE_BYTES])
{
    const uintptr_t address = (uintptr_t)caller - 1;
    const char *file;
    Dl_info info;

    if (!dladdr((const void *)address, &info) || !info.dli_fname) {
        snprintf(text, PROA_PLACE_BYTES, "%p", caller);
        return text;
    }
    file = strrchr(info.dli_fname, '/') ? strrchr(info.dli_fname, '/') + 1 : info.dli_fname;
    snprintf(text, PROA_PLACE_BYTES, "%s%s%s+0x%lx", info.dli_sname ? info.dli_sname : "",
             info.dli_sname ? " in " : "", file, (unsigned long)in_file(&info, address));
    return text;
}
