/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The words after `proa run`, taken apart (line.h).
 *
 * A launcher ends its options at the first word that is none, and so has to know which of them take
 * values. Proa knows many (host.c), not all: behind an option that it does not know, what follows
 * is passed over up to the first word that is a program. The launcher gets all words in their order
 * in any case.
 */
#include "line.h"

#include "find.h"
#include "path.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is(const char *word, const char *text)
{
    return strcmp(word, text) == 0;
}

size_t proa_own_option_words(char *const *args)
{
    if (is(args[0], "--mpi"))
        return args[1] ? 2 : 1;
    return is(args[0], "--help") || is(args[0], "--check") || is(args[0], "--stats") ||
           strncmp(args[0], "--stats=", strlen("--stats=")) == 0 ||
           strncmp(args[0], "--mpi=", strlen("--mpi=")) == 0;
}

static void read_own_option(struct proa_line *line, char *const *args)
{
    if (is(args[0], "--help"))
        line->help = true;
    else if (is(args[0], "--check"))
        line->check = true;
    else if (is(args[0], "--stats"))
        line->stats = "1";
    else if (strncmp(args[0], "--stats=", strlen("--stats=")) == 0)
        line->stats = args[0] + strlen("--stats=");
    else if (is(args[0], "--mpi"))
        line->mpi = args[1] ? args[1] : "";
    else
        line->mpi = args[0] + strlen("--mpi=");
}

static void read_known_option(struct proa_line *line, struct proa_part *part, char *const *args,
                              size_t words)
{
    const struct proa_option *option = proa_host_option(line->host, args[0]);

    const char *equals = strchr(args[0], '=');

    if (option->kind == PROA_OPTION_FILE)
        line->file = args[0];
    line->hosts |= option->kind == PROA_OPTION_HOSTS;
    if (option->kind == PROA_OPTION_RANKS && (words == 2 || equals)) {
        part->ranks_option = args[0];
        part->ranks = equals ? equals + 1 : args[1];
    }
    if (words == 2 && option->kind == PROA_OPTION_WDIR)
        part->wdir = args[1];
    if (words == 2 && option->kind == PROA_OPTION_PATH)
        part->path = args[1];
}

/* Reads the option at args[0] and gives back how many words are its own. *open: more of them may
 * be, for all that is known. */
static size_t read_option(struct proa_line *line, struct proa_part *part, char *const *args,
                          bool *open)
{
    size_t words = proa_own_option_words(args);

    *open = false;
    if (words) {
        read_own_option(line, args);
    } else {
        words = proa_option_words(line->host, args);
        if (proa_host_option(line->host, args[0]))
            read_known_option(line, part, args, words);
        else
            *open = !strchr(args[0], '=');
    }
    return words;
}

/* Which of two words that are no programs was more likely meant to be one: a path, or what comes
 * first. */
static char *const *likelier(char *const *former, char *const *latter)
{
    return former && (strchr(*former, '/') || !strchr(*latter, '/')) ? former : latter;
}

/* Reads the options of one part and gives back the word behind them: the program, "--", ":" or the
 * end. If no word is a program, the one that was likely meant to be. */
static char *const *read_options(struct proa_line *line, struct proa_part *part, char *const *args)
{
    char *const *likely = NULL;
    bool open = false;

    while (*args && !is(*args, ":") && !is(*args, "--")) {
        if ((*args)[0] == '-') {
            args += read_option(line, part, args, &open);
        } else if (!open || proa_find_program(line->host, part, *args)) {
            return args;
        } else {
            likely = likelier(likely, args++);
        }
    }
    return *args && is(*args, "--") ? args : likely ? likely : args;
}

/* Reads one part and gives back the word behind it: ":" or the end. */
static char *const *read_part(struct proa_line *line, struct proa_part *part, char *const *args)
{
    part->options = args;
    args = read_options(line, part, args);
    part->options_end = args;
    part->program = *args && is(*args, "--") ? ++args : args;
    while (*args && !is(*args, ":"))
        args++;
    part->end = args;
    return args;
}

struct proa_line proa_line_read(const struct proa_host *host, char *const *args)
{
    struct proa_line line = {.host = host};
    size_t colons = 0;

    for (char *const *word = args; *word; word++)
        colons += is(*word, ":");
    line.parts = proa_keep((colons + 1) * sizeof *line.parts);
    for (;;) {
        args = read_part(&line, &line.parts[line.part_count++], args);
        if (!*args)
            return line;
        args++; /* the colon */
    }
}

struct proa_line proa_line_read_command(const struct proa_host *host, char *const *args)
{
    struct proa_line line = {.host = host, .part_count = 1};
    struct proa_part *part = line.parts = proa_keep(sizeof *line.parts);
    size_t words;

    part->options = args;
    while (*args && (words = proa_own_option_words(args)) > 0) {
        read_own_option(&line, args);
        args += words;
    }
    part->options_end = args;
    part->program = *args && is(*args, "--") ? ++args : args;
    while (*args)
        args++;
    part->end = args;
    return line;
}

static void set_stats(const char *value)
{
    char here[PATH_MAX];

    if (!is(value, "0") && !is(value, "1") && getcwd(here, sizeof here))
        value = proa_path_join(here, value);
    setenv("PROA_STATS", value, 1);
}

void proa_line_set_variables(const struct proa_line *line)
{
    if (line->check)
        setenv("PROA_CHECK", "1", 1);
    if (line->stats)
        set_stats(line->stats);
}
