/* SPDX-License-Identifier: BSD-3-Clause */
/* See options.h. */
#include "options.h"

#include <argp.h>
#include <stdlib.h>

static const struct argp_option known[] = {
    {"case", 'c', "NAME", 0, "Measure this case", 0},
    {"list", 'l', NULL, 0, "List the cases, each with the number of processes it is for", 0},
    {"loops", 'n', "N", 0, "Measure so many loops (21)", 0},
    {"loop-us", 'u', "MICROSECONDS", 0, "Make a loop last about so long (500)", 0},
    {0},
};

static long number(struct argp_state *state, const char *text, long most)
{
    char *end;
    long value = strtol(text, &end, 10);

    if (*text == '\0' || *end != '\0' || value < 1 || value > most)
        argp_error(state, "'%s' is not a number from 1 to %ld", text, most);
    return value;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct options *options = state->input;

    switch (key) {
    case 'c':
        options->name = arg;
        return 0;
    case 'l':
        options->list = true;
        return 0;
    case 'n':
        options->plan.loops = (int)number(state, arg, LOOPS_MOST);
        return 0;
    case 'u':
        options->plan.loop_ns = 1e3 * (double)number(state, arg, 10000000);
        return 0;
    case ARGP_KEY_END:
        if (!options->name && !options->list)
            argp_error(state, "which case? --list shows them");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

struct options options_parse(int argc, char **argv, const char *about)
{
    struct options options = {.plan = {.loops = 21, .loop_ns = 0.5e6, .budget_ns = 0.5e9}};
    struct argp argp = {known, parse, NULL, about, NULL, NULL, NULL};

    argp_parse(&argp, argc, argv, 0, NULL, &options);
    return options;
}
