/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Parses the words after `proa run` (line.h).
 *
 * A launcher ends its options at the first word that is not one, so it has to know which of them
 * take values. Proa knows many options (host.c), but not all. After an unknown option, words are
 * skipped up to the first one that is a program. The launcher receives all words in their order in
 * any case.
 */
#include "line.h"

#include "complain.h"
#include "find.h"
#include "near.h"
#include "path.h"

#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is(const char *word, const char *text)
{
    return strcmp(word, text) == 0;
}

/* Proa's own options. NEEDED: a value follows, after "=" or as the next word. ALLOWED: only after
 * "=". */
enum value { NONE, ALLOWED, NEEDED };

static const struct own_option {
    const char *name;
    enum value value;
    size_t field; /* offset of the text in struct proa_line; 0 for none */
    const char *value_name;
} own_options[] = {
    {"--help", NONE, 0, NULL},
    {"--check", ALLOWED, offsetof(struct proa_line, check), "usage|memory"},
    {"--check-stack", NONE, 0, NULL},
    {"--check-root", NEEDED, offsetof(struct proa_line, check_root), "DIR"},
    {"--check-json", NEEDED, offsetof(struct proa_line, check_json), "FILE"},
    {"--check-sarif", NEEDED, offsetof(struct proa_line, check_sarif), "FILE"},
    {"--fail-on", NEEDED, offsetof(struct proa_line, fail_on), "race|misuse|note"},
    {"--mpi", NEEDED, offsetof(struct proa_line, mpi), "HOST"},
    {"--stats", ALLOWED, offsetof(struct proa_line, stats), "FILE"},
    {"--top", NONE, 0, NULL},
    {"--trace", NEEDED, offsetof(struct proa_line, trace), "DIR"},
};

static const struct own_option *own_option(const char *word)
{
    for (size_t i = 0; i < sizeof own_options / sizeof own_options[0]; i++) {
        const struct own_option *option = &own_options[i];
        size_t length = strlen(option->name);

        if (strncmp(word, option->name, length) == 0 &&
            (!word[length] || (word[length] == '=' && option->value != NONE)))
            return option;
    }
    return NULL;
}

/* Returns true if the next word is the option's value. An option is not a value. */
static bool takes_next(const struct own_option *option, char *const *args)
{
    return option->value == NEEDED && !strchr(args[0], '=') && args[1] && args[1][0] != '-';
}

/* Notes a word that is neither an option of Proa nor a known one of the launcher. */
static void note_misspelt(struct proa_line *line, const char *word)
{
    const char *typed = proa_text("%.*s", (int)strcspn(word, "="), word);

    for (size_t i = 0; i < sizeof own_options / sizeof own_options[0]; i++)
        if (!line->complaint && proa_is_near(typed, own_options[i].name))
            line->complaint =
                proa_text("no option %s; did you mean %s?", word, own_options[i].name);
}

size_t proa_own_option_words(char *const *args)
{
    const struct own_option *option = own_option(args[0]);

    if (!option)
        return 0;
    return takes_next(option, args) ? 2 : 1;
}

/* Returns the value as given, "1" if none is needed, or NULL if it is missing. */
static const char *value_of(const struct own_option *option, char *const *args)
{
    const char *equals = strchr(args[0], '=');

    if (equals)
        return equals + 1;
    if (option->value == ALLOWED)
        return "1";
    return takes_next(option, args) ? args[1] : NULL;
}

