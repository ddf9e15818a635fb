/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * See statics.h: they are copied out and in when another rank runs. Most of them no rank ever
 * writes, so pages are protected, and from its first store on a page is copied.
 */
#include "statics.h"
#include "simulate.h"

#include <link.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096, PAGES_MOST = 1024 };

struct simulate_statics {
    char *statics, *locals;
};

/* In place, and as they were at first. */
static struct {
    char *statics, *image;
    size_t static_bytes;
    char *locals, *locals_image;
    size_t local_bytes;
    size_t written[PAGES_MOST]; /* offsets of the pages to which a rank has written */
    int written_count;
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

static int protect(size_t offset, size_t bytes, int protection)
{
    return mprotect(core.statics + offset, bytes, protection);
}

/* A store to a protected page, or an error. */
static void note_written(int number, siginfo_t *info, void *context)
{
    size_t offset = ((uintptr_t)info->si_addr - (uintptr_t)core.statics) & ~(size_t)(PAGE - 1);

    (void)context;
    if (offset >= core.static_bytes || core.written_count == PAGES_MOST ||
        protect(offset, PAGE, PROT_READ | PROT_WRITE))
        signal(number, SIG_DFL);
    else
        core.written[core.written_count++] = offset;
}

static void copy_written(char *to, const char *from)
{
    for (int i = 0; i < core.written_count; i++) {
        const size_t at = core.written[i], left = core.static_bytes - at;

        memcpy(to + at, from + at, left < PAGE ? left : PAGE);
    }
}

void simulate_statics_open(void)
{
    struct sigaction action = {.sa_sigaction = note_written, .sa_flags = SA_SIGINFO};

    dl_iterate_phdr(find_statics, NULL);
    if (!core.statics || !core.locals)
        simulate_failed("the core's library has no statics");
    core.image = copy_of(core.statics, core.static_bytes);
    core.locals_image = copy_of(core.locals, core.local_bytes);
    if ((uintptr_t)core.statics % PAGE || sigaction(SIGSEGV, &action, NULL) ||
        protect(0, core.static_bytes, PROT_READ))
        simulate_failed("the statics of the core's library cannot be protected");
}

void simulate_statics_load(struct simulate_statics **statics)
{
    static struct simulate_statics *loaded;

    if (loaded && loaded == *statics)
        return;
    if (loaded) {
        copy_written(loaded->statics, core.statics);
        memcpy(loaded->locals, core.locals, core.local_bytes);
    }
    if (!*statics) {
        *statics = new_bytes(sizeof **statics);
        (*statics)->statics = copy_of(core.image, core.static_bytes);
        (*statics)->locals = copy_of(core.locals_image, core.local_bytes);
    }
    loaded = *statics;
    copy_written(core.statics, loaded->statics);
    memcpy(core.locals, loaded->locals, core.local_bytes);
}
