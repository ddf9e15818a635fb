/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Settings: what the user can say to Proa through environment variables.
 *
 * One row of PROA_SETTINGS gives a setting's storage, its parsing and its line of help, so that the
 * code, `proa info` and the manual page cannot disagree. Values are read once, at the first call of
 * proa_settings(), and never change afterwards.
 */
#ifndef PROA_BASE_SETTINGS_H
#define PROA_BASE_SETTINGS_H

/* X(field, environment variable, kind, default, help); kinds: FLAG (0 or 1), NUMBER (long, units
 * last in the name), TEXT. */
#define PROA_SETTINGS(X)                                                                           \
    X(disable, "PROA_DISABLE", FLAG, 0, "1 leaves every window to the host MPI")                   \
    X(log_level, "PROA_LOG", NUMBER, 1,                                                            \
      "what goes to stderr: 0 nothing, 1 errors and warnings, 2 what is left to the host, 3 "      \
      "details")                                                                                   \
    X(strict, "PROA_STRICT", FLAG, 0,                                                              \
      "1 makes wrong uses that both hosts serve, and Proa too, the errors that the standard has "  \
      "for them")                                                                                  \
    X(spin_ns, "PROA_SPIN_NS", NUMBER, -1,                                                         \
      "how long a wait spins before it yields or sleeps, in nanoseconds; -1 chooses by load")      \
    X(host_windows, "PROA_HOST_WINDOWS", NUMBER, 1024,                                             \
      "MPICH: how many live windows get a host window of their own for a handle")                  \
    X(adopt, "PROA_ADOPT", TEXT, "auto",                                                           \
      "auto: memory given to MPI_Win_create or attached moves in place to where neighbours reach " \
      "it by load and store; never: they reach it through the kernel")                             \
    X(net, "PROA_NET", TEXT, "auto",                                                               \
      "auto: other nodes are reached over the best network that libfabric has; none: they are "    \
      "not")                                                                                       \
    X(provider, "PROA_PROVIDER", TEXT, "",                                                         \
      "of libfabric's providers the one to use, such as tcp or tcp;ofi_rxm; the same for all "     \
      "ranks")                                                                                     \
    X(interface, "PROA_INTERFACE", TEXT, "",                                                       \
      "the network interface, device, address or network (192.0.2.0/24) to use")                   \
    X(timeout_s, "PROA_TIMEOUT", NUMBER, 60,                                                       \
      "after how many seconds without a sign of life a process on another node counts as lost; "   \
      "0: never")                                                                                  \
    X(node_id, "PROA_NODE_ID", TEXT, "",                                                           \
      "processes with different values count as being on different nodes (for tests)")

enum { PROA_LOG_NONE, PROA_LOG_WARN, PROA_LOG_INFO, PROA_LOG_DEBUG };

struct proa_settings {
#define PROA_FIELD_FLAG(field) int field;
#define PROA_FIELD_NUMBER(field) long field;
#define PROA_FIELD_TEXT(field) const char *field;
#define PROA_FIELD(field, variable, kind, fallback, help) PROA_FIELD_##kind(field)
    PROA_SETTINGS(PROA_FIELD)
#undef PROA_FIELD
};

/* The settings in force. Never NULL; safe from any thread. */
const struct proa_settings *proa_settings(void);

#endif
