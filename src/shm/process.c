/* SPDX-License-Identifier: BSD-3-Clause */
/* See process.h. */
#include "shm/process.h"
#include "base/atomic.h"
#include "base/hash.h"
#include "shm/segment.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* The pid namespace belongs to a node's name: a pid from another namespace names a different
 * process in /proc. */
static uint64_t machine_name(void)
{
    char host[HOST_NAME_MAX + 1] = "", boot[128];
    uint64_t hash = PROA_HASH_OF_NOTHING;
    struct stat pid_namespace;

    gethostname(host, sizeof host - 1);
    hash = proa_hash_text(hash, host);
    proa_file_read("/proc/sys/kernel/random/boot_id", boot, sizeof boot);
    hash = proa_hash_text(hash, boot);
    if (stat("/proc/self/ns/pid", &pid_namespace) == 0)
        hash = proa_hash_bytes(hash, &pid_namespace.st_ino, sizeof pid_namespace.st_ino);
    return hash;
}

uint64_t proa_machine(void)
{
    static uint64_t known; /* 0 if unknown; all threads compute the same */
    uint64_t machine = proa_atomic_load(&known, PROA_RELAXED);

    if (!machine) {
        machine = machine_name();
        proa_atomic_store(&known, machine, PROA_RELAXED);
    }
    return machine;
}

/* Returns the ticks since the node started, in the kernel's unit for processes (proc(5), stat). */
uint64_t proa_ticks_now(void)
{
    uint64_t per_second = (uint64_t)sysconf(_SC_CLK_TCK);
    struct timespec now;

    clock_gettime(CLOCK_BOOTTIME, &now);
    return (uint64_t)now.tv_sec * per_second + (uint64_t)now.tv_nsec * per_second / 1000000000;
}

/* A pidfd is readable once its process has ended. If the kernel gives no pidfd for a reason other
 * than ESRCH, the process counts as alive. */
static int descriptor_tells(int pid)
{
    int fd = (int)syscall(SYS_pidfd_open, pid, 0);
    struct pollfd end = {.fd = fd, .events = POLLIN};
    int ended = fd >= 0 ? poll(&end, 1, 0) == 1 : errno == ESRCH;

    if (fd >= 0)
        close(fd);
    return ended;
}

int proa_process_is_nobody(int pid)
{
    return kill(pid, 0) != 0 && errno == ESRCH;
}

/* The process was alive when we attached it, so a process with its pid that started later is
 * another one. A process that has ended but that its parent has not waited for yet is a zombie. A
 * first thread that has ended before the others looks like a zombie too, except for the number of
 * threads. */
int proa_process_has_ended(int pid, uint64_t met)
{
    /* PF_EXITING: its memory and files may be released though it is no zombie yet */
    enum { EXITING = 4 };
    char path[40], text[1024], state;
    unsigned long long started;
    unsigned flags;
    long threads;
    const char *rest;

    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    proa_file_read(path, text, sizeof text);
    rest = strrchr(text, ')'); /* the name before it may contain any character */
    if (!rest ||
        sscanf(rest + 1,
               " %c %*s %*s %*s %*s %*s %u %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %ld %*s %llu",
               &state, &flags, &threads, &started) != 4)
        return proa_process_is_nobody(pid) || descriptor_tells(pid);
    return started > met || ((state == 'Z' || state == 'X' || flags & EXITING) && threads <= 1);
}
