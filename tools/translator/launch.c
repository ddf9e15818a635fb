/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `translate [OPTION OF VALGRIND...] PROGRAM [ARGUMENT...]`: executes the tool beside it, as
 * Valgrind's launcher would. Linked statically: preloaded libraries are for the program.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OPTIONS = 6, EXIT_CANNOT = 127 };

/* Child programs are traced as well: the rank may be started by a script. Warnings about Valgrind's
 * emulation would be in the program's output. */
static char *const options[OPTIONS] = {"--tool=proa",          "-q",
                                       "--trace-children=yes", "--show-emwarns=no",
                                       "--num-callers=48",     "--fair-sched=try"};

/* Libraries below an MPI print long messages about features that Valgrind lacks, unless they do not
 * try them. */
static void quieten(void)
{
    const char *components = getenv("HWLOC_COMPONENTS");
    char text[256];

    snprintf(text, sizeof text, "%s%s-x86", components ? components : "", components ? "," : "");
    setenv("HWLOC_COMPONENTS", text, 1);
    setenv("UCX_SYSV_HUGETLB_MODE", "n", 0);
    setenv("UCX_POSIX_HUGETLB_MODE", "n", 0);
}

int main(int argc, char **argv)
{
    char self[PATH_MAX] = "", tool[PATH_MAX + 32], *slash;
    char **words = calloc((size_t)argc + OPTIONS + 1, sizeof *words);

    if (!words || readlink("/proc/self/exe", self, sizeof self - 1) < 0)
        return EXIT_CANNOT;
    quieten();
    setenv("PROA_SPIN_NS", "0", 0); /* a polling thread blocks all others of its process */
    setenv("VALGRIND_LAUNCHER", self, 1);
    slash = strrchr(self, '/');
    *slash = '\0';
    setenv("VALGRIND_LIB", self, 1);
    snprintf(tool, sizeof tool, "%s/proa-amd64-linux", self);
    words[0] = argv[0];
    memcpy(words + 1, options, sizeof options);
    memcpy(words + 1 + OPTIONS, argv + 1, (size_t)argc * sizeof *words);
    execv(tool, words);
    fprintf(stderr, "proa: cannot start %s: %s\n", tool, strerror(errno));
    return EXIT_CANNOT;
}
