/* SPDX-License-Identifier: BSD-3-Clause */
/* The command `proa`: finds the subcommand in one table and hands over. */
#include "commands.h"
#include "complain.h"
#include "keep.h"

#include <stdio.h>
#include <string.h>

struct command {
    const char *name;
    const char *summary;
    int (*run)(int argc, char **argv);
};

static const struct command commands[] = {
    {"run", "start an MPI program with Proa in its ranks", proa_command_run},
};

enum { COMMANDS = sizeof commands / sizeof commands[0] };

static int show_help(FILE *out)
{
    fputs("usage: proa COMMAND [ARGUMENT...]\n"
          "       proa --help | --version\n"
          "\n"
          "commands:\n",
          out);
    for (size_t i = 0; i < COMMANDS; i++)
        fprintf(out, "  %-8s %s\n", commands[i].name, commands[i].summary);
    fputs("\n"
          "`proa COMMAND --help` says more of one.\n",
          out);
    return out == stdout ? 0 : PROA_EXIT_USAGE;
}

static const struct command *find_command(const char *name)
{
    for (size_t i = 0; i < COMMANDS; i++) {
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    }
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return show_help(stderr);
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
        return show_help(stdout);
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
        puts("proa " PROA_VERSION);
        return 0;
    }
    const struct command *command = find_command(argv[1]);
    if (!command)
        return proa_complain(PROA_EXIT_USAGE, "no command '%s'; `proa --help` lists them", argv[1]);
    proa_complain_as(proa_text("proa %s", command->name));
    return command->run(argc - 1, argv + 1);
}
