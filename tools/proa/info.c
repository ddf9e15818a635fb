/* SPDX-License-Identifier: BSD-3-Clause */
/* `proa info`: the version of Proa, the hosts and networks found here, and every setting. */
#include "about.h"
#include "commands.h"
#include "complain.h"
#include "info.h"
#include "json.h"
#include "library.h"
#include "settings_text.h"

#include "base/settings.h"

#include <argp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const origin_names[] = {
    [PROA_SETTING_DEFAULT] = "default",
    [PROA_SETTING_ENVIRONMENT] = "environment",
    [PROA_SETTING_REFUSED] = "refused",
};

/* ---- text ---- */

static const char *or_none(const char *text)
{
    return text ? text : "not found";
}

static void show_host(const struct proa_host *host, FILE *out)
{
    struct proa_host_about about = proa_about_host(host);

    if (!proa_about_any(&about)) {
        fprintf(out, "  %-12s not here\n", host->name);
        return;
    }
    fprintf(out, "  %-12s %s\n", host->name, about.version ? about.version : host->title);
    fprintf(out, "  %-12s   library   %s\n", "", or_none(about.mpi));
    fprintf(out, "  %-12s   launcher  %s\n", "", or_none(about.launcher));
    fprintf(out, "  %-12s   Proa's    %s\n", "", or_none(about.library));
}

static void show_network(FILE *out)
{
    struct proa_network_about about = proa_about_network();

    fprintf(out, "\nBetween nodes\n");
    if (about.library)
        fprintf(out, "  %s, providers that would do: %s\n", about.library,
                *about.providers ? about.providers : "none");
    if (about.taken)
        fprintf(out, "  Proa takes %s\n", about.taken);
    if (about.why)
        fprintf(out, "  none: %s\n", about.why);
}

static void show_setting(const struct proa_setting *row, FILE *out)
{
    const char *text = getenv(row->variable);
    enum proa_setting_origin origin;
    const char *value = proa_setting_value(row, text, &origin);
    char words[64];

    fprintf(out, "  %-18s %s (%s", row->variable, *value ? value : "not set", origin_names[origin]);
    if (origin == PROA_SETTING_REFUSED)
        fprintf(out, " '%s'", text);
    if (origin != PROA_SETTING_DEFAULT)
        fprintf(out, ", default %s", *row->fallback ? row->fallback : "not set");
    fprintf(out, "); %s\n", proa_setting_words(row, words, sizeof words));
    proa_wrap(row->help, 21, out);
}

/* Lists variables that Proa does not read, which are usually misspelt. */
static void show_unknown(FILE *out)
{
    for (char **entry = environ; *entry; entry++) {
        size_t length = strcspn(*entry, "=");
        const char *name = proa_text("%.*s", (int)length, *entry);
        if (strncmp(name, "PROA_", strlen("PROA_")) == 0 && !proa_info_is_setting(name))
            fprintf(out, "  %-18s is no setting of Proa's\n", name);
    }
}

void proa_info_show(FILE *out)
{
    fprintf(out, "proa %s\n\nHosts\n", PROA_VERSION);
    for (const struct proa_host *host = proa_hosts; host->name; host++)
        show_host(host, out);
    show_network(out);
    fprintf(out, "\nSettings (environment variables)\n");
    for (const struct proa_setting *row = proa_setting_rows; row->variable; row++)
        show_setting(row, out);
    show_unknown(out);
}

bool proa_info_is_setting(const char *name)
{
    for (const struct proa_setting *row = proa_setting_rows; row->variable; row++)
        if (strcmp(row->variable, name) == 0)
            return true;
    return false;
}

/* ---- JSON ---- */

static void write_host(const struct proa_host *host, struct proa_json *json)
{
    struct proa_host_about about = proa_about_host(host);

    proa_json_open(json, NULL, '{');
    proa_json_text(json, "name", host->name);
    proa_json_text(json, "title", host->title);
    proa_json_text(json, "version", about.version);
    proa_json_text(json, "mpi_library", about.mpi);
    proa_json_text(json, "launcher", about.launcher);
    proa_json_text(json, "proa_library", about.library);
    proa_json_close(json, '}');
}

