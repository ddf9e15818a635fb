/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `proa run`: starts an MPI program by its own MPI's launcher, with the Proa library for that MPI
 * preloaded in the ranks only. Steps: detect the MPI that the programs are linked to, find Proa's
 * library for it and its launcher, build the launcher's command line, and execute the launcher. So
 * the exit status is the launcher's.
 */
#include "choose.h"
#include "commands.h"
#include "complain.h"
#include "library.h"
#include "mpiexec.h"
#include "places.h"
#include "preload.h"
#include "ranks.h"
#include "top.h"
#include "translator.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

/* A format: the names of the hosts, then of Proa's libraries. */
static const char help[] =
    "usage: proa run [--mpi HOST] [LAUNCHER'S OPTION...] [--] PROGRAM [ARGUMENT...] [: ...]\n"
    "\n"
    "Starts PROGRAM by the mpiexec of the MPI that it is linked to, with Proa's library for that "
    "MPI in its ranks.\n"
    "All options but these are that launcher's, such as -n 4:\n"
    "\n"
    "  --mpi HOST    %s: which MPI it is, where PROGRAM is a script or something else that does "
    "not tell (of Python, mpi4py does)\n" PROA_OBSERVERS_HELP
    "  --top         with --trace: shows in the terminal what the ranks do, and their output at "
    "the end\n"
    "  --help        this text\n"
    "\n"
    "environment:\n"
    "  PROA_MPI      as --mpi, for programs that do not tell\n"
    "  PROA_LIBDIR   the folder that has %s\n"
    "  PROA_MPIEXEC  the launcher to use; srun: with srun's options instead\n"
    "  LD_PRELOAD    is kept for the ranks, behind Proa's library\n"
    "  PROA_*        every such variable reaches the ranks on all nodes\n";

/* The first part gets the variables that apply to all parts. Each part gets them if the launcher
 * keeps the parts' variables separate. */
static void add_variables(const struct proa_line *line, struct proa_words *words,
                          const char *preload)
{
    const struct proa_host *host = line->host;

    proa_host_add_env(host, words, host->env_option, "LD_PRELOAD", preload);
    for (char **entry = environ; *entry && !host->launcher->env_forwarded; entry++) {
        size_t length = strcspn(*entry, "=");
        if (strncmp(*entry, "PROA_", strlen("PROA_")) == 0 && (*entry)[length] == '=')
            proa_host_add_env(host, words, host->env_option, proa_text("%.*s", (int)length, *entry),
                              *entry + length + 1);
    }
}

static void add_words(struct proa_words *words, char *const *args, char *const *end)
{
    for (; args < end; args++)
        proa_words_add(words, *args);
}

/* Copies one part's options without proa's own. An option that sets LD_PRELOAD for the ranks would
 * override ours, which comes before it, so our library is added to its value. */
static void add_options(const struct proa_line *line, const struct proa_part *part,
                        struct proa_words *words, const char *library)
{
    size_t count;

    for (char *const *args = part->options; args < part->options_end; args += count) {
        const char *theirs = proa_option_env(line->host, args, "LD_PRELOAD");
        count = proa_own_option_words(args);
        if (count)
            continue;
        count = proa_option_words(line->host, args);
        if (theirs)
            proa_host_add_env(line->host, words, args[0], "LD_PRELOAD",
                              proa_preload(library, theirs));
        else
            add_words(words, args, args + count);
    }
}

static char **launcher_words(const struct proa_line *line, const char *mpiexec, const char *library)
{
    struct proa_words words = {0};
    const char *preload = proa_preload(library, getenv("LD_PRELOAD"));

    proa_words_add(&words, mpiexec);
    for (size_t i = 0; i < line->part_count; i++) {
        if (i > 0)
            proa_words_add(&words, ":");
        if (i == 0 || line->host->launcher->env_per_context)
            add_variables(line, &words, preload);
        add_options(line, &line->parts[i], &words, library);
        if (proa_translator_before())
            proa_words_add(&words, proa_translator_before());
        add_words(&words, line->parts[i].program, line->parts[i].end);
    }
    return words.list;
}

