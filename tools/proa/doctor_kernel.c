/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests the features of the kernel that Proa uses (doctor.h), under the same conditions as ranks.
 * The test uses two children of one parent, as ranks are neither parent nor child of each other.
 */
#include "doctor.h"

#include "adopt/fault.h"
#include "base/atomic.h"
#include "base/membar.h"
#include "finding.h"
#include "keep.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const uint64_t magic = 0x70726f61646f6374;

/* Shared by the two children and the parent. 0 if a test was not made, or succeeded. */
struct shared {
    uint64_t magic; /* in the owner's private memory: its address is equal in both */
    uint32_t ready; /* the owner is ready to be accessed */
    uint32_t woken;
    int owner, file; /* its process id, and the descriptor of its memfd */
    int move_error, open_error, content_error;
};

static void nap(void)
{
    nanosleep(&(struct timespec){0, 1000000}, NULL);
}

static bool wait_for_word(const uint32_t *word)
{
    for (int ms = 0; ms < 2000 && !proa_atomic_load(word, PROA_ACQUIRE); ms++)
        nap();
    return proa_atomic_load(word, PROA_ACQUIRE);
}

/* The process that is accessed: it has memory of its own and an anonymous file, and sleeps. */
static void own(struct shared *shared)
{
    static uint64_t mine;

    mine = magic;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0); /* as Proa does, for Yama */
    shared->magic = (uint64_t)(uintptr_t)&mine;
    shared->owner = getpid();
    shared->file = memfd_create("proa-doctor", MFD_CLOEXEC);
    if (shared->file < 0 || write(shared->file, &mine, sizeof mine) != sizeof mine)
        shared->content_error = errno;
    proa_atomic_store(&shared->ready, 1, PROA_RELEASE);
    struct timespec limit = {2, 0};
    syscall(SYS_futex, &shared->woken, FUTEX_WAIT, 0, &limit, NULL, 0);
    _exit(proa_atomic_load(&shared->woken, PROA_ACQUIRE) ? 0 : 1);
}

static void look(struct shared *shared)
{
    uint64_t seen = 0;
    struct iovec here = {&seen, sizeof seen};
    struct iovec there = {(void *)(uintptr_t)shared->magic, sizeof seen};

    errno = 0;
    if (process_vm_readv(shared->owner, &here, 1, &there, 1, 0) != sizeof seen || seen != magic ||
        process_vm_writev(shared->owner, &here, 1, &there, 1, 0) != sizeof seen)
        shared->move_error = errno ? errno : EIO;
    char *path = proa_text("/proc/%d/fd/%d", shared->owner, shared->file);
    int file = open(path, O_RDWR | O_CLOEXEC);
    if (file < 0)
        shared->open_error = errno;
    else if (pread(file, &seen, sizeof seen, 0) != sizeof seen || seen != magic)
        shared->content_error = EIO;
    _exit(0);
}

static int end_of(pid_t pid)
{
    int status = -1;

    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return status;
}

/* Wakes the owner, after it sleeps: it becomes ready just before that. */
static bool wake(struct shared *shared)
{
    long woken = 0;

    proa_atomic_store(&shared->woken, 1, PROA_RELEASE);
    for (int ms = 0; ms < 100 && woken == 0; ms++) {
        woken = syscall(SYS_futex, &shared->woken, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
        if (woken == 0)
            nap();
    }
    return woken == 1;
}

static void report_pair(const struct shared *shared, bool woken)
{
    if (shared->open_error || shared->content_error)
        proa_finding(
            PROA_BROKEN, "memfd",
            proa_text("a neighbour's memory cannot be opened: %s",
                      strerror(shared->open_error ? shared->open_error : shared->content_error)),
            "Proa keeps windows in memory files that the ranks of a node open from each other. "
            "Without that it serves windows over the network's loopback, or leaves them to the "
            "host.",
            "ranks have to be of one user, in one pid namespace, with /proc mounted");
    else
        proa_finding(PROA_FINE, "memfd", "ranks open each other's memory", NULL, NULL);
    if (shared->move_error)
        proa_finding(PROA_COSTS, "process_vm",
                     proa_text("process_vm_readv and writev between ranks: %s",
                               strerror(shared->move_error)),
                     "Memory that MPI_Win_create gets and that cannot be adopted, such as a "
                     "stack, is then served by its owner over the network's loopback.",
                     "in a container: docker run --cap-add=SYS_PTRACE; or windows by "
                     "MPI_Win_allocate");
    else
        proa_finding(PROA_FINE, "process_vm", "ranks read and write each other's private memory",
                     NULL, NULL);
    proa_finding(woken ? PROA_FINE : PROA_COSTS, "futex",
                 woken ? "a sleeping rank is woken by another" : "a sleeping rank is not woken",
                 "Ranks that wait sleep up to a millisecond too long.",
                 "see what forbids the system call futex here");
}

static void try_pair(void)
{
    struct shared *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (shared == MAP_FAILED) {
        proa_finding(PROA_BROKEN, "mmap", proa_text("no shared memory: %s", strerror(errno)),
                     "Nothing works without.", "look at ulimit -v");
        return;
    }
    pid_t owner = fork();
    if (owner == 0)
        own(shared);
    wait_for_word(&shared->ready);
    pid_t looker = fork();
    if (looker == 0)
        look(shared);
    end_of(looker);
    report_pair(shared, wake(shared));
    end_of(owner);
    munmap(shared, sizeof *shared);
}

static void try_userfaultfd(void)
{
    int file = proa_fault_open();

    if (file >= 0) {
        proa_finding(PROA_FINE, "userfaultfd",
                     "one stopped a thread: memory of programs with threads is adopted", NULL,
                     NULL);
        close(file);
        return;
    }
    proa_finding(PROA_COSTS, "userfaultfd",
                 file == -ENODATA ? "it opens, and stops no thread"
                                  : proa_text("refused: %s", strerror(-file)),
                 "Only programs with threads are concerned: memory that they give to "
                 "MPI_Win_create stays where it is, and each operation on it is a system call.",
                 "windows by MPI_Win_allocate; or Linux 5.14 or newer, and allow it: "
                 "vm.unprivileged_userfaultfd, a container's filter");
}

static void try_membarrier(void)
{
    bool works = proa_membar_start();

    proa_finding(works ? PROA_FINE : PROA_COSTS, "membarrier",
                 works ? "sleepers pay for fences, not those who wake them" : "not available",
                 "Each operation that wakes somebody takes some 10 ns more.",
                 "Linux 4.16 or newer; in a container, allow the system call");
}

void proa_doctor_kernel(void)
{
    proa_finding_heading("Kernel");
    try_pair();
    try_userfaultfd();
    try_membarrier();
}
