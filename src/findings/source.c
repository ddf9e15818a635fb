/* SPDX-License-Identifier: BSD-3-Clause */
/* See source.h. */
#include "findings/source.h"
#include "base/atomic.h"
#include "findings/lines.h"

#include <dlfcn.h>
#include <elf.h>
#include <execinfo.h>
#include <limits.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

/* The address as it stands in the file: files that are loaded anywhere begin at 0 there. */
static uintptr_t in_file(const Dl_info *info, uintptr_t address)
{
    const ElfW(Ehdr) *head = info->dli_fbase;

    return head->e_type == ET_EXEC ? address : address - (uintptr_t)info->dli_fbase;
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* The call itself is before its return address. */
void proa_source_find(const void *caller, struct proa_source *place)
{
    const uintptr_t address = (uintptr_t)caller - 1;
    Dl_info info;

    memset(place, 0, sizeof *place);
    if (!caller || !dladdr((const void *)address, &info) || !info.dli_fname)
        return;
    place->address = in_file(&info, address);
    if (info.dli_sname)
        snprintf(place->function, sizeof place->function, "%s", info.dli_sname);
    if (!proa_lines_find(address, place))
        snprintf(place->file, sizeof place->file, "%s", last_part(info.dli_fname));
}

static int starts(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* MPI::Win::Put and the like, of MPI-2's C++ binding, which headers put into the program. */
static int is_of_binding(const char *symbol)
{
    return symbol && (starts(symbol, "_ZN3MPI") || starts(symbol, "_ZNK3MPI"));
}

/* libmpi.so, libmpich.so, libmpifort.so, libpmpi.so, libopen-pal.so and so on. */
static int is_of_mpi(const void *address)
{
    Dl_info info;
    const char *name;

    if (!dladdr(address, &info) || !info.dli_fname)
        return 1;
    name = last_part(info.dli_fname);
    return starts(name, "libproa") || starts(name, "libmpi") || starts(name, "libpmpi") ||
           starts(name, "libopen-") || is_of_binding(info.dli_sname);
}

const void *proa_source_caller(void)
{
    enum { FRAMES = 64 };
    void *frames[FRAMES];
    int count = backtrace(frames, FRAMES);

    for (int i = 0; i < count; i++)
        if (!is_of_mpi((const char *)frames[i] - 1))
            return frames[i];
    return NULL;
}

_Thread_local const void *proa_source_here PROA_INITIAL_EXEC;

/* A look at the file of an address takes a microsecond, so places of the program are kept. */
const void *proa_source_program(const void *caller)
{
    enum { KNOWN = 1024 };
    static const void *known[KNOWN];
    const void **slot = &known[((uintptr_t)caller * 2654435769U >> 12) % KNOWN];

    if (caller && proa_atomic_load(slot, PROA_RELAXED) == caller)
        return caller;
    if (!caller || is_of_mpi((const char *)caller - 1))
        return proa_source_caller();
    proa_atomic_store(slot, caller, PROA_RELAXED);
    return caller;
}

const char *proa_source_file(const struct proa_source *place)
{
    char here[PATH_MAX];
    size_t length;

    if (!getcwd(here, sizeof here))
        return place->file;
    length = strlen(here);
    return strncmp(place->file, here, length) == 0 && place->file[length] == '/'
               ? place->file + length + 1
               : place->file;
}

void proa_source_say(FILE *out, const struct proa_source *place)
{
    if (place->line)
        fprintf(out, "%s:%d", proa_source_file(place), place->line);
    else if (place->file[0])
        fprintf(out, "%s+0x%llx", place->file, (unsigned long long)place->address);
    else
        fprintf(out, "a place that is not known");
    if (place->function[0])
        fprintf(out, " (%s)", place->function);
}

int proa_source_is(const struct proa_source *one, const struct proa_source *other)
{
    return one->address == other->address && one->line == other->line &&
           strcmp(one->file, other->file) == 0;
}
