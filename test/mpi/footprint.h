/* SPDX-License-Identifier: BSD-3-Clause */
/* What this process holds: resident memory, open files, mappings. */
#ifndef PROA_TEST_FOOTPRINT_H
#define PROA_TEST_FOOTPRINT_H

#include "check.h"
#include <dirent.h>

struct footprint {
    long resident_kib, files, mappings;
};

static inline long count_files(void)
{
    long n = 0;
    DIR *list = opendir("/proc/self/fd");
    while (list && readdir(list))
        n++;
    if (list)
        closedir(list);
    return n;
}

static inline long count_lines(const char *path)
{
    long n = 0;
    FILE *file = fopen(path, "r");
    for (int c; file && (c = getc(file)) != EOF;)
        n += c == '\n';
    if (file)
        fclose(file);
    return n;
}

static inline struct footprint footprint(void)
{
    long total = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%ld %ld", &total, &resident) != 2)
        resident = -1;
    if (file)
        fclose(file);
    return (struct footprint){resident * (sysconf(_SC_PAGESIZE) / 1024), count_files(),
                              count_lines("/proc/self/maps")};
}

#endif
