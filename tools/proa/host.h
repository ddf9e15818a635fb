/* SPDX-License-Identifier: BSD-3-Clause */
/* The MPI libraries that Proa has a library for, and the options of their launchers. */
#ifndef PROA_TOOL_HOST_H
#define PROA_TOOL_HOST_H

#include "keep.h"

#include <stdbool.h>

/* The kind of the words after a launcher's option. It is unknown for options that are not in a
 * host's table. */
enum proa_option_kind {
    PROA_OPTION_VALUE, /* one word */
    PROA_OPTION_RANKS, /* one word: number of ranks */
    PROA_OPTION_HOSTS, /* one word: hosts, or a file of hosts */
    PROA_OPTION_PAIR,  /* two words */
    PROA_OPTION_ENV,   /* sets a variable for the ranks: see proa_option_env */
    PROA_OPTION_WDIR,  /* the folder that the ranks start in */
    PROA_OPTION_PATH,  /* list of folders in which the program is searched */
    PROA_OPTION_FILE,  /* file with the rest of the command line */
};

struct proa_option {
    const char *name; /* without dashes; launchers accept one or two */
    enum proa_option_kind kind;
};

struct proa_host {
    const char *name;      /* in --mpi */
    const char *library;   /* LIBRARY of Proa's library for it: libproa-LIBRARY.so */
    const char *title;     /* in messages */
    const char *libraries; /* prefixes of its libraries' file names, separated by blanks */
    const char *symbol;    /* symbol that no other library of such a name has */
    /* file names of its library for an ABI that other hosts have too, separated by blanks; or "" */
    const char *abi_libraries;
    const char *mpiexec_command;    /* name of its launcher in distributions */
    const char *mpiexec_configured; /* launcher found when Proa was configured, or "" */
    const char *env_option;         /* sets a variable for all ranks */
    bool env_in_two_words;          /* NAME VALUE instead of NAME=VALUE */
    const char *crowded_options;    /* for more ranks than processors; separated by blanks */
    const char *here_options;       /* for two ranks here, even if a job has other hosts */
    const char *across_options;     /* for one rank on each host of the list that follows */
    /* variables, separated by blanks: for more ranks than processors; to let root start ranks; for
     * ranks that are all on this machine */
    const char *crowded_environment, *root_environment, *here_environment;
    const struct proa_launcher *launcher;
};

/* Other properties of a launcher. */
struct proa_launcher {
    const char *says[3]; /* its output for --version contains one of these */
    /* the option for variables applies to one part between colons, not to all */
    bool env_per_context;
    bool env_forwarded; /* the launcher's variables are passed to the ranks on every node */
    /* a program that is not in PATH is searched in the folder that the ranks start in */
    bool program_here;
    bool splits_sessions; /* each rank gets a session of its own */
    /* serves every MPI, and so has no option for variables of the ranks only: it must start the
     * program by `proa exec` */
    bool starts_exec;
    const struct proa_option *options; /* the last one has no name */
};

/* The hosts of cmake/hosts: MPICH and its derivatives; Open MPI. The last one has no name. */
extern struct proa_host proa_hosts[];

/* From here on all hosts use Slurm's srun: its options instead of those of their own launchers. */
void proa_hosts_by_srun(void);

/* Returns the host called `name`, or NULL. */
const struct proa_host *proa_host_named(const char *name);

/* Returns the names of all hosts, each after a text: "--mpi mpich or --mpi openmpi". */
const char *proa_host_names(const char *before, const char *between);

/* Returns the names of Proa's libraries for them, separated by commas. */
const char *proa_host_libraries(void);

/* Returns the host of the same MPI by the ABI that other hosts have too. Returns NULL if there is
 * none, or `host` is that one itself. */
const struct proa_host *proa_host_abi(const struct proa_host *host);

/* Returns true if the name starts with one of these prefixes, separated by blanks. */
bool proa_is_among(const char *name, const char *beginnings);

/* Returns the option for that word, or NULL if the launcher's table does not have it. */
const struct proa_option *proa_host_option(const struct proa_host *host, const char *word);

/* Returns the number of words at `args` that belong to the option at args[0], including itself, as
 * far as the table has it. */
size_t proa_option_words(const struct proa_host *host, char *const *args);

/* Returns the value if the option at args[0] sets variable `name` for the ranks; otherwise NULL. If
 * the option only names the variable, the value is taken from proa's own environment, or "". */
const char *proa_option_env(const struct proa_host *host, char *const *args, const char *name);

/* Adds the words that set a variable by `option`, which is host->env_option or a similar option. */
void proa_host_add_env(const struct proa_host *host, struct proa_words *words, const char *option,
                       const char *name, const char *value);

#endif
