/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Settings: the environment variables through which the user configures Proa.
 *
 * One row gives a setting's storage, its check and its line of help, so that the code, `proa info`
 * and the manual cannot disagree (tools/settings writes the manual's part). Values are read once,
 * at the first call of proa_settings(), and never change afterwards. A value that a setting cannot
 * have is ignored, and proa_settings_complain names it.
 */
#ifndef PROA_BASE_SETTINGS_H
#define PROA_BASE_SETTINGS_H

#include "base/hidden.h"

/*
 * X(field, environment variable, kind, default, possible values, whose, help)
 *
 * Kinds: FLAG (0 or 1), NUMBER (long, "LEAST..MOST", units last in the name), CHOICE (one of
 * "A|B"), TEXT (any text; the possible values are described in words). The default is written as
 * the user would write it. Whose: USER, or DEVELOPER for settings that only tests and experiments
 * need.
 */
#define PROA_SETTINGS(X)                                                                           \
    X(disable, "PROA_DISABLE", FLAG, "0", "0|1", USER, "1 leaves every window to the host MPI")    \
    X(log_level, "PROA_LOG", NUMBER, "1", "0..3", USER,                                            \
      "the level of messages on standard error: 0 nothing, 1 errors and warnings, 2 also "         \
      "windows that are left to the host, wrong uses that are served and calls that fail (the "    \
      "same one again at the 10th, 100th, 1000th time), 3 details")                                \
    X(strict, "PROA_STRICT", FLAG, "0", "0|1", USER,                                               \
      "1 makes wrong uses that both hosts and Proa serve, such as MPI_Rget between two fences, "   \
      "the errors of the standard")                                                                \
    X(adopt, "PROA_ADOPT", CHOICE, "auto", "auto|always|never", USER,                              \
      "the treatment of memory given to MPI_Win_create or attached. auto: pages that are the "     \
      "window's alone move in place to where neighbours reach them by load and store, and back "   \
      "at the end of the last window; memory of short-lived, hardly used windows stays. "          \
      "always: the window's first and last page move as well, with all other data in them. "       \
      "never: all memory stays, and neighbours reach it through the kernel. A window's info "      \
      "key proa_adopt has the same values, for one window and rank")                               \
    X(stats, "PROA_STATS", TEXT, "0", "0, 1 or the name of a file", USER,                          \
      "1: a table of each window on standard error at the end: operations and bytes, the ways "    \
      "to memory, and waits by rank; a file's name: the same for programs, as JSON. All ranks "    \
      "need the same value, as `proa run --stats` sets it")                                        \
    X(check_level, "PROA_CHECK", CHOICE, "0", "0|1|usage|memory", USER,                            \
      "1: wrong uses are told on standard error, with the calls and the remedy (doc/CHECK.md). "   \
      "usage: broken usage rules and hangs alone, and no conflicts between operations. memory: "   \
      "loads and stores by the program are compared with operations as well. All ranks need the "  \
      "same value, as `proa run --check` sets it, and libproa-instruments-HOST.so in front of "    \
      "Proa's library in LD_PRELOAD")                                                              \
    X(check_json, "PROA_CHECK_JSON", TEXT, "", "the name of a file", USER,                         \
      "in check mode, a file of JSON with all that was found, as by `proa run --check-json`")      \
    X(check_sarif, "PROA_CHECK_SARIF", TEXT, "", "the name of a file", USER,                       \
      "the same as SARIF 2.1.0, for editors and continuous integration")                           \
    X(check_root, "PROA_CHECK_ROOT", TEXT, "", "the name of a folder", USER,                       \
      "paths in the file of SARIF begin there, as by `proa run --check-root`; otherwise at the "   \
      "folder in which rank 0 runs")                                                               \
    X(check_stack, "PROA_CHECK_STACK", NUMBER, "5", "1..64", USER,                                 \
      "in check mode, how many calls of the program a report names for each call of MPI, "         \
      "from the innermost one towards main; `proa run --check-stack` sets 64")                     \
    X(check_fail_on, "PROA_CHECK_FAIL_ON", CHOICE, "none", "none|note|misuse|race", USER,          \
      "in check mode, findings of this weight or more make processes that would exit with "        \
      "status 0 exit with status 66, as `proa run --fail-on` does")                                \
    X(check_hang_s, "PROA_CHECK_HANG", NUMBER, "5", "0..1000000", USER,                            \
      "in check mode, seconds after which it is told that all ranks wait, for whom, and "          \
      "where; "                                                                                    \
      "0: never")                                                                                  \
    X(color, "PROA_COLOR", CHOICE, "auto", "auto|always|never", USER,                              \
      "color in what check mode tells; auto: on a terminal")                                       \
    X(trace, "PROA_TRACE", TEXT, "", "a folder", USER,                                             \
      "each process records its epochs, operations and waits in a file there, for `proa trace` "   \
      "(doc/TRACE.md); made if it is missing. All ranks need the same value, as `proa run "        \
      "--trace` sets it")                                                                          \
    X(trace_limit_mib, "PROA_TRACE_LIMIT", NUMBER, "256", "1..1000000", USER,                      \
      "MiB that the trace of a process may have; the rest is dropped, counted and told of")        \
    X(net, "PROA_NET", CHOICE, "auto", "auto|none", USER,                                          \
      "auto: other nodes are reached over the best common network of libfabric; none: no "         \
      "network is used, and windows over several nodes are the host's")                            \
    X(provider, "PROA_PROVIDER", TEXT, "", "a name", USER,                                         \
      "the libfabric provider to use, such as tcp or tcp;ofi_rxm; all ranks need the same value")  \
    X(interface, "PROA_INTERFACE", TEXT, "", "names or addresses", USER,                           \
      "the network interfaces, devices, addresses or networks (192.0.2.0/24) that may be used, "   \
      "with commas between")                                                                       \
    X(timeout_s, "PROA_TIMEOUT", NUMBER, "60", "0..1000000", USER,                                 \
      "seconds without a sign of life after which a process on another node counts as lost; 0: "   \
      "never")                                                                                     \
    X(spin_ns, "PROA_SPIN_NS", NUMBER, "-1", "-1..1000000000", DEVELOPER,                          \
      "nanoseconds that a wait polls before it yields or sleeps; -1 chooses by load")              \
    X(gather_ns, "PROA_FLUSH_TIMER_NS", NUMBER, "50000", "0..1000000000", DEVELOPER,               \
      "nanoseconds after which small operations on another node are sent that no call has sent "   \
      "yet; 0: they wait for the call that completes them")                                        \
    X(host_windows, "PROA_HOST_WINDOWS", NUMBER, "1024", "0..1000000", DEVELOPER,                  \
      "MPICH: the number of live windows that get a host window of their own as handle")           \
    X(trace_skew, "PROA_TRACE_SKEW", TEXT, "0", "nanoseconds, or with a comma parts in a million", \
      DEVELOPER, "a clock of traces that is ahead by so much, and so much too fast")               \
    X(node_id, "PROA_NODE_ID", TEXT, "", "any text", DEVELOPER,                                    \
      "processes with different values count as being on different nodes")

/* Settings that only the command `proa` reads, and no library. */
#define PROA_COMMAND_SETTINGS(X)                                              \
    X(mpi, "PROA_MPI", TEXT, "", "the name of a host", USER,                  \
      "the MPI of a job of proa run whose programs do not tell it, as --mpi") \
    X(mpiexec, "PROA_MPIEXEC", TEXT, "", "a path or a name in PATH", USER,    \
      "the launcher that proa run uses")                                      \
    X(libdir, "PROA_LIBDIR", TEXT, "", "a folder", USER,                      \
      "the folder of Proa's libraries; otherwise the installed one, relative to the command")

enum { PROA_LOG_NONE, PROA_LOG_WARN, PROA_LOG_INFO, PROA_LOG_DEBUG };

struct proa_settings {
#define PROA_FIELD_FLAG(field) int field;
#define PROA_FIELD_NUMBER(field) long field;
#define PROA_FIELD_CHOICE(field) const char *field;
#define PROA_FIELD_TEXT(field) const char *field;
#define PROA_FIELD(field, variable, kind, fallback, values, whose, help) PROA_FIELD_##kind(field)
    PROA_SETTINGS(PROA_FIELD)
#undef PROA_FIELD
    /* From check_level: whether check mode is on, checks conflicts between operations, and checks
     * loads and stores. */
    int check, check_conflicts, check_memory;
};

/* Returns the settings in force. Never NULL; callable from any thread. */
const struct proa_settings *proa_settings(void);

/* Turns check mode off even if the environment asks for it. Called in MPI_Init, before any
 * window. */
void proa_settings_leave_check(void);

/* ---- the table, for code that shows it ---- */

enum proa_setting_kind {
    PROA_SETTING_FLAG,
    PROA_SETTING_NUMBER,
    PROA_SETTING_CHOICE,
    PROA_SETTING_TEXT
};

enum proa_setting_whose { PROA_SETTING_USER, PROA_SETTING_DEVELOPER };

struct proa_setting {
    const char *variable;
    enum proa_setting_kind kind;
    const char *fallback; /* the default */
    const char *values;   /* as in PROA_SETTINGS */
    enum proa_setting_whose whose;
    int of_command; /* read by the command `proa`, not by the ranks */
    const char *help;
};

/* All rows, those of the libraries first; the last has no variable. */
extern PROA_HIDDEN const struct proa_setting proa_setting_rows[];

/* The source of a value. REFUSED: the environment has a value that the setting cannot have. */
enum proa_setting_origin { PROA_SETTING_DEFAULT, PROA_SETTING_ENVIRONMENT, PROA_SETTING_REFUSED };

/* Returns the value in force: text, or the default. text: value in the environment; NULL or "" if
 * unset. *origin: source of the result; may be NULL. */
const char *proa_setting_value(const struct proa_setting *row, const char *text,
                               enum proa_setting_origin *origin);

/* Writes the possible values of the setting in words, such as "0 or 1", "0 to 3", "auto or none".
 * room: size of words, in bytes. Returns words. */
const char *proa_setting_words(const struct proa_setting *row, char *words, int room);

/* Calls `say` with one sentence for each variable with a value that its setting cannot have; the
 * sentence names the value used instead. */
void proa_settings_complain(void (*say)(const char *sentence));

#endif
