/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `proa exec`: executes a command with Proa's library for its MPI preloaded. Launchers start it as
 * they would start the program. So it works with every launcher, and only the environment differs.
 */
#include "choose.h"
#include "commands.h"
#include "complain.h"
#include "places.h"
#include "preload.h"
#include "translator.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A format: the names of the hosts, then of Proa's libraries. */
static const char help[] =
    "usage: LAUNCHER... proa exec [--mpi HOST] [--check] [OPTION...] [--stats[=FILE]] "
    "[--trace DIR] [--] COMMAND [ARGUMENT...]\n"
    "\n"
    "Becomes COMMAND, with Proa's library for its MPI preloaded. Any launcher may start it:\n"
    "srun -n 4 proa exec ./prog; COMMAND may be a program of MPI, or start one that is among its "
    "words: proa exec numactl -N 0 ./prog.\n"
    "\n"
    "  --mpi HOST    %s: which MPI it is, where no word of COMMAND tells\n" PROA_OBSERVERS_HELP
    "  --help        this text\n"
    "\n"
    "environment:\n"
    "  PROA_MPI      as --mpi, for commands that do not tell\n"
    "  PROA_LIBDIR   the folder that has %s\n"
    "  LD_PRELOAD    is kept, behind Proa's library\n";

static void show_help(FILE *file)
{
    fprintf(file, help, proa_host_names("", " or "), proa_host_libraries());
}

static int become_command(const struct proa_choice *choice)
{
    const struct proa_part *part = &choice->line.parts[0];
    const char *translator = proa_translator_before();
    struct proa_words words = {0};
    const char *libraries = proa_choice_libraries(choice);

    if (!libraries || !proa_translator_takes(*part->program))
        return PROA_EXIT_MISSING;
    setenv("LD_PRELOAD", proa_preload(libraries, getenv("LD_PRELOAD")), 1);
    if (translator)
        proa_words_add(&words, translator);
    for (char *const *word = part->program; word < part->end; word++)
        proa_words_add(&words, *word);
    execvp(words.list[0], words.list);
    return proa_complain(PROA_EXIT_MISSING, "cannot start %s: %s", words.list[0], strerror(errno));
}

int proa_command_exec(int argc, char **argv)
{
    struct proa_choice choice;

    if (argc < 2) {
        show_help(stderr);
        return PROA_EXIT_USAGE;
    }
    int status = proa_choose(argv + 1, proa_line_read_command, &choice);
    if (status != 0)
        return status;
    if (choice.line.top)
        return proa_complain(PROA_EXIT_USAGE, "--top is an option of `proa run`");
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
    proa_line_set_variables(&choice.line);
    return become_command(&choice);
}
