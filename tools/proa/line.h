/* SPDX-License-Identifier: BSD-3-Clause */
/* The words after `proa run`, taken apart as a host's launcher would: parts between colons, each
 * with options and a program. */
#ifndef PROA_TOOL_LINE_H
#define PROA_TOOL_LINE_H

#include "host.h"

/* One part: [OPTION...] PROGRAM [ARGUMENT...]. All words point into argv. */
struct proa_part {
    char *const *options;
    /* and its arguments; options_end == program but for a "--" between them */
    char *const *program;
    char *const *options_end;
    char *const *end;
    const char *wdir; /* what the options say of where the ranks start, or NULL */
    const char *path; /* and of where programs are, or NULL */
    /* and of how many ranks: the option and its value; NULL: nothing */
    const char *ranks_option, *ranks;
};

struct proa_line {
    const struct proa_host *host; /* whose options were looked for */
    struct proa_part *parts;
    size_t part_count;
    const char *mpi;                      /* the value of --mpi, or NULL */
    const char *file;                     /* an option that takes the rest from a file, or NULL */
    const char *stats;                    /* the value that PROA_STATS is to have, or NULL */
    const char *trace;                    /* the folder of the trace, or NULL */
    const char *check;                    /* "1" or "memory", or NULL */
    const char *check_json, *check_sarif; /* files of what check mode finds, or NULL */
    const char *check_root; /* the folder that paths in a SARIF file begin at, or NULL */
    bool check_stack;       /* reports have whole stacks */
    const char *fail_on;    /* the verdict that fails the job, or NULL */
    bool hosts;             /* options name hosts: the ranks need not be here */
    const char *complaint;  /* what is wrong with Proa's own options, or NULL */
    bool top;               /* shows the run in the terminal */
    bool help;
};

struct proa_line proa_line_read(const struct proa_host *host, char *const *args);

/* The words after `proa exec`: proa's own options, and one part without options. */
struct proa_line proa_line_read_command(const struct proa_host *host, char *const *args);

/* Sets PROA_STATS where the line has --stats, and PROA_CHECK and its further settings where it has
 * options of check mode. A file's name becomes absolute, as ranks may start in another folder than
 * this one. */
void proa_line_set_variables(const struct proa_line *line);

/* Are the values of Proa's own options sensible? 0, or the exit status, after a line. */
int proa_line_check(const struct proa_line *line);

/* How many words proa's own option at args[0] takes: none where it is the launcher's. */
size_t proa_own_option_words(char *const *args);

#endif
