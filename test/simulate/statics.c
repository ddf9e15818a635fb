/* SPDX-License-Identifier: BSD-3-Clause */
/* See statics.h: they are copied out and in when another rank runs. */
#include "statics.h"
#include "simulate.h"

#include <link.h>
#include <stdlib.h>
#include <string.h>

struct simulate_statics {
    char *statics, *locals;
};

/* In place, and as they were at first. */
static struct {
    char *statics, *image;
    size_t static_bytes;
    char *locals, *locals_image;
    size_t local_bytes;
} core;

/* The writable segment of the core's library, but for what is read-only once it is loaded. */
static int find_statics(struct dl_phdr_info *info, size_t bytes, void *unused)
{
    uintptr_t fixed = 0, first = 0, end = 0;

    (void)bytes, (void)unused;
    if (!strstr(info->dlpi_name, "libsimulated"))
        return 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        uintptr_t at = info->dlpi_addr + segment->p_vaddr;

        if (segment->p_type == PT_GNU_RELRO)
            fixed = at + segment->p_memsz;
        if (segment->p_type == PT_LOAD && segment->p_flags & PF_W) {
            first = at;
            end = at + segment->p_memsz;
        }
        if (segment->p_type == PT_TLS) {
            core.locals = info->dlpi_tls_data;
            core.local_bytes = segment->p_memsz;
        }
    }
    first = fixed > first && fixed < end ? fixed : first;
    core.statics = (char *)first;
    core.static_bytes = end - first;
    return 1;
}

static void *new_bytes(size_t bytes)
{
    void *at = malloc(bytes ? bytes : 1);

    if (!at)
        simulate_failed("out of memory");
    return at;
}

static char *copy_of(const char *from, size_t bytes)
{
    return memcpy(new_bytes(bytes), from, bytes);
}

void simulate_statics_open(void)
{
    dl_iterate_phdr(find_statics, NULL);
    if (!core.statics || !core.locals)
        simulate_failed("the core's library has no statics");
    core.image = copy_of(core.statics, core.static_bytes);
    core.locals_image = copy_of(core.locals, core.local_bytes);
}

void simulate_statics_load(struct simulate_statics **statics)
{
    static struct simulate_statics *loaded;

    if (loaded && loaded == *statics)
        return;
    if (loaded) {
        memcpy(loaded->statics, core.statics, core.static_bytes);
        memcpy(loaded->locals, core.locals, core.local_bytes);
    }
    if (!*statics) {
        *statics = new_bytes(sizeof **statics);
        (*statics)->statics = copy_of(core.image, core.static_bytes);
        (*statics)->locals = copy_of(core.locals_image, core.local_bytes);
    }
    loaded = *statics;
    memcpy(core.statics, loaded->statics, core.static_bytes);
    memcpy(core.locals, loaded->locals, core.local_bytes);
}
