/* SPDX-License-Identifier: BSD-3-Clause */
/* See lines.h. */
#include "findings/lines.h"
#include "findings/names.h"

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
    X(dwarf_attr_integrate)         \
    X(dwarf_formstring)             \
    X(dwarf_diename)                \
    X(dwarf_dieoffset)              \
    X(dwarf_offdie)                 \
    X(dwarf_getscopes_die)          \
    X(dwfl_module_getdwarf)         \
    X(dwfl_standard_find_debuginfo)

static struct {
#define FIELD(name) __typeof__(&name) name;
    FUNCTIONS(FIELD)
#undef FIELD
} dw;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static enum { NOT_YET, LOADED, ABSENT } state;
static Dwfl *process; /* the modules of the process, as of its creation */

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

/* Reads the current modules of the process. */
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

/* Notified operations, and all of MPI-2's C++ binding, are functions of these headers. They may be
 * inlined into the program. */
static int is_wrapper(const char *file)
{
    const char *name = basename(file);

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

/* Returns the unit of that code, from the table of addresses. Falls back to the units' own ranges,
 * as clang writes no table. Returns NULL if none is known. */
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

/* ---- inlined functions ---- */

/* Places, from the innermost on. */
struct expansion {
    struct proa_source *places;
    unsigned count, most;
    Dwarf_Die *unit;
    const char *binding; /* binding of wrappers within the next place */
};

/* Removes "." and ".." from an absolute path, in place. */
static void normalize(char *path)
{
    char *to = path, *from = path;

    while (*from) {
        const size_t length = 1 + strcspn(from + 1, "/");

        if (length == 3 && strncmp(from, "/..", 3) == 0)
            while (to > path && *--to != '/')
                continue;
        else if (length > 1 && !(length == 2 && from[1] == '.'))
            to = (char *)memmove(to, from, length) + length;
        from += length;
    }
    *to = '\0';
}

/* Compilers name files relative to their working folder. */
static void set_file(struct proa_source *place, Dwarf_Die *unit, const char *file)
{
    Dwarf_Attribute attribute;
    const char *from = unit && file[0] != '/'
                           ? dw.dwarf_formstring(dw.dwarf_attr(unit, DW_AT_comp_dir, &attribute))
                           : NULL;
    char path[1 + sizeof place->file];

    snprintf(path, sizeof path, "/%s%s%s", from ? from : "", from ? "/" : "", file);
    if (path[1] == '/')
        normalize(path + 1);
    else if (path[1] != '.')
        normalize(path);
    memcpy(place->file, path + 1, sizeof place->file);
}

static void add(struct expansion *to, const char *file, int line, const char *function)
{
    struct proa_source *place = &to->places[to->count];

    if (is_wrapper(file)) {
        to->binding = strstr(file, "proa_notify") ? "" : "C++";
        return;
    }
    if (to->count == to->most || line <= 0)
        return;
    set_file(place, to->unit, file);
    proa_names_of(function ? function : "", place->function, sizeof place->function);
    snprintf(place->binding, sizeof place->binding, "%s", to->binding);
    place->line = line;
    to->binding = "";
    to->count++;
}

/* Symbols of C++ and Rust contain more than the function's name, those of Fortran less. */
static const char *name_of(Dwarf_Die *die)
{
    Dwarf_Attribute attribute;
    const char *symbol =
        dw.dwarf_formstring(dw.dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute));

    return symbol && strncmp(symbol, "_Z", 2) == 0 ? symbol : dw.dwarf_diename(die);
}

/* Returns all scopes around the innermost piece of code at an address, innermost first. The caller
 * frees them. */
static int scopes_of(Dwfl_Module *module, Dwarf_Die *unit, Dwarf_Addr address, Dwarf_Die **scopes)
{
    Dwarf_Die *inner = NULL, die;
    Dwarf_Addr bias;
    int count = dw.dwarf_getscopes(unit, address, &inner);

    *scopes = NULL;
    if (count > 0)
        count = dw.dwarf_offdie(dw.dwfl_module_getdwarf(module, &bias),
                                dw.dwarf_dieoffset(&inner[0]), &die)
                    ? dw.dwarf_getscopes_die(&die, scopes)
                    : 0;
    free(inner);
    return count;
}

/* The line is in the innermost function. Each inlined function is called at a line of the next
 * one. */
static void expand(struct expansion *to, Dwarf_Die *unit, Dwarf_Die *scopes, int count,
                   const char *file, int line)
{
    Dwarf_Files *files = NULL;
    size_t most;

    dw.dwarf_getsrcfiles(unit, &files, &most);
    for (int i = 0; i < count && file; i++) {
        const int tag = dw.dwarf_tag(&scopes[i]);

        if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram)
            continue;
        add(to, file, line, name_of(&scopes[i]));
        if (tag == DW_TAG_subprogram || !files)
            return;
        file = dw.dwarf_filesrc(files, number_of(&scopes[i], DW_AT_call_file), NULL, NULL);
        line = (int)number_of(&scopes[i], DW_AT_call_line);
    }
}

static unsigned find(Dwfl_Module *module, Dwarf_Addr address, struct proa_source *places,
                     unsigned most)
{
    struct expansion all = {.places = places, .most = most, .binding = ""};
    Dwarf_Addr bias = 0;
    Dwarf_Die *unit = module ? unit_of(module, address, &bias) : NULL, *scopes;
    Dwarf_Line *line = unit ? dw.dwarf_getsrc_die(unit, address - bias) : NULL;
    const char *symbol = module ? dw.dwfl_module_addrname(module, address) : NULL;
    const char *file = line ? dw.dwarf_linesrc(line, NULL, NULL) : NULL;
    int number = 0, count;

    all.unit = unit;
    if (file && dw.dwarf_lineno(line, &number) == 0) {
        count = scopes_of(module, unit, address - bias, &scopes);
        expand(&all, unit, scopes, count, file, number);
        free(scopes);
        if (!all.count)
            add(&all, file, number, symbol);
    }
    if (!all.count && symbol)
        proa_names_of(symbol, places->function, sizeof places->function);
    return all.count;
}

unsigned proa_lines_find_all(uintptr_t address, struct proa_source *places, unsigned most)
{
    unsigned found;

    pthread_mutex_lock(&mutex);
    found = is_loaded() ? find(module_of(address), address, places, most) : 0;
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
    Dwfl *dwfl; /* has the one module */
    Dwfl_Module *module;
    GElf_Addr bias; /* offset of libdw's addresses from those of the file */
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
    found = find(file->module, address + file->bias, place, 1) != 0;
    pthread_mutex_unlock(&mutex);
    return found;
}

#else

unsigned proa_lines_find_all(uintptr_t address, struct proa_source *places, unsigned most)
{
    (void)address, (void)places, (void)most;
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