/* Builds the same by `proa exec`: this command has the same path on every node. */
static char **exec_words(const struct proa_line *line, const char *launcher)
{
    struct proa_words words = {0};
    char *self = proa_keep(PATH_MAX);

    proa_words_add(&words, launcher);
    if (readlink("/proc/self/exe", self, PATH_MAX - 1) <= 0)
        self = "proa";
    for (size_t i = 0; i < line->part_count; i++) {
        const struct proa_part *part = &line->parts[i];
        if (i > 0)
            proa_words_add(&words, ":");
        add_options(line, part, &words, NULL);
        proa_words_add(&words, self);
        proa_words_add(&words, "exec");
        if (line->mpi) {
            proa_words_add(&words, "--mpi");
            proa_words_add(&words, line->mpi);
        }
        proa_words_add(&words, "--");
        add_words(&words, part->program, part->end);
    }
    return words.list;
}

/* Sets LD_PRELOAD of the launcher itself; the ranks get a value of their own. Sessions are left
 * unchanged if no rank has to yield, or if other work competes for the processors. */
static void preload_launcher(const struct proa_line *line)
{
    const char *library = line->host->launcher->splits_sessions && proa_ranks_are_many(line) &&
                                  !proa_ranks_have_rivals()
                              ? proa_library_launcher()
                              : NULL;

    if (library)
        setenv("LD_PRELOAD", proa_preload(library, getenv("LD_PRELOAD")), 1);
}

static int become_launcher(const struct proa_choice *choice, const char *launcher)
{
    const struct proa_line *line = &choice->line;
    const char *library = proa_choice_libraries(choice);

    if (!library)
        return PROA_EXIT_MISSING;
    char **words = line->host->launcher->starts_exec ? exec_words(line, launcher)
                                                     : launcher_words(line, launcher, library);
    preload_launcher(line);
    if (line->top)
        return proa_top_run(launcher, words, getenv("PROA_TRACE"));
    execv(launcher, words);
    return proa_complain(PROA_EXIT_MISSING, "cannot start %s: %s", launcher, strerror(errno));
}

static int run_by(const struct proa_choice *choice, const char *launcher)
{
    int status = proa_ranks_check(&choice->line);

    if (status != 0)
        return status;
    if (choice->line.top && !isatty(STDOUT_FILENO))
        return proa_complain(PROA_EXIT_USAGE, "--top needs a terminal as standard output");
    proa_line_set_variables(&choice->line);
    for (size_t i = 0; i < choice->line.part_count; i++)
        if (!proa_translator_takes(*choice->line.parts[i].program))
            return PROA_EXIT_MISSING;
    return become_launcher(choice, launcher);
}

/* If the MPI has no launcher of its own, as at many sites with Slurm, the line is parsed again with
 * srun's options. */
static int run(char *const *args, struct proa_choice *choice)
{
    const char *launcher = proa_mpiexec_look(choice->line.host, choice->mpi_library);
    const char *slurms = launcher ? NULL : proa_mpiexec_instead();

    if (slurms) {
        proa_hosts_by_srun();
        int status = proa_choose(args, proa_line_read, choice);
        return status ? status : run_by(choice, slurms);
    }
    if (!launcher)
        launcher = proa_mpiexec_find(choice->line.host, choice->mpi_library);
    return launcher ? run_by(choice, launcher) : PROA_EXIT_MISSING;
}

static void show_help(FILE *file)
{
    fprintf(file, help, proa_host_names("", " or "), proa_host_libraries());
}

int proa_command_run(int argc, char **argv)
{
    struct proa_choice choice;

    if (argc < 2) {
        show_help(stderr);
        return PROA_EXIT_USAGE;
    }
    int status = proa_choose(argv + 1, proa_line_read, &choice);
    if (status != 0)
        return status;
    if (!choice.line.help)
        status = proa_line_check(&choice.line);
    if (status == 0 && !choice.line.help)
        status = proa_places_check(&choice.line);
    if (status != 0)
        return status;
    if (choice.line.help) {
        show_help(stdout);
        return 0;
    }
    return run(argv + 1, &choice);
}
