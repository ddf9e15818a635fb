/* SPDX-License-Identifier: BSD-3-Clause */
/* See direct.h. Sources: io_setup(2), io_uring(7), proc(5), the kernel's sysctl/fs.rst (aio-nr). */
#include "adopt/direct.h"
#include "adopt/maps.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- io_submit ---- */

static int is_context(const struct proa_mapping *mapping, void *context)
{
    (void)context;
    return strncmp(mapping->name, "/[aio]", 6) == 0;
}

/* No process on the machine has a context: nearly always so, and then no mapping is looked at. */
static int none_on_machine(void)
{
    char text[32] = "";
    int fd = open("/proc/sys/fs/aio-nr", O_RDONLY | O_CLOEXEC);
    ssize_t got = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;

    if (fd >= 0)
        close(fd);
    return got > 0 && strtoull(text, NULL, 10) == 0;
}

static int has_contexts(void)
{
    return !none_on_machine() && proa_maps_read(0, UINT64_MAX, is_context, NULL) != 0;
}

/* ---- files ---- */

static int is_ring(int folder, const char *number)
{
    char name[32] = "";

    return readlinkat(folder, number, name, sizeof name - 1) > 0 &&
           strcmp(name, "anon_inode:[io_uring]") == 0;
}

/* A ring is a file of no type. */
static enum proa_direct direct_of(int folder, const char *number, int files)
{
    struct stat status;
    int fd = atoi(number);

    if (fstat(fd, &status) != 0)
        return PROA_DIRECT_NONE;
    if ((status.st_mode & S_IFMT) == 0)
        return is_ring(folder, number) ? PROA_DIRECT_ASYNC : PROA_DIRECT_NONE;
    return files && fcntl(fd, F_GETFL) & O_DIRECT && !S_ISFIFO(status.st_mode) ? PROA_DIRECT_FILE
                                                                               : PROA_DIRECT_NONE;
}

enum proa_direct proa_direct_find(int files)
{
    enum proa_direct worst = has_contexts() ? PROA_DIRECT_ASYNC : PROA_DIRECT_NONE, one;
    const struct dirent *entry;
    DIR *folder;

    if (worst == PROA_DIRECT_ASYNC)
        return worst;
    folder = opendir("/proc/self/fd");
    if (!folder)
        return PROA_DIRECT_ASYNC;
    while (worst != PROA_DIRECT_ASYNC && (entry = readdir(folder)))
        if (entry->d_name[0] != '.') {
            one = direct_of(dirfd(folder), entry->d_name, files);
            worst = one > worst ? one : worst;
        }
    closedir(folder);
    return worst;
}
