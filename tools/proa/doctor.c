/* SPDX-License-Identifier: BSD-3-Clause */
/* `proa doctor`: finds problems that prevent Proa from working, or from working well. */
#include "doctor.h"

#include "commands.h"
#include "finding.h"
#include "info.h"

#include <argp.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

/* Exit statuses: no problem; a problem with a cost; a failure. 2 is an invalid command line. */
enum { EXIT_FINE = 0, EXIT_COSTS = 1, EXIT_BROKEN = 3 };

struct wishes {
    bool report;
    int ranks;
    const char *machines; /* NULL for this machine only */
};

static void print_line_of(const char *title, const char *path, const char *start)
{
    char line[256];
    FILE *file = fopen(path, "re");

    while (file && fgets(line, sizeof line, file)) {
        if (strncmp(line, start, strlen(start)) != 0)
            continue;
        printf("%s: %s", title, line + strlen(start));
        break;
    }
    if (file)
        fclose(file);
}

/* Prints further facts for a bug report, without names of hosts or users. */
static void print_machine(void)
{
    struct utsname about;

    if (uname(&about) == 0)
        printf("kernel: %s %s %s\n", about.sysname, about.release, about.machine);
    print_line_of("system", "/etc/os-release", "PRETTY_NAME=");
    print_line_of("processor", "/proc/cpuinfo", "model name\t: ");
    print_line_of("memory", "/proc/meminfo", "MemTotal:       ");
}

static void print_end(void)
{
    int broken = proa_findings(PROA_BROKEN), costs = proa_findings(PROA_COSTS);

    if (broken == 0 && costs == 0)
        printf("\nNothing to do.\n");
    else
        printf("\n%d broken, %d that %s: see above.\n", broken, costs,
               costs == 1 ? "costs" : "cost");
}

static const struct argp_option options[] = {
    {"ranks", 'n', "RANKS", 0, "how many ranks are to run here (as many as processors)", 0},
    {"hosts", 'H', "HOST,HOST", 0, "try windows out between these machines too, a rank on each", 0},
    {"report", 'r', NULL, 0, "all that a bug report needs, as Markdown; `proa info` is in it", 0},
    {0},
};

static error_t take_option(int key, char *value, struct argp_state *state)
{
    struct wishes *wishes = state->input;
    char *end;

    switch (key) {
    case 'n':
        errno = 0;
        wishes->ranks = (int)strtol(value, &end, 10);
        if (errno || *end || wishes->ranks < 1)
            argp_error(state, "-n %s: that is no number of ranks", value);
        return 0;
    case 'H':
        if (!strchr(value, ','))
            argp_error(state, "--hosts %s: that is no list of two machines and more", value);
        wishes->machines = value;
        return 0;
    case 'r':
        wishes->report = true;
        return 0;
    case ARGP_KEY_ARG:
        argp_error(state, "too many words: %s", value);
        return 0;
    }
    return ARGP_ERR_UNKNOWN;
}

int proa_command_doctor(int argc, char **argv)
{
    static const struct argp parser = {
        .options = options,
        .parser = take_option,
        .doc = "Looks at all that Proa needs, says what each finding means and what to do, and "
               "tries windows out on two ranks of each MPI that is here.\v"
               "Exit status: 0 nothing to do, 1 something makes Proa slower or leaves something "
               "out, 3 something is broken.",
    };
    struct wishes wishes = {0};

    argp_parse(&parser, argc, argv, 0, NULL, &wishes);
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (wishes.report) {
        printf("## Report of proa doctor\n\n```\n");
        print_machine();
        proa_info_show(stdout);
    }
    proa_doctor_kernel();
    proa_doctor_machine(wishes.ranks);
    proa_doctor_setup();
    proa_doctor_hosts();
    if (wishes.machines)
        proa_doctor_across(wishes.machines);
    print_end();
    if (wishes.report)
        printf("```\n");
    return proa_findings(PROA_BROKEN)  ? EXIT_BROKEN
           : proa_findings(PROA_COSTS) ? EXIT_COSTS
                                       : EXIT_FINE;
}
