/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks of processors, limits and memory (doctor.h). */
#include "doctor.h"

#include "finding.h"
#include "keep.h"

#include "shm/available.h"

#include <limits.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>

enum { MIB = 20 };

/* Returns the first number in a file, or -1 if there is none. */
static long number_in(const char *path)
{
    long number = -1;
    FILE *file = fopen(path, "re");

    if (file && fscanf(file, "%ld", &number) != 1)
        number = -1;
    if (file)
        fclose(file);
    return number;
}

static int processors_allowed(void)
{
    cpu_set_t set;

    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

/* Returns the processor limit of the control group (version 2), of this process's group or the root
 * group. Returns 0 if there is no limit. */
static double processors_of_group(void)
{
    char line[PATH_MAX] = "", *group;
    long quota, period;
    FILE *file = fopen("/proc/self/cgroup", "re");
    double most = 0;

    while (file && fgets(line, sizeof line, file) && strncmp(line, "0::", 3) != 0)
        line[0] = '\0';
    if (file)
        fclose(file);
    group = line + (line[0] ? 3 : 0);
    group[strcspn(group, "\n")] = '\0';
    file = fopen(proa_text("/sys/fs/cgroup%s/cpu.max", group), "re");
    if (file && fscanf(file, "%ld %ld", &quota, &period) == 2 && period > 0)
        most = (double)quota / (double)period;
    if (file)
        fclose(file);
    return most;
}

static void look_at_processors(int ranks)
{
    int allowed = processors_allowed();
    double group = processors_of_group();
    bool crowded = ranks > allowed || (group > 0 && ranks > group);

    if (group > 0 && group < allowed)
        proa_finding(PROA_COSTS, "control group",
                     proa_text("lets %.1f of %d processors run", group, allowed),
                     "Proa counts processors and not shares of them: ranks that wait for each "
                     "other spin until the group's share is used up, and only then sleep.",
                     "give the group whole processors (cpuset), or set PROA_SPIN_NS=0");
    proa_finding(crowded ? PROA_NOTED : PROA_FINE, "processors",
                 proa_text("%d for %d ranks", allowed, ranks),
                 "With more ranks than processors a rank often waits for one that is not running: "
                 "waits sleep early, and a synchronization takes microseconds instead of "
                 "nanoseconds.",
                 NULL);
    if (number_in("/proc/sys/kernel/sched_autogroup_enabled") == 1)
        proa_finding(crowded ? PROA_NOTED : PROA_FINE, "autogroup", "on",
                     "MPICH's launcher puts each rank into a session of its own, among which the "
                     "kernel shares processors by groups: a yield lets no other rank run. proa run "
                     "keeps those of the node that it is called on in one session while nothing "
                     "else wants the processors, not those of others.",
                     "for ranks on other nodes, as root there: sysctl "
                     "kernel.sched_autogroup_enabled=0");
}

static unsigned long long limit_of(enum __rlimit_resource what)
{
    struct rlimit limit;

    if (getrlimit(what, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return ULLONG_MAX;
    return limit.rlim_cur;
}

static void look_at_limits(void)
{
    unsigned long long files = limit_of(RLIMIT_NOFILE), file_bytes = limit_of(RLIMIT_FSIZE);
    unsigned long long space = limit_of(RLIMIT_AS);

    proa_finding(files < 256 ? PROA_COSTS : PROA_FINE, "open files",
                 files == ULLONG_MAX ? "no limit" : proa_text("%llu (ulimit -n)", files),
                 "A rank keeps some files open, and so does its MPI.", "ulimit -n 1024");
    proa_finding(file_bytes == ULLONG_MAX ? PROA_FINE : PROA_COSTS, "size of files",
                 file_bytes == ULLONG_MAX ? "no limit"
                                          : proa_text("%llu MiB (ulimit -f)", file_bytes >> MIB),
                 "Windows lie in files in memory: larger windows are left to the host, and no "
                 "memory is adopted.",
                 "ulimit -f unlimited");
    proa_finding(space == ULLONG_MAX ? PROA_FINE : PROA_COSTS, "address space",
                 space == ULLONG_MAX ? "no limit" : proa_text("%llu MiB (ulimit -v)", space >> MIB),
                 "Each rank maps the memory of all its neighbours.", "ulimit -v unlimited");
}

static void look_at_memory(int ranks)
{
    uint64_t available = proa_memory_available();
    struct statvfs shm;

    if (available != UINT64_MAX)
        proa_finding(PROA_FINE, "memory",
                     proa_text("%llu MiB for the windows of this node's ranks",
                               (unsigned long long)available >> MIB),
                     NULL, NULL);
    if (proa_memory_is_strict())
        proa_finding(PROA_NOTED, "overcommit", "off (vm.overcommit_memory is 2)",
                     "All pages of a window are reserved when it is made.", NULL);
    if (statvfs("/dev/shm", &shm) != 0) {
        proa_finding(PROA_NOTED, "/dev/shm", "not here",
                     "Proa does not need it; your MPI may, for messages.", NULL);
        return;
    }
    unsigned long long bytes = (unsigned long long)shm.f_bavail * shm.f_bsize;
    bool small = bytes >> MIB < 16ull * (unsigned)ranks;
    proa_finding(small ? PROA_NOTED : PROA_FINE, "/dev/shm",
                 proa_text("%llu MiB free", bytes >> MIB),
                 "Proa does not need it; your MPI may take some MiB for each rank there, and end "
                 "with a bus error where there are none.",
                 "in a container: docker run --shm-size=1g");
}

void proa_doctor_machine(int ranks)
{
    if (ranks == 0)
        ranks = processors_allowed();
    proa_finding_heading("Machine");
    look_at_processors(ranks);
    look_at_limits();
    look_at_memory(ranks);
}
