/* SPDX-License-Identifier: BSD-3-Clause */
/* Detects which MPI a program is linked to (program.h). */
#include "program.h"

#include "capture.h"
#include "elf.h"
#include "preload.h"

#include <stdio.h>
#include <string.h>

/* Returns the first line of a script after "#!", without surrounding blanks; NULL if the file is no
 * script. */
static const char *script_interpreter(const char *path)
{
    char line[256] = "";
    FILE *file = fopen(path, "re");

    if (!file)
        return NULL;
    bool is_script = fgets(line, sizeof line, file) && strncmp(line, "#!", 2) == 0;
    fclose(file);
    if (!is_script)
        return NULL;
    line[strcspn(line, "\n")] = '\0';
    const char *start = line + 2 + strspn(line + 2, " \t");
    return proa_text("%s", start);
}

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* Returns the host of a library. path: its path, or NULL if the loader does not find it here: the
 * ranks may find it.
 *
 * MPICH and those with its binary interface are libmpich.so.N or libmpi.so.12. Open MPI is
 * libmpi.so.20, .40, ..., but was libmpi.so.12 once, so a host's own symbol takes precedence over
 * the name. All with the standard ABI are libmpi_abi.so.1, some with a symbol that their other
 * library has too. */
static const struct proa_host *library_host(const char *name, const char *path)
{
    const struct proa_host *best = NULL;
    int best_is = 0;

    for (const struct proa_host *host = proa_hosts; host->name; host++) {
        bool named = proa_is_among(name, host->libraries);
        bool has = path && proa_elf_names(path, host->symbol);
        int is = has && named ? 3 : has ? 2 : named ? 1 : 0;

        if (is > best_is) {
            best = host;
            best_is = is;
        }
    }
    return best;
}

static bool is_mpi(const char *name)
{
    for (const struct proa_host *host = proa_hosts; host->name; host++) {
        if (proa_is_among(name, host->libraries))
            return true;
    }
    return starts_with(name, "libmpi.so");
}

/* Examines one library of the program. */
static bool inspect_library(const char *name, const char *path, struct proa_program *program)
{
    if (!is_mpi(name))
        return false;
    program->host = library_host(name, path);
    program->kind = program->host ? PROA_PROGRAM_LINKED : PROA_PROGRAM_OTHER_MPI;
    program->detail = proa_text("%s", path ? path : name);
    return true;
}

/* One line of the loader's list is "NAME => PATH (ADDRESS)", "NAME => not found", "PATH (ADDRESS)"
 * or "NAME (ADDRESS)". */
static void inspect_line(char *line, struct proa_program *program)
{
    char *arrow = strstr(line, " => ");
    char *path = arrow ? arrow + strlen(" => ") : line + strspn(line, " \t");

    if (arrow)
        *arrow = '\0';
    char *address = strstr(path, " (");
    if (address)
        *address = '\0';
    const char *word = arrow ? line + strspn(line, " \t") : path;
    const char *name = basename(word);
    const char *found = path[0] == '/' ? path : NULL;
    if (program->kind == PROA_PROGRAM_NO_MPI) /* the first MPI counts */
        inspect_library(name, found, program);
    if (proa_is_sanitizer(name))
        program->sanitizers = proa_text("%s%s%s", program->sanitizers ? program->sanitizers : "",
                                        program->sanitizers ? ":" : "", found ? found : name);
}

/* Runs the loader to list all libraries, so an MPI is found even if only a library of the program
 * is linked to it. The loader is run by its own name, with --list (glibc and musl support it): the
 * program itself is never started. */
static void inspect_libraries(const char *path, const char *loader, struct proa_program *program)
{
    char *const words[] = {(char *)loader, "--list", (char *)path, NULL};
    char *rest = proa_capture(words);

    program->kind = PROA_PROGRAM_NO_MPI;
    for (char *line = strsep(&rest, "\n"); line; line = strsep(&rest, "\n"))
        inspect_line(line, program);
}

bool proa_program_inspect_mapped(const char *path, struct proa_program *program)
{
    const char *slash = strrchr(path, '/');

    return slash && inspect_library(slash + 1, path, program);
}

struct proa_program proa_program_inspect(const char *path)
{
    struct proa_program program = {.kind = PROA_PROGRAM_FOREIGN};
    const char *loader = NULL;

    switch (proa_elf_kind(path, &loader)) {
    case PROA_ELF_DYNAMIC:
        inspect_libraries(path, loader, &program);
        break;
    case PROA_ELF_STATIC:
        program.kind = PROA_PROGRAM_STATIC;
        break;
    case PROA_ELF_NOT:
        program.detail = script_interpreter(path);
        if (program.detail)
            program.kind = PROA_PROGRAM_SCRIPT;
        break;
    }
    return program;
}

struct proa_program proa_program_inspect_library(const char *path)
{
    struct proa_program program = {.kind = PROA_PROGRAM_NO_MPI};
    const char *loader = NULL;

    if (proa_elf_kind("/proc/self/exe", &loader) == PROA_ELF_DYNAMIC)
        inspect_libraries(path, loader, &program);
    return program;
}
