/* SPDX-License-Identifier: BSD-3-Clause */
/* See source.h. */
#include "findings/source.h"
#include "base/calls.h"
#include "base/settings.h"
#include "findings/lines.h"
#include "findings/names.h"
#include "findings/stack.h"

#include <dlfcn.h>
#include <elf.h>
#include <limits.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

/* Returns the address in the file: position-independent files start at 0. */
static uintptr_t in_file(const Dl_info *info, uintptr_t address)
{
    const ElfW(Ehdr) *head = info->dli_fbase;

    return head->e_type == ET_EXEC ? address : address - (uintptr_t)info->dli_fbase;
}

/* Code that is in no file was compiled at run time, as Julia does. */
static void set_binding(struct proa_source *place, const char *path, const char *symbol)
{
    const char *name = symbol ? proa_names_binding(symbol) : "";

    if (path && strstr(path, "/mpi4py/"))
        name = "mpi4py";
    if (!path && dlsym(RTLD_DEFAULT, "jl_get_pgcstack"))
        name = "Julia";
    snprintf(place->binding, sizeof place->binding, "%s", name);
}

/* The call instruction precedes its return address. Functions that are inlined there have the same
 * address. */
static unsigned find_frame(const void *pc, struct proa_source *places, unsigned most)
{
    const uintptr_t address = (uintptr_t)pc - 1;
    unsigned count;
    Dl_info info = {0};

    memset(places, 0, sizeof *places);
    if (!pc || !dladdr((const void *)address, &info) || !info.dli_fname) {
        set_binding(places, NULL, NULL);
        return 1;
    }
    if (info.dli_sname)
        proa_names_of(info.dli_sname, places->function, sizeof places->function);
    count = proa_lines_find_all(address, places, most);
    if (!count)
        snprintf(places->file, sizeof places->file, "%s", basename(info.dli_fname));
    count += !count;
    for (unsigned i = 0; i < count; i++) {
        places[i].address = in_file(&info, address);
        if (!places[i].binding[0])
            set_binding(&places[i], info.dli_fname, info.dli_sname);
    }
    return count;
}

unsigned proa_source_find_all(const void *caller, struct proa_source *places, unsigned most)
{
    const struct proa_stack *stack = proa_stack_of(caller);
    unsigned count = 0;

    if (!stack)
        return find_frame(caller, places, most);
    for (unsigned i = 0; i < stack->count && count < most; i++)
        count += find_frame(stack->frames[i], &places[count], most - count);
    if (stack->binding)
        snprintf(places->binding, sizeof places->binding, "%s",
                 proa_stack_binding_name(stack->binding));
    return count;
}

void proa_source_find(const void *caller, struct proa_source *place)
{
    proa_source_find_all(caller, place, 1);
}

const void *proa_source_caller(void)
{
    return proa_stack_here(NULL);
}

_Thread_local const void *proa_source_here PROA_INITIAL_EXEC;

const void *proa_source_program(const void *caller)
{
    return proa_stack_of(caller) ? caller : proa_stack_here(caller);
}

static const char *below(const char *file, const char *folder)
{
    const size_t length = strlen(folder);

    return length && strncmp(file, folder, length) == 0 && file[length] == '/' ? file + length + 1
                                                                               : file;
}

static void get_folder(char folder[PROA_SOURCE_ROOT_BYTES])
{
    if (!getcwd(folder, PROA_SOURCE_ROOT_BYTES))
        folder[0] = '\0';
}

const char *proa_source_file(const struct proa_source *place)
{
    char here[PROA_SOURCE_ROOT_BYTES];

    get_folder(here);
    return below(place->file, here);
}

void proa_source_root(char root[PROA_SOURCE_ROOT_BYTES])
{
    size_t length;

    if (!proa_settings()->check_root[0])
        get_folder(root);
    else
        snprintf(root, PROA_SOURCE_ROOT_BYTES, "%s", proa_settings()->check_root);
    for (length = strlen(root); length && root[length - 1] == '/'; length--)
        root[length - 1] = '\0';
}

const char *proa_source_below_root(const struct proa_source *place)
{
    char root[PROA_SOURCE_ROOT_BYTES];

    proa_source_root(root);
    return below(place->file, root);
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
    if (place->binding[0])
        fprintf(out, " [%s]", place->binding);
}

int proa_source_is(const struct proa_source *one, const struct proa_source *other)
{
    return one->address == other->address && one->line == other->line &&
           strcmp(one->file, other->file) == 0;
}
