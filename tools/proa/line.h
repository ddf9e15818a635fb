/* SPDX-License-Identifier: BSD-3-Clause */
/* Parses the words after `proa run` as a host's launcher would: parts between colons, each with
 * options and a program. */
#ifndef PROA_TOOL_LINE_H
#define PROA_TOOL_LINE_H

#include "host.h"

/* One part: [OPTION...] PROGRAM [ARGUMENT...]. All words point to argv. */
struct proa_part {
    char *const *options;
    /* program and its arguments; options_end == program unless a "--" is between them */
    char *const *program;
    char *const *options_end;
    char *const *end;
    const char *wdir; /* folder that the ranks start in, by the options, or NULL */
    const char *path; /* folders of programs, by the options, or NULL */
    /* option with the number of ranks, and its value; or NULL */
    const char *ranks_option, *ranks;
};

struct proa_line {
    const struct proa_host *host; /* host whose options were parsed */
    struct proa_part *parts;
    size_t part_count;
    const char *mpi;                      /* value of --mpi, or NULL */
    const char *file;                     /* option that reads the rest from a file, or NULL */
    const char *stats;                    /* value for PROA_STATS, or NULL */
    const char *trace;                    /* folder of the trace, or NULL */
    const char *check;                    /* "1", "usage" or "memory"; or NULL */
    const char *check_json, *check_sarif; /* files for the findings of check mode, or NULL */
    const char *check_root; /* folder that paths in a SARIF file are relative to, or NULL */
    bool check_stack;       /* reports include complete stacks */
    const char *fail_on;    /* verdict that fails the job, or NULL */
    bool hosts;             /* options name hosts: ranks may be on other machines */
    const char *complaint;  /* error in Proa's own options, or NULL */
    bool top;               /* shows the run in the terminal */
    bool help;
};

struct proa_line proa_line_read(const struct proa_host *host, char *const *args);

/* Parses the words after `proa exec`: proa's own options, and one part without options. */
struct proa_line proa_line_read_command(const struct proa_host *host, char *const *args);

/* Sets PROA_STATS if the line has --stats, and PROA_CHECK and its other settings if it has options
 * of check mode. File names become absolute, as ranks may start in another folder. */
void proa_line_set_variables(const struct proa_line *line);

/* Returns the level of check mode that the environment requests (PROA_CHECK), or NULL for none. */
const char *proa_check_level(void);

/* Checks the values of Proa's own options. Returns 0, or the exit status after a message. */
int proa_line_check(const struct proa_line *line);

/* Returns the number of words of proa's own option at args[0]; 0 if it is the launcher's. */
size_t proa_own_option_words(char *const *args);

#endif
