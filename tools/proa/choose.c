/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Decides which MPI a command line is for (choose.h).
 *
 * The position of the program depends on the launcher's options, and the launcher depends on the
 * program. So the line is read once for each host, and the reading is right if its program is
 * linked to that host. If a command starts another one (numactl, a script), the words after it are
 * examined, too. --mpi and PROA_MPI are for programs whose MPI cannot be detected.
 */
#include "choose.h"

#include "complain.h"
#include "elf.h"
#include "find.h"
#include "library.h"
#include "program.h"
#include "python.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The program of one part, as far as it is known. */
struct found {
    const char *path; /* NULL if there is no such program */
    struct proa_program program;
};

/* The text to read, and its reader. */
struct words {
    char *const *args;
    proa_line_reader *read;
};

struct reading {
    struct proa_line line;
    bool told;           /* the user named the MPI */
    struct found *found; /* by part */
    size_t linked;       /* programs linked to this host */
    size_t strangers;    /* programs linked to another MPI */
    size_t missing;      /* programs that do not exist */
};

/* A program for an ABI that several hosts have runs on any of them, if the user names one. */
static bool is_for(const struct reading *reading, const struct proa_program *program)
{
    return program->host == reading->line.host ||
           (reading->told && strcmp(program->host->library, reading->line.host->library) == 0);
}

/* Returns the Python that the program is, or needs; NULL for none. A script may need one, too. */
static const char *python_of(const char *path, const struct proa_program *program)
{
    if (program->kind == PROA_PROGRAM_LINKED || program->kind == PROA_PROGRAM_OTHER_MPI)
        return NULL;
    if (proa_is_python(path))
        return path;
    return program->kind == PROA_PROGRAM_SCRIPT ? proa_python_of_script(program->detail) : NULL;
}

/* For a program in Python: the MPI that its mpi4py is linked to. Skipped if the user named the MPI,
 * as the program may use another binding. A line is read for each host, so the result for a Python
 * is cached. */
static struct proa_program inspect(const char *path, bool told)
{
    static const char *asked;
    static struct proa_program answer;
    struct proa_program program = proa_program_inspect(path);
    const char *python = told ? NULL : python_of(path, &program);

    if (!python)
        return program;
    if (!asked || strcmp(asked, python) != 0) {
        answer = proa_python_inspect(python);
        asked = python;
    }
    return answer.kind == PROA_PROGRAM_NO_MPI ? program : answer;
}

/* A static program that contains an MPI is never right. One without MPI may start another
 * program. */
static bool is_static_mpi(const struct found *found)
{
    return found->program.kind == PROA_PROGRAM_STATIC && proa_elf_names(found->path, "MPI_Init");
}

/* A command without a known MPI may start the first of its words that is a program of some MPI. */
static void look_behind(const struct proa_host *host, const struct proa_part *part,
                        struct found *found)
{
    for (char *const *word = part->program + 1; word < part->end; word++) {
        const char *path = proa_find_program(host, part, *word);
        struct proa_program program = {0};

        if (path)
            program = proa_program_inspect(path);
        if (path && program.kind == PROA_PROGRAM_LINKED) {
            *found = (struct found){path, program};
            return;
        }
    }
}

static bool tells_nothing(const struct found *found)
{
    return found->program.kind == PROA_PROGRAM_NO_MPI ||
           found->program.kind == PROA_PROGRAM_SCRIPT ||
           (found->program.kind == PROA_PROGRAM_STATIC && !is_static_mpi(found));
}

static void inspect_part(struct reading *reading, const struct proa_part *part, struct found *found)
{
    found->path = part->program == part->end
                      ? NULL
                      : proa_find_program(reading->line.host, part, part->program[0]);
    if (!found->path) {
        reading->missing++;
        return;
    }
    found->program = inspect(found->path, reading->told);
    if (!reading->told && tells_nothing(found))
        look_behind(reading->line.host, part, found);
    if (found->program.kind == PROA_PROGRAM_LINKED && is_for(reading, &found->program))
        reading->linked++;
    else if (found->program.kind == PROA_PROGRAM_LINKED ||
             found->program.kind == PROA_PROGRAM_OTHER_MPI || is_static_mpi(found))
        reading->strangers++;
}

static struct reading *read_as(const struct proa_host *host, const struct words *words, bool told)
{
    struct reading *reading = proa_keep(sizeof *reading);

    reading->told = told;
    reading->line = words->read(host, words->args);
    reading->found = proa_keep(reading->line.part_count * sizeof *reading->found);
    for (size_t i = 0; i < reading->line.part_count && !reading->line.help; i++)
        inspect_part(reading, &reading->line.parts[i], &reading->found[i]);
    return reading;
}

static bool is_possible(const struct reading *reading)
{
    return reading->strangers == 0 && reading->missing == 0 && !reading->line.file;
}

static int complain_missing(const struct proa_part *part)
{
    if (part->program == part->end)
        return proa_complain(PROA_EXIT_USAGE, "no program given; --help says how");
    const char *name = part->program[0];
    if (!strchr(name, '/'))
        return proa_complain(PROA_EXIT_MISSING, "no program %s in PATH", name);
    return proa_complain(PROA_EXIT_MISSING, "%s %s", name,
                         access(name, F_OK) == 0 ? "cannot be executed" : "does not exist");
}

