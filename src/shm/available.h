/* SPDX-License-Identifier: BSD-3-Clause */
/* How much memory the node can still give, so that a reservation is refused instead of calling the
 * out-of-memory killer. */
#ifndef PROA_SHM_AVAILABLE_H
#define PROA_SHM_AVAILABLE_H

#include <stdint.h>

/* Bytes that may still be reserved: the memory that the kernel reports as available, or the least
 * left to this process's control group and to any of its ancestors, less a margin; UINT64_MAX where
 * nothing can be read. Memory that the kernel can drop, such as cached contents of files, counts as
 * available. */
uint64_t proa_memory_available(void);

/* The same as it was up to PROA_LOOK_NS ago: a look opens a dozen files and takes some 20 us,
 * the first one of a process ten times that. */
enum { PROA_LOOK_NS = 1000000 };
uint64_t proa_memory_available_lately(void);

/* Does the kernel promise no more memory than it has (vm.overcommit_memory 2), or did it up to
 * PROA_STRICT_NS ago? Reads one file, and not the dozen. Under such a kernel a page of a file in
 * memory may be missing when it is touched first: SIGBUS. Under any other a process that touches a
 * page gets it, at the worst from the out-of-memory killer. */
enum { PROA_STRICT_NS = 1000000000 };
int proa_memory_is_strict(void);

/* The folders of the control groups that limit a process's memory. Found once: the launcher of a
 * job puts it into its group before it starts. */
enum { PROA_GROUPS_MOST = 32, PROA_GROUP_ROOM = 512 };
struct proa_groups {
    int count;
    struct {
        int version; /* of the files in it: 1 or 2 */
        char folder[PROA_GROUP_ROOM];
    } group[PROA_GROUPS_MOST];
};

/* The same for a process whose files of the kernel lie under root: "" for this one, a folder made
 * by a unit test. */
void proa_groups_find(const char *root, struct proa_groups *groups);
uint64_t proa_memory_available_in(const char *root, const struct proa_groups *groups);
int proa_memory_is_strict_in(const char *root);

/* A look at the system, and for how long it is as good as a new one. */
struct proa_look {
    uint64_t (*see)(void);
    int64_t lasts_ns;
    int64_t at_ns; /* 0: not yet */
    uint64_t seen;
};

/* Returns the value that was seen, after a new look if the last one is too old at now_ns, by any
 * clock that does not begin with 0. */
uint64_t proa_look_renew(struct proa_look *look, int64_t now_ns);

#endif
