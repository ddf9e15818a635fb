/* SPDX-License-Identifier: BSD-3-Clause */
/* `proa top`: attaches to a run with a trace. */
#include "top.h"

#include "commands.h"
#include "complain.h"
#include "keep.h"

#include <argp.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ENVIRONMENT_MOST = 1 << 22, DEPTH_MOST = 4 };

struct wishes {
    const char *what;
    bool once;
};

static const struct argp_option options[] = {
    {"once", '1', NULL, 0, "one view, on standard output; as without a terminal", 0}, {0}};

static error_t take_option(int key, char *value, struct argp_state *state)
{
    struct wishes *wishes = state->input;

    switch (key) {
    case '1':
        wishes->once = true;
        return 0;
    case ARGP_KEY_ARG:
        if (wishes->what)
            argp_error(state, "too many words: %s", value);
        wishes->what = value;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "no process: one of the run, its launcher, or the folder of its trace");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* ---- the trace of a process ---- */

/* Returns the value of PROA_TRACE in the process's initial environment, as a path. Returns NULL if
 * there is none, or the process is another user's. */
static const char *trace_of(long pid)
{
    static char bytes[ENVIRONMENT_MOST];
    FILE *file = fopen(proa_text("/proc/%ld/environ", pid), "re");
    size_t count = file ? fread(bytes, 1, sizeof bytes - 1, file) : 0;

    if (file)
        fclose(file);
    bytes[count] = 0;
    for (const char *at = bytes; at < bytes + count; at += strlen(at) + 1)
        if (strncmp(at, "PROA_TRACE=", strlen("PROA_TRACE=")) == 0) {
            at += strlen("PROA_TRACE=");
            return proa_text(*at == '/' ? "%s" : "/proc/%2$ld/cwd/%1$s", at, pid);
        }
    return NULL;
}

/* Returns the trace of the process, or of its first descendant with one. */
static const char *trace_below(long pid, int depth)
{
    const char *found = trace_of(pid);
    FILE *children;
    long child;

    if (found || depth == DEPTH_MOST)
        return found;
    children = fopen(proa_text("/proc/%ld/task/%ld/children", pid, pid), "re");
    while (!found && children && fscanf(children, "%ld", &child) == 1)
        found = trace_below(child, depth + 1);
    if (children)
        fclose(children);
    return found;
}

/* Returns NULL after an error message. */
static const char *folder_of(const char *what)
{
    char *end;
    long pid = strtol(what, &end, 10);
    const char *found;
    struct stat status;

    if (stat(what, &status) == 0 && S_ISDIR(status.st_mode))
        return what;
    if (*end || pid <= 0 || access(proa_text("/proc/%ld", pid), F_OK) != 0)
        return proa_complain(0, "%s is neither a process nor a folder", what), NULL;
    if (access(proa_text("/proc/%ld/environ", pid), R_OK) != 0)
        return proa_complain(0, "process %s is another user's", what), NULL;
    found = trace_below(pid, 0);
    if (!found)
        proa_complain(0, "process %s has no trace: start it by `proa run --trace DIR`", what);
    return found;
}

/* ---- the command ---- */

static volatile sig_atomic_t is_over;

static void stop(int number)
{
    (void)number;
    is_over = 1;
}

static void show_once(const struct proa_live *live)
{
    enum { COLUMNS = 400 };

    proa_top_view(live, stdout, INT_MAX, COLUMNS);
}

/* A signal ends the view, and the sleep. */
static void follow(struct proa_live *live)
{
    struct sigaction action = {.sa_handler = stop};

    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    proa_top_begin();
    while (!is_over && !proa_live_has_ended(live)) {
        proa_top_show(live, "");
        sleep(1);
        proa_live_look(live);
    }
    proa_top_end();
}

int proa_command_top(int argc, char **argv)
{
    static const struct argp parser = {
        .options = options,
        .parser = take_option,
        .args_doc = "PROCESS|FOLDER",
        .doc = "Shows what the ranks of a run do now that was started with a trace.",
    };
    struct wishes wishes = {0};
    struct proa_live live;
    const char *folder;

    argp_parse(&parser, argc, argv, 0, NULL, &wishes);
    folder = folder_of(wishes.what);
    if (!folder)
        return EXIT_FAILURE;
    proa_live_open(&live, folder);
    proa_live_look(&live);
    if (live.rank_count == 0) {
        proa_live_close(&live);
        return proa_complain(EXIT_FAILURE, "no rank of a run records in %s now", folder);
    }
    if (!wishes.once && isatty(STDOUT_FILENO))
        follow(&live);
    sleep(wishes.once || !isatty(STDOUT_FILENO));
    proa_live_look(&live);
    show_once(&live);
    proa_live_close(&live);
    return 0;
}
