/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The mappings of this process's address space, as the kernel reports them, and the properties that
 * forbid moving them. Called by survey.c, adopt.c and process.c. Stateless; callable from any
 * thread.
 */
#ifndef PROA_ADOPT_MAPS_H
#define PROA_ADOPT_MAPS_H

#include <stdint.h>

/* A mapping (a line of /proc/self/maps). */
struct proa_mapping {
    uint64_t first, end;            /* addresses, end exclusive */
    uint64_t offset, device, inode; /* of the file; inode 0 if none */
    int protection;                 /* PROT_READ, PROT_WRITE, PROT_EXEC */
    uint8_t plain;                  /* private, readable, writable, not executable, of no file */
    uint8_t shared;                 /* MAP_SHARED */
    char name[24];                  /* as much of its name as fits; "" if none */
};

/* Calls use for each mapping that has a byte in [first, end), in order, until it returns non-zero.
 * Queries single mappings if the kernel supports it (Linux 6.11), as a large program has thousands
 * of others. Returns 0, the last result of use, or -1 if no mapping could be read. */
typedef int proa_mapping_use(const struct proa_mapping *mapping, void *context);
int proa_maps_walk(uint64_t first, uint64_t end, proa_mapping_use *use, void *context);

/* The same by reading all lines, as proa_maps_walk does if it cannot query. */
int proa_maps_read(uint64_t first, uint64_t end, proa_mapping_use *use, void *context);

/* Returns whether the mapping at address has a memory policy (mbind). */
int proa_maps_is_bound(uint64_t address);

/* Returns whether the mapping at address grows (MAP_GROWSDOWN). address: address of a readable and
 * writable page. */
int proa_maps_grows(uint64_t address);

/* Removes the policy (mbind) of whole pages of a file in memory, as the file would keep it. */
void proa_maps_unbind(uint64_t first, uint64_t end);

#endif
