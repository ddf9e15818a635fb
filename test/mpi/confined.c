/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs a program as containers do: with few files, and without some system calls.
 *
 *   confined faults|all|memfd PROGRAM [ARG...]
 *
 * faults: no userfaultfd, as in Docker's own profile; all: no process_vm_readv and writev either;
 * memfd: no memfd_create, as on kernels and in profiles that do not know it. Status 77, a skipped
 * test, where no filter can be installed.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { CALLS_MOST = 3 };

static const struct kind {
    const char *name;
    int count;
    unsigned calls[CALLS_MOST]; /* that are refused */
} kinds[] = {
    {"faults", 1, {SYS_userfaultfd}},
    {"all", 3, {SYS_userfaultfd, SYS_process_vm_readv, SYS_process_vm_writev}},
    {"memfd", 1, {SYS_memfd_create}},
};

static const struct kind *kind_of(const char *name)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i].name, name) == 0)
            return &kinds[i];
    return NULL;
}

/* Returns how many instructions. */
static unsigned short fill(struct sock_filter *filter, const struct kind *kind)
{
    struct sock_filter *next = filter;

    *next++ =
        (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (int i = 0; i < kind->count; i++) {
        *next++ = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kind->calls[i], 0, 1);
        *next++ = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
    }
    *next++ = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    return (unsigned short)(next - filter);
}

int main(int argc, char **argv)
{
    struct sock_filter filter[2 + 2 * CALLS_MOST];
    struct sock_fprog program = {.filter = filter};
    const struct rlimit files = {256, 256};
    const struct kind *kind = argc < 3 ? NULL : kind_of(argv[1]);

    if (!kind) {
        fprintf(stderr, "usage: confined faults|all|memfd PROGRAM [ARG...]\n");
        return 2;
    }
    program.len = fill(filter, kind);
    if (setrlimit(RLIMIT_NOFILE, &files) != 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
        fprintf(stderr, "skipped: no filter for system calls: %s\n", strerror(errno));
        return 77;
    }
    execvp(argv[2], argv + 2);
    fprintf(stderr, "confined: %s: %s\n", argv[2], strerror(errno));
    return 127;
}