static void write_network(struct proa_json *json)
{
    struct proa_network_about about = proa_about_network();

    proa_json_open(json, "network", '{');
    proa_json_text(json, "library", about.library);
    proa_json_text(json, "taken", about.taken);
    proa_json_text(json, "providers", about.providers);
    proa_json_text(json, "why_none", about.why);
    proa_json_close(json, '}');
}

static void write_setting(const struct proa_setting *row, struct proa_json *json)
{
    static const char *const kinds[] = {"flag", "number", "choice", "text"};
    enum proa_setting_origin origin;
    const char *value = proa_setting_value(row, getenv(row->variable), &origin);

    proa_json_open(json, NULL, '{');
    proa_json_text(json, "variable", row->variable);
    proa_json_text(json, "value", value);
    proa_json_text(json, "default", row->fallback);
    proa_json_text(json, "origin", origin_names[origin]);
    proa_json_text(json, "kind", kinds[row->kind]);
    proa_json_text(json, "values", row->values);
    proa_json_truth(json, "for_developers", row->whose == PROA_SETTING_DEVELOPER);
    proa_json_text(json, "read_by", row->of_command ? "proa run" : "ranks");
    proa_json_text(json, "meaning", row->help);
    proa_json_close(json, '}');
}

static void write_json(FILE *out)
{
    struct proa_json json = {.out = out};

    proa_json_open(&json, NULL, '{');
    proa_json_text(&json, "version", PROA_VERSION);
    proa_json_open(&json, "hosts", '[');
    for (const struct proa_host *host = proa_hosts; host->name; host++)
        write_host(host, &json);
    proa_json_close(&json, ']');
    write_network(&json);
    proa_json_open(&json, "settings", '[');
    for (const struct proa_setting *row = proa_setting_rows; row->variable; row++)
        write_setting(row, &json);
    proa_json_close(&json, ']');
    proa_json_close(&json, '}');
}

/* ---- for compilers ---- */

static int write_cflags(FILE *out)
{
    const char *folder = proa_library_headers();

    if (!folder)
        return proa_complain(1, "Proa's headers are not here: they belong to its files for "
                                "developers");
    fprintf(out, "-I%s\n", folder);
    return 0;
}

/* ---- the command ---- */

enum { OPTION_JSON = 1, OPTION_SETTINGS, OPTION_CFLAGS };

static const struct argp_option options[] = {
    {"json", OPTION_JSON, NULL, 0, "the same for programs, as JSON", 0},
    {"cflags", OPTION_CFLAGS, NULL, 0,
     "only the option of compilers for Proa's headers: mpicc $(proa info --cflags) prog.c", 0},
    {"settings", OPTION_SETTINGS, "FORM", 0,
     "only the table of settings, without values: markdown, or mdoc for a manual page", 0},
    {0},
};

static error_t take_option(int key, char *value, struct argp_state *state)
{
    const char **form = state->input;

    if (key == OPTION_JSON)
        *form = "json";
    else if (key == OPTION_CFLAGS)
        *form = "cflags";
    else if (key == OPTION_SETTINGS)
        *form = value;
    else if (key == ARGP_KEY_ARG)
        argp_error(state, "too many words: %s", value);
    else
        return ARGP_ERR_UNKNOWN;
    return 0;
}

int proa_command_info(int argc, char **argv)
{
    static const struct argp parser = {
        .options = options,
        .parser = take_option,
        .doc = "Shows Proa's version, the MPIs and networks that are here, and every setting with "
               "its value and where that comes from."};
    const char *form = "people";

    argp_parse(&parser, argc, argv, 0, NULL, &form);
    if (strcmp(form, "json") == 0)
        write_json(stdout);
    else if (strcmp(form, "cflags") == 0)
        return write_cflags(stdout);
    else if (strcmp(form, "people") == 0)
        proa_info_show(stdout);
    else if (!proa_settings_text(form, stdout))
        return proa_complain(PROA_EXIT_USAGE, "--settings is markdown or mdoc, not %s", form);
    return 0;
}
