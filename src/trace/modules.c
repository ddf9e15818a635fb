/* SPDX-License-Identifier: BSD-3-Clause */
/* The files of code that a process has loaded, which map return addresses to lines. */
#include "trace/recorder.h"

#include <link.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

static void record(const char *path, uint64_t bias, uint64_t first, uint64_t last)
{
    const uint64_t bytes = strlen(path);

    proa_trace_put(&(struct proa_trace_record){.begin = proa_trace_ticks(),
                                               .end = bias,
                                               .bytes = bytes,
                                               .place = first,
                                               .value = last,
                                               .rank = -1,
                                               .kind = PROA_TRACE_MODULE});
    proa_trace_put_text(path, bytes);
}

/* The program itself has an empty name there. */
static int module(struct dl_phdr_info *info, size_t size, void *user)
{
    const char *path = info->dlpi_name;
    char self[4096];

    (void)size;
    (void)user;
    if (!path || !*path) {
        ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);

        self[length > 0 ? length : 0] = 0;
        path = self;
    }
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];

        if (part->p_type == PT_LOAD && part->p_flags & PF_X)
            record(path, info->dlpi_addr, info->dlpi_addr + part->p_vaddr,
                   info->dlpi_addr + part->p_vaddr + part->p_memsz);
    }
    return 0;
}

static int count(struct dl_phdr_info *info, size_t size, void *adds)
{
    (void)size;
    *(unsigned long long *)adds = info->dlpi_adds;
    return 1; /* the count is the same for all */
}

void proa_trace_modules(void)
{
    static unsigned long long known;
    unsigned long long adds = 0;

    dl_iterate_phdr(count, &adds);
    if (proa_atomic_exchange(&known, adds, PROA_RELAXED) != adds)
        dl_iterate_phdr(module, NULL);
}
