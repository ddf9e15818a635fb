/* SPDX-License-Identifier: BSD-3-Clause */
/* The hosts, and two ranks under each that try windows out (doctor.h). */
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

enum { SELFTEST_SECONDS = 30 };

static void add_words(struct proa_words *words, const char *list)
{
    char *rest = proa_text("%s", list);

    for (char *word = strsep(&rest, " "); word; word = strsep(&rest, " "))
        if (*word)
            proa_words_add(words, word);
}

/* For two ranks here, whoever starts them and however many processors there are. */
static void set_environment(const struct proa_host *host)
{
    struct proa_words words = {0};

    add_words(&words, host->crowded_environment);
    add_words(&words, host->here_environment);
    if (getuid() == 0)
        add_words(&words, host->root_environment);
    for (size_t i = 0; i < words.count; i++)
        putenv(words.list[i]);
}

/* The last line that was said, for a finding of one line. */
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
    struct proa_words words = {0};
    char self[PATH_MAX] = "";
    int status;

    if (readlink("/proc/self/exe", self, sizeof self - 1) <= 0)
        return;
    set_environment(host);
    proa_words_add(&words, self);
    add_words(&words, proa_text("run --mpi %s -n 2 %s", host->name, host->crowded_options));
    proa_words_add(&words, program);
    const char *said = proa_child_run(words.list, SELFTEST_SECONDS, &status);
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
