/* SPDX-License-Identifier: BSD-3-Clause */
/* See fault.h. Sources: userfaultfd(2), ioctl_userfaultfd(2). */
#include "adopt/fault.h"
#include "base/atomic.h"
#include "shm/segment.h"
#include "shm/valgrind.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef UFFD_FEATURE_MINOR_SHMEM
#define UFFD_FEATURE_MINOR_SHMEM (1 << 10) /* Linux 5.14 */
#endif
#ifndef USERFAULTFD_IOC_NEW
#define USERFAULTFD_IOC_NEW _IO(0xAA, 0x00) /* Linux 6.1 */
#endif

#ifndef UFFD_USER_MODE_ONLY
#define UFFD_USER_MODE_ONLY 1 /* Linux 5.11 */
#endif

/* flags: additional flags of userfaultfd(2). In Valgrind one thread runs at a time, so a thread
 * stopped at a page would stop all others. */
static int open_it(int flags)
{
    int fd, device = -1;

    if (proa_is_in_valgrind()) {
        errno = ENOSYS;
        return -1;
    }
    fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | flags);
    if (fd < 0)
        device = (int)syscall(SYS_openat, AT_FDCWD, "/dev/userfaultfd", O_RDWR | O_CLOEXEC);
    if (device >= 0) {
        fd = ioctl(device, USERFAULTFD_IOC_NEW, O_CLOEXEC | O_NONBLOCK);
        close(device);
    }
    return fd;
}

/* ---- the trial ---- */

struct trial {
    volatile char *page;
    int over; /* an eventfd, signalled when the thread has touched the page */
};

static void *touch(void *arg)
{
    const struct trial *trial = arg;

    trial->page[0] = 1;
    eventfd_write(trial->over, 1);
    return NULL;
}

/* Waits until the thread is stopped or has touched the page. Returns whether it was stopped. */
static int await(int fd, const struct trial *trial)
{
    struct pollfd events[] = {{.fd = fd, .events = POLLIN}, {.fd = trial->over, .events = POLLIN}};

    while (poll(events, 2, -1) < 0 && errno == EINTR)
        continue;
    return !(events[1].revents & POLLIN);
}

/* Returns whether fd stops a thread at a page of this shared memory. */
static int stops_at(int fd, const struct trial *trial)
{
    const uint64_t page = proa_page_bytes();
    struct uffdio_register range = {.range = {(uintptr_t)trial->page, page},
                                    .mode = UFFDIO_REGISTER_MODE_MISSING};
    pthread_t thread;
    int stops;

    if (ioctl(fd, UFFDIO_REGISTER, &range) != 0 ||
        pthread_create(&thread, NULL, touch, (void *)(uintptr_t)trial) != 0)
        return 0;
    stops = await(fd, trial);
    ioctl(fd, UFFDIO_UNREGISTER, &range.range); /* wakes the thread */
    pthread_join(thread, NULL);
    return stops;
}

static int stops(int fd)
{
    const uint64_t page = proa_page_bytes();
    struct trial trial = {
        mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0),
        eventfd(0, EFD_CLOEXEC)};
    int works = trial.page != MAP_FAILED && trial.over >= 0 && stops_at(fd, &trial);

    if (trial.page != MAP_FAILED)
        munmap((void *)trial.page, page);
    if (trial.over >= 0)
        close(trial.over);
    return works;
}

/* ---- all ---- */

int proa_fault_open(void)
{
    static int is_tried, works; /* under the mutex of adoption */
    struct uffdio_api api = {.api = UFFD_API,
                             .features = UFFD_FEATURE_MISSING_SHMEM | UFFD_FEATURE_MINOR_SHMEM};
    int fd = open_it(0), error = 0;

    if (fd < 0)
        return -errno;
    if (ioctl(fd, UFFDIO_API, &api) != 0)
        error = errno;
    else if (!is_tried)
        is_tried = 1, works = stops(fd);
    if (!error && !works)
        error = ENODATA;
    if (error)
        close(fd);
    return error ? -error : fd;
}

/* Without the privilege for kernel mode faults, memory moves only if there are no threads that a
 * registration could disturb, and the program's own userfaultfd serves user mode faults. */
int proa_fault_is_registered(uint64_t first, uint64_t end)
{
    struct uffdio_api api = {.api = UFFD_API};
    struct uffdio_register range = {.range = {first, end - first},
                                    .mode = UFFDIO_REGISTER_MODE_MISSING};
    int fd = open_it(0), is_others;

    if (fd < 0)
        fd = open_it(UFFD_USER_MODE_ONLY);
    if (fd < 0)
        return 0;
    is_others = ioctl(fd, UFFDIO_API, &api) == 0 && ioctl(fd, UFFDIO_REGISTER, &range) != 0 &&
                errno == EBUSY;
    close(fd); /* this ends the registration and wakes threads */
    return is_others;
}
