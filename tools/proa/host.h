/* SPDX-License-Identifier: BSD-3-Clause */
/* The MPI libraries that Proa has a library for, and how the launcher of each is spoken to. */
#ifndef PROA_TOOL_HOST_H
#define PROA_TOOL_HOST_H

#include "keep.h"

#include <stdbool.h>

/* What the words after an option of a launcher are. Of options that are not in a host's table this
 * is not known. */
enum proa_option_kind {
    PROA_OPTION_VALUE, /* one word */
    PROA_OPTION_RANKS, /* one word: how many ranks */
    PROA_OPTION_HOSTS, /* one word: which hosts, or a file of them */
    PROA_OPTION_PAIR,  /* two words */
    PROA_OPTION_ENV,   /* sets a variable for the ranks: see proa_option_env */
    PROA_OPTION_WDIR,  /* the folder that the ranks start in */
    PROA_OPTION_PATH,  /* a list of folders to look for the program in */
    PROA_OPTION_FILE,  /* a file that holds the rest of the command line */
};

struct proa_option {
    const char *name; /* without dashes; launchers take one or two */
    enum proa_option_kind kind;
};

struct proa_host {
    const char *name;      /* in --mpi */
    const char *library;   /* which of Proa's is for it: libproa-LIBRARY.so */
    const char *title;     /* in messages */
    const char *libraries; /* how the names of its libraries' files begin, with blanks between */
    const char *symbol;    /* that no other library of such a name has */
    /* file names of its library for an ABI that other hosts have too, with blanks between; or "" */
    const char *abi_libraries;
    const char *mpiexec_command;    /* the name that distributions give its launcher */
    const char *mpiexec_configured; /* the launcher found when Proa was configured, or "" */
    const char *env_option;         /* gives all ranks a variable */
    bool env_in_two_words;          /* NAME VALUE rather than NAME=VALUE */
    const char *crowded_options;    /* of the launcher: more ranks than processors; with blanks */
    const char *here_options;       /* two ranks on this machine, even if a job has other hosts */
    const char *across_options;     /* a rank on each host of the list that follows */
    /* variables, with blanks between: more ranks than processors; root may start ranks; and for
     * ranks that are all here */
    const char *crowded_environment, *root_environment, *here_environment;
    const struct proa_launcher *launcher;
};

/* Other properties of a launcher. */
struct proa_launcher {
    const char *says[3]; /* one of these is in what it prints for --version */
    /* the option for variables holds for one part between colons, not for all */
    bool env_per_context;
    bool env_forwarded; /* the launcher's variables reach the ranks on every node */
    /* a program that is not in PATH is looked for in the folder that the ranks start in */
    bool program_here;
    bool splits_sessions; /* each rank gets one of its own */
    /* it serves every MPI, and so has no option for variables of the ranks alone: it is to start
     * the program by `proa exec` */
    bool starts_exec;
    const struct proa_option *options; /* the last has no name */
};

/* Those of cmake/hosts: MPICH and those built on it; Open MPI. The last has no name. */
extern struct proa_host proa_hosts[];

/* From here on all are spoken to by Slurm's srun: its options, not those of their own launchers. */
void proa_hosts_by_srun(void);

/* The host called `name`, or NULL. */
const struct proa_host *proa_host_named(const char *name);

/* The names of all, each behind a text: "--mpi mpich or --mpi openmpi". */
const char *proa_host_names(const char *before, const char *between);

/* The names of Proa's libraries for them, with commas. */
const char *proa_host_libraries(void);

/* The same MPI by the ABI that other hosts have too; NULL: it has none, or is that itself. */
const struct proa_host *proa_host_abi(const struct proa_host *host);

/* Does the name begin as one of these, which have blanks between? */
bool proa_is_among(const char *name, const char *beginnings);

/* The option that word is, or NULL where the launcher's table has none such. */
const struct proa_option *proa_host_option(const struct proa_host *host, const char *word);

/* How many of the words at `args` belong to the option at args[0], itself included, as far as the
 * table knows. */
size_t proa_option_words(const struct proa_host *host, char *const *args);

/* If the option at args[0] sets variable `name` for the ranks: the value it sets (for an option
 * that only names the variable, that in proa's own environment, or ""). Otherwise NULL. */
const char *proa_option_env(const struct proa_host *host, char *const *args, const char *name);

/* Adds the words that set a variable by `option`, which is host->env_option or another of its
 * kind. */
void proa_host_add_env(const struct proa_host *host, struct proa_words *words, const char *option,
                       const char *name, const char *value);

#endif
