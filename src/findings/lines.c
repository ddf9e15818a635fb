/* SPDX-License-Identifier: BSD-3-Clause */
/* See lines.h. */
#include "findings/lines.h"

#ifdef PROA_HAS_LIBDW

#include <dlfcn.h>
#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FUNCTIONS(X)                \
    X(dwfl_begin)                   \
    X(dwfl_end)                     \
    X(dwfl_report_begin)            \
    X(dwfl_report_end)              \
    X(dwfl_linux_proc_report)       \
    X(dwfl_linux_proc_find_elf)     \
    X(dwfl_report_offline)          \
    X(dwfl_build_id_find_elf)       \
    X(dwfl_offline_section_address) \
    X(dwfl_addrmodule)              \
    X(dwfl_getmodules)              \
    X(dwfl_module_getelf)           \
    X(dwfl_module_nextcu)           \
    X(dwarf_haspc)                  \
    X(dwarf_getsrc_die)             \
    X(dwarf_linesrc)                \
    X(dwarf_lineno)                 \
    X(dwfl_module_addrname)         \
    X(dwfl_module_addrdie)          \
    X(dwarf_getscopes)              \
    X(dwarf_tag)                    \
    X(dwarf_attr)                   \
    X(dwarf_formudata)              \
    X(dwarf_getsrcfiles)            \
    X(dwarf_filesrc)                \
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

/* ---- headers of Proa and of the host ---- */

/* Notified operations, and all of MPI-2's C++ binding, begin in the program, by functions of these
 * headers that may be inlined there. */
static int is_wrapper(const char *file)
{
    const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;

    return strcmp(name, "proa_notify_plain.h") == 0 || strcmp(name, "mpicxx.h") == 0 ||
           strstr(file, "/mpi/cxx/");
}

static Dwarf_Word number_of(Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute attribute;
    Dwarf_Word number = 0;

    return dw.dwarf_attr(die, name, &attribute) && dw.dwarf_formudata(&attribute, &number) == 0
               ? number
               : 0;
}

/* The unit of that code: by the table of addresses, or by the units' own, as clang makes no table.
 * NULL: none is known. */
static Dwarf_Die *unit_of(Dwfl_Module *module, Dwarf_Addr address, Dwarf_Addr *bias)
{
    Dwarf_Die *unit = dw.dwfl_module_addrdie(module, address, bias);

    if (unit)
        return unit;
    while ((unit = dw.dwfl_module_nextcu(module, unit, bias)) != NULL)
        if (dw.dwarf_haspc(unit, address - *bias) > 0)
            return unit;
    return NULL;
}

/* The line that calls the outermost function of such a header; address: as the unit has it. NULL:
 * none is known. */
static const char *inlined_at(Dwarf_Die *unit, Dwarf_Addr address, int *number)
{
    Dwarf_Die *scopes = NULL;
    const int count = dw.dwarf_getscopes(unit, address, &scopes);
    const char *file = NULL;
    Dwarf_Files *files;
    size_t most;

    if (count > 0 && dw.dwarf_getsrcfiles(unit, &files, &most) == 0)
        for (int i = 0; i < count && (!file || is_wrapper(file)); i++)
            if (dw.dwarf_tag(&scopes[i]) == DW_TAG_inlined_subroutine) {
                file = dw.dwarf_filesrc(files, number_of(&scopes[i], DW_AT_call_file), NULL, NULL);
                *number = (int)number_of(&scopes[i], DW_AT_call_line);
            }
    free(scopes);
    return file;
}

static int find(Dwfl_Module *module, Dwarf_Addr address, struct proa_source *place)
{
    Dwarf_Addr bias = 0;
    Dwarf_Die *unit = module ? unit_of(module, address, &bias) : NULL;
    Dwarf_Line *line = unit ? dw.dwarf_getsrc_die(unit, address - bias) : NULL;
    const char *file, *function = module ? dw.dwfl_module_addrname(module, address) : NULL;
    const char *outer;
    int number = 0, outer_number = 0;

    if (function)
        snprintf(place->function, sizeof place->function, "%s", function);
    file = line ? dw.dwarf_linesrc(line, NULL, NULL) : NULL;
    if (!file || dw.dwarf_lineno(line, &number) != 0 || number <= 0)
        return 0;
    outer = is_wrapper(file) ? inlined_at(unit, address - bias, &outer_number) : NULL;
    if (outer && outer_number > 0) {
        file = outer;
        number = outer_number;
    }
    snprintf(place->file, sizeof place->file, "%s", file);
    place->line = number;
    return 1;
}

int proa_lines_find(uintptr_t address, struct proa_source *place)
{
    int found;

    pthread_mutex_lock(&mutex);
    found = is_loaded() && find(module_of(address), address, place);
    pthread_mutex_unlock(&mutex);
    return found;
}

void proa_lines_end(void)
{
    pthread_mutex_lock(&mutex);
    forget();
    pthread_mutex_unlock(&mutex);
}

/* ---- files ---- */

struct proa_lines_file {
    Dwfl *dwfl; /* with the one module */
    Dwfl_Module *module;
    GElf_Addr bias; /* libdw gives the file addresses of its own: so much more */
};

static int first_module(Dwfl_Module *module, void **user, const char *name, Dwarf_Addr start,
                        void *found)
{
    (void)user, (void)name, (void)start;
    *(Dwfl_Module **)found = module;
    return DWARF_CB_ABORT;
}

static int open_file(struct proa_lines_file *file, const char *path)
{
    static Dwfl_Callbacks callbacks;

    callbacks.find_elf = dw.dwfl_build_id_find_elf;
    callbacks.find_debuginfo = dw.dwfl_standard_find_debuginfo;
    callbacks.section_address = dw.dwfl_offline_section_address;
    file->dwfl = dw.dwfl_begin(&callbacks);
    if (!file->dwfl || !dw.dwfl_report_offline(file->dwfl, "", path, -1) ||
        dw.dwfl_report_end(file->dwfl, NULL, NULL) != 0)
        return 0;
    dw.dwfl_getmodules(file->dwfl, first_module, &file->module, 0);
    return file->module && dw.dwfl_module_getelf(file->module, &file->bias) != NULL;
}

struct proa_lines_file *proa_lines_open(const char *path)
{
    struct proa_lines_file *file = calloc(1, sizeof *file);
    int is_open;

    pthread_mutex_lock(&mutex);
    is_open = file && is_loaded() && open_file(file, path);
    pthread_mutex_unlock(&mutex);
    if (is_open)
        return file;
    proa_lines_close(file);
    return NULL;
}

void proa_lines_close(struct proa_lines_file *file)
{
    if (file && file->dwfl)
        dw.dwfl_end(file->dwfl);
    free(file);
}

int proa_lines_find_in(struct proa_lines_file *file, uint64_t address, struct proa_source *place)
{
    int found;

    pthread_mutex_lock(&mutex);
    found = find(file->module, address + file->bias, place);
    pthread_mutex_unlock(&mutex);
    return found;
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

struct proa_lines_file *proa_lines_open(const char *path)
{
    (void)path;
    return NULL;
}

void proa_lines_close(struct proa_lines_file *file)
{
    (void)file;
}

int proa_lines_find_in(struct proa_lines_file *file, uint64_t address, struct proa_source *place)
{
    (void)file, (void)address, (void)place;
    return 0;
}

#endif
