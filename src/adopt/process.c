/* SPDX-License-Identifier: BSD-3-Clause */
/* See process.h. Sources: proc(5), io_setup(2), io_uring(7), pkeys(7), get_robust_list(2), the
 * kernel's sysctl/fs.rst (aio-nr). */
#include "adopt/process.h"
#include "adopt/maps.h"
#include "shm/segment.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- its status ---- */

/* Returns the number after a line's name. *missing: set if there is no such line. */
static uint64_t number_of(const char *text, const char *name, int *missing)
{
    const char *line = strstr(text, name);

    *missing |= !line;
    return line ? strtoull(line + strlen(name), NULL, 10) : 0;
}

static int status_read(struct proa_process *process, uint64_t *threads)
{
    char text[4096];
    int missing = 0;

    if (proa_file_read("/proc/self/status", text, sizeof text) <= 0)
        return -1;
    *threads = number_of(text, "\nThreads:", &missing);
    process->locked_kib = number_of(text, "\nVmLck:", &missing);
    process->pinned_kib = number_of(text, "\nVmPin:", &missing);
    process->swapped_kib = number_of(text, "\nVmSwap:", &missing);
    return missing ? -1 : 0;
}

int proa_process_unlock(const struct proa_process *process, uint64_t first, uint64_t end)
{
    struct proa_process now;
    uint64_t threads;

    return process->locked_kib && munlock((void *)(uintptr_t)first, end - first) == 0 &&
           status_read(&now, &threads) == 0 && now.locked_kib < process->locked_kib;
}

/* ---- direct I/O: contexts ---- */

static int is_context(const struct proa_mapping *mapping, void *context)
{
    (void)context;
    return strncmp(mapping->name, "/[aio]", 6) == 0;
}

/* Usually no process on the machine has a context, and then no mapping is examined. */
static int has_contexts(void)
{
    char text[32];

    if (proa_file_read("/proc/sys/fs/aio-nr", text, sizeof text) > 0 &&
        strtoull(text, NULL, 10) == 0)
        return 0;
    return proa_maps_read(0, UINT64_MAX, is_context, NULL) != 0;
}

/* ---- direct I/O: files ---- */

static enum proa_direct direct_of(int folder, const char *number, int files, int *has_faults)
{
    char name[32] = "";
    struct stat status;
    int fd = atoi(number);

    if (fstat(fd, &status) != 0)
        return PROA_DIRECT_NONE;
    if ((status.st_mode & S_IFMT) == 0) /* such as a ring */
        (void)!readlinkat(folder, number, name, sizeof name - 1);
    if (strcmp(name, "anon_inode:[io_uring]") == 0)
        return PROA_DIRECT_ASYNC;
    *has_faults |= strcmp(name, "anon_inode:[userfaultfd]") == 0;
    return files && fcntl(fd, F_GETFL) & O_DIRECT && !S_ISFIFO(status.st_mode) ? PROA_DIRECT_FILE
                                                                               : PROA_DIRECT_NONE;
}

/* files: 1 to check for O_DIRECT as well. *has_faults: set if there is a userfaultfd. */
static enum proa_direct direct_find(int files, int *has_faults)
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
            one = direct_of(dirfd(folder), entry->d_name, files, has_faults);
            worst = one > worst ? one : worst;
        }
    closedir(folder);
    return worst;
}

const char *proa_process_look(struct proa_process *process)
{
    uint64_t threads;

    if (status_read(process, &threads) != 0)
        return "no /proc/self/status";
    process->threads.count = 0;
    if (threads > 1)
        proa_threads_find(&process->threads);
    if (process->threads.count < 0)
        return "the threads of the process are not known, or too many";
    if (process->pinned_kib)
        return "memory of this process is pinned for a device, or for io_uring";
    process->has_faults = 0;
    process->direct = direct_find(process->threads.count > 0, &process->has_faults);
    if (process->direct == PROA_DIRECT_ASYNC)
        return "the program has asynchronous I/O set up (io_setup, io_uring)";
    return NULL;
}

/* ---- what forbids moving in ---- */

/* Returns whether the program has protection keys. While it has none, the first key allocated is 1.
 * The kernel reports the keys of mappings only in /proc/self/smaps, which takes long to
 * generate. */
static int has_keys(void)
{
    static int are_there; /* 1 if machine and kernel support keys; under adoption's mutex */
    const int key = (int)syscall(SYS_pkey_alloc, 0, 0);

    if (key < 0)
        return are_there;
    are_there = 1;
    syscall(SYS_pkey_free, key);
    return key > 1;
}

const char *proa_process_keeps(const struct proa_process *process)
{
    if (process->locked_kib)
        return "memory of this process is locked (mlock)";
    if (process->direct == PROA_DIRECT_FILE)
        return "the program has threads and a file open with O_DIRECT";
    return has_keys() ? "the program has protection keys (pkey_alloc)" : NULL;
}

/* ---- stacks ---- */

/* Returns the end of the stack of the thread with this control block. On x86-64 the block lies in
 * its last page. The first thread's block, which is not on its stack, may extend into one more. On
 * other processors the variables of the thread lie above the block. */
static uint64_t stack_end(uint64_t block, int first)
{
    uint64_t page = proa_page_bytes(), above = 64 << 10;

#if defined(__x86_64__)
    above = first ? 4096 : 1;
#else
    (void)first;
#endif
    return (block + above + page - 1) / page * page;
}

/* Finds the control block, which contains the head of the list of robust futexes. A new thread
 * registers the list within microseconds. A thread without a list is not the C library's, and its
 * stack is unknown. Returns 1, 0 if the thread has ended, or -1 if unknown. */
static int control_block(int thread, uint64_t *block)
{
    enum { TRIES = 100 };
    struct robust_list_head *head = NULL;
    size_t size;

    for (int i = 0; i < TRIES && !head; i++) {
        if (i > 0)
            usleep(100);
        if (syscall(SYS_get_robust_list, thread, &head, &size) != 0)
            return errno == ESRCH ? 0 : -1;
    }
    *block = (uint64_t)(uintptr_t)head;
    return head ? 1 : -1;
}

int proa_threads_stacks(struct proa_thread *room, int most)
{
    DIR *folder = opendir("/proc/self/task");
    const struct dirent *entry;
    uint64_t block = 0;
    int count = 0, found;

    if (!folder)
        return -1;
    while (count >= 0 && (entry = readdir(folder))) {
        int thread = atoi(entry->d_name);

        if (thread <= 0)
            continue;
        found = control_block(thread, &block);
        if (found < 0 || (found && count == most))
            count = -1;
        else if (found)
            room[count++] = (struct proa_thread){block, stack_end(block, thread == getpid())};
    }
    closedir(folder);
    return count;
}
