/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs a unit test whose ranks are threads (world_threads.c): threads_runner OBJECT.
 *
 * All copies of the object share mmap and munmap as they are here (linked with --wrap): ranks map
 * the same files, and ThreadSanitizer knows memory by its address. So memory of a file that is
 * mapped already is given out where it is, and the last rank to unmap it does so.
 *
 * Compiled without ThreadSanitizer, and with a lock that it does not know: otherwise all that a
 * rank did before it mapped memory would seem to happen before all that another does afterwards.
 */
#include "threads_runner.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>

/* ---- mappings of files ---- */

enum { MOST = 4096 };

/* holders: how often it was asked for and not unmapped; 0: free. */
struct mapping {
    dev_t device;
    ino_t inode;
    uint64_t offset, bytes;
    char *base;
    int holders;
};

static struct mapping mappings[MOST];
static int locked;

static void lock(void)
{
    while (__atomic_exchange_n(&locked, 1, __ATOMIC_ACQUIRE))
        continue;
}

static void unlock(void)
{
    __atomic_store_n(&locked, 0, __ATOMIC_RELEASE);
}

/* One with all of that memory, or a free one; NULL: neither. */
static struct mapping *mapping_of_file(const struct stat *file, uint64_t offset, uint64_t bytes)
{
    struct mapping *unused = NULL;

    for (int i = MOST; i-- > 0;) {
        struct mapping *m = &mappings[i];
        if (!m->holders)
            unused = m;
        else if (m->device == file->st_dev && m->inode == file->st_ino && m->offset <= offset &&
                 offset + bytes <= m->offset + m->bytes)
            return m;
    }
    return unused;
}

static void *map_locked(const struct stat *file, void *address, size_t bytes, int prot, int flags,
                        int fd, off_t offset)
{
    struct mapping *m = mapping_of_file(file, (uint64_t)offset, bytes);

    if (!m)
        abort();
    if (!m->holders) {
        char *base = mmap(address, bytes, prot, flags, fd, offset);
        if (base == MAP_FAILED)
            return base;
        *m = (struct mapping){file->st_dev, file->st_ino, (uint64_t)offset, bytes, base, 0};
    } else if (flags & MAP_FIXED) {
        munmap(address, bytes);
    }
    m->holders++;
    return m->base + ((uint64_t)offset - m->offset);
}

void *__wrap_mmap(void *address, size_t bytes, int prot, int flags, int fd, off_t offset);
void *__wrap_mmap(void *address, size_t bytes, int prot, int flags, int fd, off_t offset)
{
    struct stat file;
    void *base;

    if (fd < 0 || !(flags & MAP_SHARED) || fstat(fd, &file) != 0)
        return mmap(address, bytes, prot, flags, fd, offset);
    lock();
    base = map_locked(&file, address, bytes, prot, flags, fd, offset);
    unlock();
    return base;
}

int __wrap_munmap(void *address, size_t bytes);
int __wrap_munmap(void *address, size_t bytes)
{
    struct mapping *m = NULL;
    int status = 0;

    lock();
    for (int i = 0; i < MOST && !m; i++)
        if (mappings[i].holders && (char *)address >= mappings[i].base &&
            (char *)address + bytes <= mappings[i].base + mappings[i].bytes)
            m = &mappings[i];
    if (!m)
        status = munmap(address, bytes);
    else if (--m->holders == 0)
        status = munmap(m->base, m->bytes);
    unlock();
    return status;
}

/* ---- the test ---- */

int main(int argc, char **argv)
{
    void *object = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    int (*test)(void);

    if (!object) {
        fprintf(stderr, "threads_runner: %s\n", argc == 2 ? dlerror() : "the object of a test");
        return 2;
    }
    *(void **)&test = dlsym(object, "threads_main");
    return test();
}
