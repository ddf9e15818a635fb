/* SPDX-License-Identifier: BSD-3-Clause */
/* The memory that the node can still provide, so that a reservation is refused instead of
 * triggering the out-of-memory killer. */
#ifndef PROA_SHM_AVAILABLE_H
#define PROA_SHM_AVAILABLE_H

#include <stdint.h>

/* Returns the bytes that may still be reserved: the memory that the kernel reports as available, or
 * the least left to this process's control group and any of its ancestors, less a margin. Returns
 * UINT64_MAX if neither can be read. Memory that the kernel can drop, such as cached contents of
 * files, counts as available. */
uint64_t proa_memory_available(void);

/* The same, up to PROA_LOOK_NS old. A new reading opens a dozen files and takes some 20 us, the
 * first one of a process ten times that. */
enum { PROA_LOOK_NS = 1000000 };
uint64_t proa_memory_available_lately(void);

/* Returns whether the kernel is strict: it promises no more memory than it has
 * (vm.overcommit_memory 2). The result is up to PROA_STRICT_NS old. The call reads one file, not
 * the dozen. Under a strict kernel the first touch of a page of a file in memory may fail with
 * SIGBUS. Under others the process gets the page, at worst after the out-of-memory killer has freed
 * memory. */
enum { PROA_STRICT_NS = 1000000000 };
int proa_memory_is_strict(void);

/* The folders of the control groups that limit a process's memory. They are determined once, as the
 * launcher of a job assigns the process to its group before it starts. */
enum { PROA_GROUPS_MOST = 32, PROA_GROUP_ROOM = 512 };
struct proa_groups {
    int count;
    struct {
        int version; /* of the files in it: 1 or 2 */
        char folder[PROA_GROUP_ROOM];
    } group[PROA_GROUPS_MOST];
};

/* The same for a process whose kernel files lie under root. root: "" for this process, or a folder
 * of a unit test. */
void proa_groups_find(const char *root, struct proa_groups *groups);
uint64_t proa_memory_available_in(const char *root, const struct proa_groups *groups);
int proa_memory_is_strict_in(const char *root);

/* A cached reading of the system, and how long it stays valid. */
struct proa_look {
    uint64_t (*see)(void);
    int64_t lasts_ns;
    int64_t at_ns; /* 0 if never read */
    uint64_t seen;
};

/* Returns the value, read again if the last reading is too old. now_ns: time by any clock that does
 * not start at 0. */
uint64_t proa_look_renew(struct proa_look *look, int64_t now_ns);

#endif
