/* SPDX-License-Identifier: BSD-3-Clause */
/* The command `proa`: finds the subcommand in a table and calls it. */
#include "commands.h"
#include "complain.h"
#include "keep.h"
#include "mpiexec.h"
#include "near.h"

#include <argp.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct command {
    const char *name;
    const char *summary;
    int (*run)(int argc, char **argv);
};

static const struct command commands[] = {
    {"run", "start an MPI program with Proa in its ranks", proa_command_run},
    {"exec", "become a command with Proa in it, below any launcher", proa_command_exec},
    {"info", "show the version, hosts, networks and settings", proa_command_info},
    {"doctor", "look for what keeps Proa from working, or from working well", proa_command_doctor},
    {"trace", "show the epochs of a run, and which rank waited for which", proa_command_trace},
    {"top", "show what the ranks of a run with a trace do now", proa_command_top},
    {"bench", "time one-sided communication, with Proa and without", proa_command_bench},
};

enum { COMMANDS = sizeof commands / sizeof commands[0] };

/* Returns the text after the options in --help. */
static char *list_commands(int key, const char *text, void *input)
{
    char *list = NULL;
    size_t length;

    (void)input;
    if (key != ARGP_KEY_HELP_POST_DOC)
        return (char *)text;
    FILE *out = open_memstream(&list, &length);
    if (!out)
        return (char *)text;
    fputs("commands:\n", out);
    for (size_t i = 0; i < COMMANDS; i++)
        fprintf(out, "  %-8s %s\n", commands[i].name, commands[i].summary);
    fputs("\n`proa COMMAND --help` says more of one.", out);
    fclose(out);
    return list; /* argp frees it */
}

static const struct command *find_command(const char *name)
{
    for (size_t i = 0; i < COMMANDS; i++) {
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    }
    return NULL;
}

static int complain_command(const char *name)
{
    for (size_t i = 0; i < COMMANDS; i++)
        if (proa_is_near(name, commands[i].name))
            return proa_complain(PROA_EXIT_USAGE, "no command '%s'; did you mean %s?", name,
                                 commands[i].name);
    return proa_complain(PROA_EXIT_USAGE, "no command '%s'; `proa --help` lists them", name);
}

/* A file or pipe that gets the descriptor of a closed standard stream would be mistaken for it,
 * here and in the launcher. */
static void open_standard_streams(void)
{
    int file;

    do
        file = open("/dev/null", O_RDWR);
    while (file >= 0 && file <= STDERR_FILENO);
    if (file >= 0)
        close(file);
}

/* The first word that is no option is the command; all words after it belong to that command. */
static error_t take_word(int key, char *word, struct argp_state *state)
{
    int *at = state->input;

    (void)word;
    if (key == 'h')
        argp_state_help(state, stdout, ARGP_HELP_STD_HELP);
    if (key != ARGP_KEY_ARG)
        return ARGP_ERR_UNKNOWN;
    *at = state->next - 1;
    state->next = state->argc;
    return 0;
}

static void show_version(FILE *out, struct argp_state *state)
{
    (void)state;
    fputs("proa " PROA_VERSION "\n", out);
}

int main(int argc, char **argv)
{
    static const struct argp_option options[] = {{"", 'h', NULL, OPTION_HIDDEN, NULL, 0}, {0}};
    static const struct argp parser = {
        .options = options,
        .parser = take_word,
        .args_doc = "COMMAND [ARGUMENT...]",
        .doc = "One-sided MPI that does not wait for the target.\vx",
        .help_filter = list_commands,
    };
    int at = 0;

    open_standard_streams();
    argp_program_version_hook = show_version;
    argp_err_exit_status = PROA_EXIT_USAGE;
    argv[0] = "proa";
    argp_parse(&parser, argc, argv, ARGP_IN_ORDER, NULL, &at);
    if (at == 0) {
        argp_help(&parser, stderr, ARGP_HELP_USAGE | ARGP_HELP_POST_DOC, argv[0]);
        return PROA_EXIT_USAGE;
    }
    const struct command *command = find_command(argv[at]);
    if (!command)
        return complain_command(argv[at]);
    char *name = proa_text("proa %s", command->name);
    proa_complain_as(name);
    argv[at] = name;
    proa_mpiexec_heed_srun();
    return command->run(argc - at, argv + at);
}