static void read_own_option(struct proa_line *line, char *const *args)
{
    const struct own_option *option = own_option(args[0]);

    if (option->field && !value_of(option, args))
        line->complaint =
            proa_text("%s needs a value: %s %s", option->name, option->name, option->value_name);
    line->help |= is(option->name, "--help");
    line->top |= is(option->name, "--top");
    line->check_stack |= is(option->name, "--check-stack");
    if (option->field)
        *(const char **)((char *)line + option->field) = value_of(option, args);
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

/* Reads the option at args[0]. Returns its number of words. *open: set if more words may belong to
 * it, as the option is unknown. */
static size_t read_option(struct proa_line *line, struct proa_part *part, char *const *args,
                          bool *open)
{
    size_t words = proa_own_option_words(args);

    *open = false;
    if (words) {
        read_own_option(line, args);
    } else {
        words = proa_option_words(line->host, args);
        if (proa_host_option(line->host, args[0])) {
            read_known_option(line, part, args, words);
        } else {
            *open = !strchr(args[0], '=');
            note_misspelt(line, args[0]);
        }
    }
    return words;
}

/* Returns the likelier one of two words that are no programs: a path, or the first one. */
static char *const *likelier(char *const *former, char *const *latter)
{
    return former && (strchr(*former, '/') || !strchr(*latter, '/')) ? former : latter;
}

/* Reads the options of one part. Returns the word after them: the program, "--", ":" or the end. If
 * no word is a program, returns the likeliest one. */
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

/* Reads one part. Returns the word after it: ":" or the end. */
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
    if (*args && (*args)[0] == '-')
        note_misspelt(&line, *args);
    part->options_end = args;
    part->program = *args && is(*args, "--") ? ++args : args;
    while (*args)
        args++;
    part->end = args;
    return line;
}

static void set_file(const char *variable, const char *value)
{
    char here[PATH_MAX];

    if (!is(value, "0") && !is(value, "1") && getcwd(here, sizeof here))
        value = proa_path_join(here, value);
    setenv(variable, value, 1);
}

/* The ranks write to pipes of the launcher, which writes to this terminal. */
static void set_color(void)
{
    if (isatty(STDERR_FILENO) && !getenv("NO_COLOR"))
        setenv("PROA_COLOR", "always", 0);
}

const char *proa_check_level(void)
{
    const char *level = getenv("PROA_CHECK");

    return level && *level && !is(level, "0") ? level : NULL;
}

/* Each of these options enables check mode. */
static void set_check(const struct proa_line *line)
{
    if (!line->check && !line->check_json && !line->check_sarif && !line->fail_on &&
        !line->check_stack && !line->check_root)
        return;
    if (line->check || !proa_check_level())
        setenv("PROA_CHECK", line->check ? line->check : "1", 1);
    set_color();
    if (line->check_stack)
        setenv("PROA_CHECK_STACK", "64", 1);
    if (line->check_root)
        set_file("PROA_CHECK_ROOT", line->check_root);
    if (line->check_json)
        set_file("PROA_CHECK_JSON", line->check_json);
    if (line->check_sarif)
        set_file("PROA_CHECK_SARIF", line->check_sarif);
    if (line->fail_on)
        setenv("PROA_CHECK_FAIL_ON", line->fail_on, 1);
}

void proa_line_set_variables(const struct proa_line *line)
{
    set_check(line);
    if (line->stats)
        set_file("PROA_STATS", line->stats);
    if (line->trace)
        set_file("PROA_TRACE", line->trace);
}

int proa_line_check(const struct proa_line *line)
{
    static const char *const verdicts[] = {"race", "misuse", "note"};

    if (line->complaint)
        return proa_complain(PROA_EXIT_USAGE, "%s", line->complaint);
    if (line->check && !is(line->check, "1") && !is(line->check, "memory") &&
        !is(line->check, "usage"))
        return proa_complain(PROA_EXIT_USAGE,
                             "--check has no value but usage and memory, not \"%s\"", line->check);
    if (line->check_json && !line->check_json[0])
        return proa_complain(PROA_EXIT_USAGE, "--check-json needs the name of a file");
    if (line->trace && !line->trace[0])
        return proa_complain(PROA_EXIT_USAGE, "--trace needs the name of a folder");
    if (line->top && !line->trace && !getenv("PROA_TRACE"))
        return proa_complain(PROA_EXIT_USAGE, "--top needs --trace FOLDER");
    if (line->check_root && !line->check_root[0])
        return proa_complain(PROA_EXIT_USAGE, "--check-root needs the name of a folder");
    if (line->check_sarif && !line->check_sarif[0])
        return proa_complain(PROA_EXIT_USAGE, "--check-sarif needs the name of a file");
    for (size_t i = 0; line->fail_on && i < sizeof verdicts / sizeof verdicts[0]; i++)
        if (is(line->fail_on, verdicts[i]))
            return 0;
    return line->fail_on
               ? proa_complain(PROA_EXIT_USAGE, "--fail-on needs race, misuse or note, not \"%s\"",
                               line->fail_on)
               : 0;
}
