/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs a program as containers do: with few files, and without some system calls.
 *
 *   confined faults|all PROGRAM [ARG...]
 *
 * faults: no userfaultfd, as in Docker's own profile; all: no process_vm_readv and writev either.
 * Status 77, a skipped test, where no filter can be installed.
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

#define REFUSE(number)                                   \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (number), 0, 1), \
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)

int main(int argc, char **argv)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        REFUSE(SYS_userfaultfd), /* 2 instructions each */
        REFUSE(SYS_process_vm_readv),
        REFUSE(SYS_process_vm_writev),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    const struct rlimit files = {256, 256};

    if (argc < 3 || (strcmp(argv[1], "faults") != 0 && strcmp(argv[1], "all") != 0)) {
        fprintf(stderr, "usage: confined faults|all PROGRAM [ARG...]\n");
        return 2;
    }
    if (strcmp(argv[1], "faults") == 0) /* the rest is allowed */
        filter[3] = filter[sizeof filter / sizeof *filter - 1];
    if (setrlimit(RLIMIT_NOFILE, &files) != 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
        fprintf(stderr, "skipped: no filter for system calls: %s\n", strerror(errno));
        return 77;
    }
    execvp(argv[2], argv + 2);
    fprintf(stderr, "confined: %s: %s\n", argv[2], strerror(errno));
    return 127;
}
