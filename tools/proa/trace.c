/* SPDX-License-Identifier: BSD-3-Clause */
/* `proa trace`: analyses a run by the files that `proa run --trace` wrote. */
#include "trace.h"

#include "commands.h"
#include "complain.h"
#include "otf2.h"
#include "perfetto.h"
#include "trace_figure.h"
#include "trace_page.h"

#include <argp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct wishes {
    const char *folder;
    bool json, list;
    const char *page, *figure, *perfetto, *otf2;
};

enum { PAGE = 256, FIGURE, PERFETTO, OTF2 };

static const struct argp_option options[] = {
    {"json", 'j', NULL, 0, "the numbers for programs, as JSON", 0},
    {"list", 'l', NULL, 0, "all events, epochs and arrows, a line of JSON for each", 0},
    {"html", PAGE, "FILE", 0, "a page for browsers, which needs no other file", 0},
    {"svg", FIGURE, "WINDOW:FIRST-LAST", 0,
     "a still picture of each rank's epochs FIRST to LAST on a window", 0},
    {"perfetto", PERFETTO, "FILE", 0, "a file for https://ui.perfetto.dev", 0},
    {"otf2", OTF2, "FOLDER", 0, "an archive of OTF2, in a new folder", 0},
    {0}};

static error_t take_option(int key, char *value, struct argp_state *state)
{
    struct wishes *wishes = state->input;

    switch (key) {
    case 'j':
        wishes->json = true;
        return 0;
    case 'l':
        wishes->list = true;
        return 0;
    case PAGE:
        wishes->page = value;
        return 0;
    case FIGURE:
        wishes->figure = value;
        return 0;
    case PERFETTO:
        wishes->perfetto = value;
        return 0;
    case OTF2:
        wishes->otf2 = value;
        return 0;
    case ARGP_KEY_ARG:
        if (wishes->folder)
            argp_error(state, "too many words: %s", value);
        wishes->folder = value;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "no folder: the one that `proa run --trace` was given");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void summarize(struct proa_model *model, bool json)
{
    struct proa_summary summary;

    proa_summary_make(&summary, model);
    proa_summary_sort(&summary);
    if (json)
        proa_trace_show_json(&summary, stdout);
    else
        proa_trace_show(&summary, stdout);
    proa_summary_free(&summary);
}

/* Writes a file. path: its path, or "-" for standard output. Returns 0, or -1 after an error
 * message. */
static int write_file(struct proa_model *model, const char *path,
                      void (*write)(struct proa_model *model, FILE *out))
{
    const bool is_stdout = strcmp(path, "-") == 0;
    FILE *out = is_stdout ? stdout : fopen(path, "w");
    int failed;

    if (!out)
        return proa_complain(-1, "cannot write %s: %m", path);
    write(model, out);
    failed = ferror(out) != 0;
    failed |= (is_stdout ? fflush(out) : fclose(out)) != 0;
    if (failed)
        return proa_complain(-1, "could not write all of %s: %m",
                             is_stdout ? "standard output" : path);
    return 0;
}

/* Returns 0, or -1 after an error message. */
static int show_files(struct proa_model *model, const struct wishes *wishes)
{
    int result = 0;

    if (wishes->page)
        result |= write_file(model, wishes->page, proa_trace_write_page);
    if (wishes->perfetto)
        result |= write_file(model, wishes->perfetto, proa_perfetto_write);
    if (wishes->otf2)
        result |= proa_otf2_write(model, wishes->otf2);
    return result;
}

/* Writes the output for standard output; the summary by default. Returns as above. */
static int show_text(struct proa_model *model, const struct wishes *wishes)
{
    int result = 0;

    if (wishes->figure)
        result = proa_trace_write_figure(model, wishes->figure, stdout);
    if (wishes->list)
        proa_trace_list(model, stdout);
    if (wishes->json ||
        !(wishes->figure || wishes->list || wishes->page || wishes->perfetto || wishes->otf2))
        summarize(model, wishes->json);
    if (fflush(stdout) != 0 || ferror(stdout))
        return proa_complain(-1, "could not write all of standard output: %m");
    return result;
}

int proa_command_trace(int argc, char **argv)
{
    static const struct argp parser = {
        .options = options,
        .parser = take_option,
        .args_doc = "FOLDER",
        .doc = "Shows the epochs of a run by its trace, and which rank waited for which.",
    };
    struct wishes wishes = {0};
    struct proa_model model;
    int result;

    argp_parse(&parser, argc, argv, 0, NULL, &wishes);
    if (proa_model_open(&model, wishes.folder) != 0)
        return EXIT_FAILURE;
    result = show_files(&model, &wishes);
    if (result == 0)
        result = show_text(&model, &wishes);
    proa_model_close(&model);
    return result == 0 ? 0 : EXIT_FAILURE;
}
