/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernel's notes of each page's mapping: the lines of /proc/self/smaps. */
#ifndef PROA_TEST_SMAPS_H
#define PROA_TEST_SMAPS_H

#include "memory.h"

enum { flags_room = 160 };

/* Of [first, end). Large pages in KiB, of private memory and of files'. */
struct smaps {
    size_t pages;
    char (*flags)[flags_room]; /* of each page; "": not mapped */
    long huge_kib;
};

/* VmFlags but for "sd", which says that pages were stored to. */
static inline void smaps_flags(char *to, const char *line)
{
    char word[8];
    int used = 0, length = (int)strlen(to);
    for (line += strlen("VmFlags:"); sscanf(line, " %7s%n", word, &used) == 1; line += used)
        if (strcmp(word, "sd") != 0 && length + 4 < flags_room)
            length += snprintf(to + length, flags_room - (size_t)length, "%s ", word);
}

/* The protection key of a mapping, and the name that the program has given it, go before. */
static inline void smaps_more(char *to, const char *line)
{
    int key = 0, length = (int)strlen(to);
    const char *name = strstr(line, "[anon:");
    if (sscanf(line, "ProtectionKey: %d", &key) == 1)
        snprintf(to + length, flags_room - (size_t)length, "key %d ", key);
    else if (name)
        snprintf(to, flags_room, "%.*s ", (int)strcspn(name, "\n"), name);
}

static inline struct smaps smaps_read(const char *memory, size_t bytes)
{
    size_t page = page_size();
    unsigned long first = 0, end = 0, begin = (uintptr_t)memory, limit = begin + bytes, from, to;
    struct smaps smaps = {.pages = bytes / page};
    char line[400], flags[flags_room] = "";
    long kib;
    smaps.flags = need(calloc(smaps.pages, sizeof *smaps.flags));
    FILE *file = need(fopen("/proc/self/smaps", "r"));
    while (fgets(line, sizeof line, file)) {
        if (sscanf(line, "%lx-%lx ", &from, &to) == 2) {
            first = from > begin ? from : begin;
            end = to < limit ? to : limit;
            flags[0] = '\0';
        }
        if (first >= end)
            continue;
        smaps_more(flags, line);
        if (sscanf(line, "AnonHugePages: %ld", &kib) == 1 ||
            sscanf(line, "ShmemPmdMapped: %ld", &kib) == 1)
            smaps.huge_kib += kib;
        if (strncmp(line, "VmFlags:", strlen("VmFlags:")) != 0)
            continue;
        smaps_flags(flags, line);
        for (unsigned long at = first; at < end; at += page)
            memcpy(smaps.flags[(at - begin) / page], flags, sizeof flags);
    }
    fclose(file);
    return smaps;
}

static inline void smaps_compare(const struct smaps *before, const struct smaps *after,
                                 const char *what)
{
    size_t page = 0;
    while (page < before->pages && strcmp(before->flags[page], after->flags[page]) == 0)
        page++;
    CHECK(page == before->pages, "%s: the kernel has noted \"%s\" of page %zu, not \"%s\"", what,
          after->flags[page], page, before->flags[page]);
}

static inline void smaps_free(struct smaps *smaps)
{
    free(smaps->flags);
}

#endif