static int complain_program(const struct reading *reading, const struct found *found)
{
    const char *ask = proa_text("say which one: %s", proa_host_names("--mpi ", " or "));
    const char *path = found->path, *detail = found->program.detail;

    if (!reading->told && python_of(path, &found->program))
        return proa_complain(
            PROA_EXIT_MISSING,
            "the Python of %s has no mpi4py that can be loaded; if it uses MPI, %s", path, ask);
    switch (found->program.kind) {
    case PROA_PROGRAM_LINKED:
        return proa_complain(PROA_EXIT_MISSING, "%s is linked to %s, not to %s", path, detail,
                             reading->line.host->title);
    case PROA_PROGRAM_OTHER_MPI:
        return proa_complain(PROA_EXIT_MISSING,
                             "%s is linked to %s, an MPI that Proa has no library for", path,
                             detail);
    case PROA_PROGRAM_NO_MPI:
        return proa_complain(PROA_EXIT_MISSING,
                             "%s is not linked to MPI; if it starts a program that is, %s", path,
                             ask);
    case PROA_PROGRAM_SCRIPT:
        return proa_complain(PROA_EXIT_MISSING, "%s is a script for %s; if that uses MPI, %s", path,
                             detail, ask);
    case PROA_PROGRAM_STATIC:
        return proa_complain(PROA_EXIT_MISSING,
                             "%s is linked statically, so nothing can be preloaded into it", path);
    case PROA_PROGRAM_FOREIGN:
        break;
    }
    return proa_complain(PROA_EXIT_MISSING, "%s is not a program for this machine", path);
}

static bool stands_in_the_way(const struct reading *reading, const struct found *found)
{
    if (found->program.kind == PROA_PROGRAM_LINKED)
        return !is_for(reading, &found->program);
    return found->program.kind == PROA_PROGRAM_OTHER_MPI || is_static_mpi(found) ||
           (!reading->told && reading->linked == 0);
}

/* Reports why a reading cannot be run. */
static int complain(const struct reading *reading)
{
    if (reading->line.complaint)
        return proa_complain(PROA_EXIT_USAGE, "%s", reading->line.complaint);
    if (reading->line.file)
        return proa_complain(
            PROA_EXIT_USAGE,
            "%s cannot be used: put its programs on the command line, with colons between them, "
            "or have the launcher start each of them by `proa exec`",
            reading->line.file);
    for (size_t i = 0; i < reading->line.part_count; i++) {
        if (!reading->found[i].path)
            return complain_missing(&reading->line.parts[i]);
        if (stands_in_the_way(reading, &reading->found[i]))
            return complain_program(reading, &reading->found[i]);
    }
    return PROA_EXIT_MISSING;
}

static int accept_reading(const struct reading *reading, struct proa_choice *choice)
{
    *choice = (struct proa_choice){.line = reading->line};
    for (size_t i = 0; i < reading->line.part_count; i++) {
        const struct proa_program *program = &reading->found[i].program;
        if (program->kind == PROA_PROGRAM_LINKED && !choice->mpi_library) {
            choice->mpi_library = program->detail;
            choice->mpi_host = program->host;
        }
        if (program->sanitizers && !choice->sanitizers)
            choice->sanitizers = program->sanitizers;
    }
    return 0;
}

static int choose_told(const char *name, const struct words *words, struct proa_choice *choice)
{
    const struct proa_host *host = proa_host_named(name);

    if (!host)
        return proa_complain(PROA_EXIT_USAGE, "no MPI '%s' is known: %s", name,
                             proa_host_names("", " or "));
    const struct reading *reading = read_as(host, words, true);
    const struct proa_host *abi = proa_host_abi(host);
    if (abi && !is_possible(reading)) { /* the same MPI, if the programs are for the ABI */
        const struct reading *by_abi = read_as(abi, words, true);
        reading = is_possible(by_abi) ? by_abi : reading;
    }
    return is_possible(reading) ? accept_reading(reading, choice) : complain(reading);
}

/* Returns the reading that is closer to a valid one, of two that cannot be run. */
static const struct reading *closer(const struct reading *a, const struct reading *b)
{
    if (a->line.file || b->line.file)
        return a->line.file ? a : b;
    if (a->missing != b->missing)
        return a->missing < b->missing ? a : b;
    return a->linked >= b->linked ? a : b;
}

int proa_choose(char *const *args, proa_line_reader *read, struct proa_choice *choice)
{
    const struct words *words = &(struct words){args, read};
    const struct reading *closest = NULL;
    const struct proa_host *host = proa_hosts; /* there is at least one */

    do {
        const struct reading *reading = read_as(host, words, false);
        if (reading->line.mpi && !reading->line.help)
            return choose_told(reading->line.mpi, words, choice);
        if (reading->line.help || (reading->linked > 0 && is_possible(reading)))
            return accept_reading(reading, choice);
        closest = closest ? closer(closest, reading) : reading;
    } while ((++host)->name);
    const char *name = getenv("PROA_MPI");
    bool told = name && *name && closest->linked == 0 && closest->strangers == 0;
    return told ? choose_told(name, words, choice) : complain(closest);
}

const char *proa_choice_libraries(const struct proa_choice *choice)
{
    const char *libraries = proa_library_find(choice->line.host);

    if (libraries && choice->mpi_library && choice->mpi_host != choice->line.host) {
        const char *of_host = proa_library_of_host(choice->line.host, choice->mpi_library);
        libraries = of_host ? proa_text("%s:%s", libraries, of_host) : NULL;
    }
    return libraries && choice->sanitizers ? proa_text("%s:%s", choice->sanitizers, libraries)
                                           : libraries;
}
