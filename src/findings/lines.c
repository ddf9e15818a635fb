/* SPDX-License-Identifier: BSD-3-Clause */
/* See lines.h. */
#include "findings/lines.h"

#ifdef PROA_HAS_LIBDW

#include <dlfcn.h>
#include <elfutils/libdwfl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define FUNCTIONS(X)            \
    X(dwfl_begin)               \
    X(dwfl_end)                 \
    X(dwfl_report_begin)        \
    X(dwfl_report_end)          \
    X(dwfl_linux_proc_report)   \
    X(dwfl_linux_proc_find_elf) \
    X(dwfl_addrmodule)          \
    X(dwfl_module_getsrc)       \
    X(dwfl_lineinfo)            \
    X(dwfl_module_addrname)     \
    X(dwfl_standard_find_debuginfo)

static struct {
#define FIELD(name) __typeof__(&name) name;
    FUNCTIONS(FIELD)
#undef FIELD
} dw;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static enum { NOT_YET, LOADED, ABSENT } state;
static Dwfl *process; /* its modules as they were when it was made */

static int find_functions(void *library)
{
    int found = 1;

#define FIND(name)                              \
    *(void **)&dw.name = dlsym(library, #name); \
    found &= dw.name != NULL;
    FUNCTIONS(FIND)
#undef FIND
    return found;
}

/* Stays loaded: it is as large as a program's other libraries, and has no state. */
static int is_loaded(void)
{
    void *library;

    if (state == NOT_YET) {
        library = dlopen("libdw.so.1", RTLD_LAZY | RTLD_LOCAL);
        state = library && find_functions(library) ? LOADED : ABSENT;
    }
    return state == LOADED;
}

static void forget(void)
{
    if (process)
        dw.dwfl_end(process);
    process = NULL;
}

/* Reads which modules the process has now. */
static int look(void)
{
    static Dwfl_Callbacks callbacks;

    forget();
    callbacks.find_elf = dw.dwfl_linux_proc_find_elf;
    callbacks.find_debuginfo = dw.dwfl_standard_find_debuginfo;
    process = dw.dwfl_begin(&callbacks);
    if (!process)
        return 0;
    dw.dwfl_report_begin(process);
    return dw.dwfl_linux_proc_report(process, getpid()) == 0 &&
           dw.dwfl_report_end(process, NULL, NULL) == 0;
}

static Dwfl_Module *module_of(Dwarf_Addr address)
{
    Dwfl_Module *module = process ? dw.dwfl_addrmodule(process, address) : NULL;

    return module || !look() ? module : dw.dwfl_addrmodule(process, address);
}

static int find(Dwarf_Addr address, struct proa_source *place)
{
    Dwfl_Module *module = module_of(address);
    Dwfl_Line *line = module ? dw.dwfl_module_getsrc(module, address) : NULL;
    const char *file, *function = module ? dw.dwfl_module_addrname(module, address) : NULL;
    int number = 0;

    if (function)
        snprintf(place->function, sizeof place->function, "%s", function);
    file = line ? dw.dwfl_lineinfo(line, NULL, &number, NULL, NULL, NULL) : NULL;
    if (!file || number <= 0)
        return 0;
    snprintf(place->file, sizeof place->file, "%s", file);
    place->line = number;
    return 1;
}

int proa_lines_find(uintptr_t address, struct proa_source *place)
{
    int found;

    pthread_mutex_lock(&mutex);
    found = is_loaded() && find(address, place);
    pthread_mutex_unlock(&mutex);
    return found;
}

void proa_lines_end(void)
{
    pthread_mutex_lock(&mutex);
    forget();
    pthread_mutex_unlock(&mutex);
}

#else

int proa_lines_find(uintptr_t address, struct proa_source *place)
{
    (void)address, (void)place;
    return 0;
}

void proa_lines_end(void)
{
}

#endif
