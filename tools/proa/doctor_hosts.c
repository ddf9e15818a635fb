/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks of the hosts, with two ranks for each that test windows (doctor.h). */
#include "doctor.h"

#include "about.h"
#include "child.h"
#include "finding.h"
#include "library.h"
#include "path.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    SELFTEST_SECONDS = 30,
    ACROSS_SECONDS = 120 /* includes attempts to use unusable networks */
};

static void add_words(struct proa_words *words, const char *list)
{
    char *rest = proa_text("%s", list);

    for (char *word = strsep(&rest, " "); word; word = strsep(&rest, " "))
        if (*word)
            proa_words_add(words, word);
}

/* Returns a command line of this command, after the given variables. Returns NULL if the command is
 * not found. */
static struct proa_words *command_with(const char *variables, const char *root_variables)
{
    struct proa_words *words;
    char self[PATH_MAX] = "";

    if (readlink("/proc/self/exe", self, sizeof self - 1) <= 0)
        return NULL;
    words = calloc(1, sizeof *words);
    if (!words)
        return NULL;
    proa_words_add(words, "/usr/bin/env");
    add_words(words, variables);
    if (getuid() == 0)
        add_words(words, root_variables);
    proa_words_add(words, proa_text("%s", self));
    return words;
}

/* Returns the last line of the output, for a finding of one line. */
static const char *last_line(const char *text)
{
    size_t length = strlen(text);

    while (length > 0 && text[length - 1] == '\n')
        length--;
    size_t begin = length;
    while (begin > 0 && text[begin - 1] != '\n')
        begin--;
    return proa_text("%.*s", (int)(length - begin), text + begin);
}

static void run_selftest(const struct proa_host *host, const char *program)
{
    /* for two ranks here, for any user, root included, and any number of processors */
    struct proa_words *words =
        command_with(proa_text("%s %s", host->crowded_environment, host->here_environment),
                     host->root_environment);
    int status;

    if (!words)
        return;
    add_words(words, proa_text("run --mpi %s -n 2 %s %s", host->name, host->crowded_options,
                               host->here_options));
    proa_words_add(words, program);
    const char *said = proa_child_run(words->list, SELFTEST_SECONDS, &status);
    const char *line = last_line(said), *ok = strstr(said, "selftest: ok");
    const char *by_hand = proa_text("see it all: proa run --mpi %s -n 2 %s", host->name, program);
    if (status == 0 && ok)
        proa_finding(PROA_FINE, host->name,
                     proa_text("%.*s", (int)strcspn(ok + strlen("selftest: ok, "), "\n"),
                               ok + strlen("selftest: ok, ")),
                     NULL, NULL);
    else if (status == 0 && strstr(said, "selftest: host"))
        proa_finding(PROA_COSTS, host->name, "two ranks: their windows are the host's",
                     "Proa leaves windows to the host that it cannot serve.",
                     "PROA_LOG=2 says why, in the same command");
    else
        proa_finding(PROA_BROKEN, host->name,
                     status == 124
                         ? proa_text("two ranks have not ended after %d s", SELFTEST_SECONDS)
                         : proa_text("two ranks fail, status %d: %s", status, line),
                     NULL, by_hand);
}

static void look_at_host(const struct proa_host *host)
{
    struct proa_host_about about = proa_about_host(host);
    const char *program = proa_library_selftest(host);

    if (!proa_about_any(&about))
        return;
    if (!about.library)
        proa_finding(PROA_BROKEN, host->name,
                     proa_text("%s, but no libproa-%s.so", host->title, host->library),
                     "Programs of this MPI cannot run on Proa.",
                     "install it (Debian: libproa-mpich, libproa-openmpi), or set PROA_LIBDIR");
    else if (!about.launcher)
        proa_finding(PROA_BROKEN, host->name,
                     proa_text("%s, but not its launcher %s", host->title, host->mpiexec_command),
                     "proa run cannot start programs of this MPI.",
                     "install it, or set PROA_MPIEXEC");
    else if (!about.mpi)
        proa_finding(PROA_NOTED, host->name,
                     proa_text("its launcher, but not %s itself", host->title), NULL, NULL);
    else if (!program)
        proa_finding(PROA_NOTED, host->name,
                     proa_text("%s, not tried: its self-test is not installed", host->title), NULL,
                     NULL);
    else
        run_selftest(host, program);
}

