/* SPDX-License-Identifier: BSD-3-Clause */
/* See maps.h. Sources: proc(5), the kernel's proc.rst (PROCMAP_QUERY), mbind(2). */
#include "adopt/maps.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/mempolicy.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* ---- querying one mapping ---- */

/* struct procmap_query of Linux 6.11, which older headers lack. */
struct query {
    uint64_t size, flags, address;                            /* in */
    uint64_t first, end, vma_flags, page_size, offset, inode; /* out */
    uint32_t major, minor;                                    /* out */
    uint32_t name_size, build_id_size;                        /* in and out */
    uint64_t name_address, build_id_address;                  /* in */
};

#define MAPPING_QUERY _IOWR('f', 17, struct query)

enum { QUERY_READ = 1, QUERY_WRITE = 2, QUERY_EXECUTE = 4, QUERY_SHARED = 8, QUERY_OR_NEXT = 16 };

static void set_protection(struct proa_mapping *mapping, int read, int write, int execute)
{
    mapping->protection =
        (read ? PROT_READ : 0) | (write ? PROT_WRITE : 0) | (execute ? PROT_EXEC : 0);
    mapping->plain =
        mapping->protection == (PROT_READ | PROT_WRITE) && !mapping->shared && mapping->inode == 0;
}

/* Finds the mapping that holds address, or the next. Returns 1, 0 if there is none, or -1 if the
 * kernel cannot be queried. */
static int ask(int fd, uint64_t address, struct proa_mapping *mapping)
{
    char name[PATH_MAX];
    struct query query = {.size = sizeof query,
                          .flags = QUERY_OR_NEXT,
                          .address = address,
                          .name_size = sizeof name,
                          .name_address = (uint64_t)(uintptr_t)name};

    name[0] = '\0';
    if (ioctl(fd, MAPPING_QUERY, &query) != 0)
        return errno == ENOENT ? 0 : -1;
    *mapping = (struct proa_mapping){.first = query.first,
                                     .end = query.end,
                                     .offset = query.offset,
                                     .device = makedev(query.major, query.minor),
                                     .inode = query.inode,
                                     .shared = (query.vma_flags & QUERY_SHARED) != 0};
    set_protection(mapping, (query.vma_flags & QUERY_READ) != 0,
                   (query.vma_flags & QUERY_WRITE) != 0, (query.vma_flags & QUERY_EXECUTE) != 0);
    snprintf(mapping->name, sizeof mapping->name, "%.*s", (int)sizeof mapping->name - 1, name);
    return 1;
}

/* ---- reading lines ---- */

/* "7f00-8f00 rw-p 00000000 00:01 1234    /memfd:name (deleted)" */
static int line_read(const char *line, struct proa_mapping *mapping)
{
    enum { NAME_MOST = sizeof mapping->name - 1 };
    unsigned long long major, minor;
    const char *mode;
    size_t length;
    char *at;

    mapping->first = strtoull(line, &at, 16);
    if (*at != '-')
        return 0;
    mapping->end = strtoull(at + 1, &at, 16);
    mode = at + 1;
    if (*at != ' ' || strlen(mode) < 5)
        return 0;
    mapping->offset = strtoull(mode + 5, &at, 16);
    major = strtoull(at + 1, &at, 16);
    minor = strtoull(at + 1, &at, 16);
    mapping->device = makedev((unsigned)major, (unsigned)minor);
    mapping->inode = strtoull(at, &at, 10);
    mapping->shared = mode[3] == 's';
    set_protection(mapping, mode[0] == 'r', mode[1] == 'w', mode[2] == 'x');
    at += strspn(at, " ");
    length = strcspn(at, "\n");
    snprintf(mapping->name, sizeof mapping->name, "%.*s",
             (int)(length < NAME_MOST ? length : NAME_MOST), at);
    return 1;
}

/* A line is read as far as there is room; the rest of its name is skipped. */
int proa_maps_read(uint64_t first, uint64_t end, proa_mapping_use *use, void *context)
{
    FILE *file = fopen("/proc/self/maps", "re");
    struct proa_mapping mapping = {0};
    char text[8192], line[256];
    int result = 0, is_begin = 1;

    if (!file)
        return -1;
    setvbuf(file, text, _IOFBF, sizeof text);
    for (; result == 0 && fgets(line, sizeof line, file); is_begin = strchr(line, '\n') != NULL)
        if (is_begin && line_read(line, &mapping) && mapping.end > first) {
            if (mapping.first >= end)
                break;
            result = use(&mapping, context);
        }
    fclose(file);
    return result;
}

int proa_maps_walk(uint64_t first, uint64_t end, proa_mapping_use *use, void *context)
{
    struct proa_mapping mapping = {0};
    int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC), result = 0, found = 1;
    uint64_t at = first;

    if (fd < 0)
        return -1;
    while (result == 0 && at < end && (found = ask(fd, at, &mapping)) > 0 && mapping.first < end) {
        result = use(&mapping, context);
        at = mapping.end;
    }
    close(fd);
    return found < 0 ? proa_maps_read(at, end, use, context) : result;
}

int proa_maps_is_bound(uint64_t address)
{
    int mode = MPOL_DEFAULT;

    return syscall(SYS_get_mempolicy, &mode, NULL, 0, address, MPOL_F_ADDR) == 0 &&
           mode != MPOL_DEFAULT;
}

/* mprotect refuses PROT_GROWSDOWN on other mappings. On one that grows, this call does not change
 * the protection. */
int proa_maps_grows(uint64_t address)
{
    return syscall(SYS_mprotect, address, (uint64_t)sysconf(_SC_PAGESIZE),
                   PROT_READ | PROT_WRITE | PROT_GROWSDOWN) == 0;
}

void proa_maps_unbind(uint64_t first, uint64_t end)
{
    syscall(SYS_mbind, first, end - first, MPOL_DEFAULT, NULL, 0, 0);
}