void proa_doctor_hosts(void)
{
    proa_finding_heading("Hosts");
    int before = proa_findings(PROA_FINE) + proa_findings(PROA_NOTED);

    for (const struct proa_host *host = proa_hosts; host->name; host++)
        look_at_host(host);
    if (before == proa_findings(PROA_FINE) + proa_findings(PROA_NOTED) &&
        proa_findings(PROA_BROKEN) == 0)
        proa_finding(PROA_BROKEN, "hosts", "no MPI is here", "Proa is an engine for an MPI.",
                     proa_text("install one that Proa knows: %s", proa_host_names("", " or ")));
}

/* ---- between machines ---- */

/* Returns the rest of the first line that contains `words`, from there on; NULL if there is
 * none. */
static const char *line_behind(const char *text, const char *words)
{
    const char *at = strstr(text, words);

    if (!at)
        return NULL;
    at += strlen(words);
    return proa_text("%.*s", (int)strcspn(at, "\n"), at);
}

static int count_of(const char *list)
{
    int count = 1;

    while ((list = strchr(list, ','))) {
        list++;
        count++;
    }
    return count;
}

/* Prints findings from the output of the ranks. With PROA_LOG=2 it has the selected network. */
static void tell_across(const struct proa_host *host, const char *said, int status,
                        const char *by_hand)
{
    const char *ok = strstr(said, "selftest: ok"),
               *taken = line_behind(said, "windows over several nodes go over "),
               *left = line_behind(said, "windows over several nodes are left to the host MPI: ");

    for (const char *at = said; (at = strstr(at, "proa: network: "));) {
        at += strlen("proa: network: ");
        const char *line = proa_text("%.*s", (int)strcspn(at, "\n"), at);
        if (strstr(line, "does not connect"))
            proa_finding(PROA_NOTED, host->name, line,
                         "Each job would try that network first, for some seconds.",
                         "PROA_INTERFACE names the one to use");
    }
    if (status == 0 && ok)
        proa_finding(PROA_FINE, host->name,
                     taken ? proa_text("windows go over %s", taken)
                           : "windows work, by loads and stores",
                     NULL, NULL);
    else if (left)
        proa_finding(status == 0 ? PROA_COSTS : PROA_BROKEN, host->name, left,
                     status == 0 ? "Windows over these machines are the host's."
                                 : "Windows over these machines are the host's, which has none.",
                     by_hand);
    else
        proa_finding(PROA_BROKEN, host->name,
                     status == 124
                         ? proa_text("the ranks have not ended after %d s", ACROSS_SECONDS)
                         : proa_text("the ranks fail, status %d: %s", status, last_line(said)),
                     NULL, by_hand);
}

static void run_across(const struct proa_host *host, const char *program, const char *machines)
{
    struct proa_words *words = command_with("PROA_LOG=2", host->root_environment);
    const char *rest = proa_text("run --mpi %s -n %d %s %s", host->name, count_of(machines),
                                 host->across_options, machines);
    int status;

    if (!words)
        return;
    add_words(words, rest);
    proa_words_add(words, program);
    const char *said = proa_child_run(words->list, ACROSS_SECONDS, &status);
    tell_across(host, said, status, proa_text("see it all: proa %s %s", rest, program));
}

void proa_doctor_across(const char *machines)
{
    const char *only = getenv("PROA_MPI");
    int tried = 0;

    proa_finding_heading(proa_text("Between %s", machines));
    for (const struct proa_host *host = proa_hosts; host->name; host++) {
        struct proa_host_about about = proa_about_host(host);
        const char *program = proa_library_selftest(host);

        if (!about.library || !about.launcher || !about.mpi || !program ||
            (only && *only && strcmp(only, host->name) != 0))
            continue;
        run_across(host, program, machines);
        tried++;
    }
    if (tried == 0)
        proa_finding(PROA_BROKEN, "hosts", "no MPI is here with its launcher and its self-test",
                     "Nothing can be started on other machines.", NULL);
}
