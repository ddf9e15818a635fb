/* SPDX-License-Identifier: BSD-3-Clause */
/* See ranks.h. */
#include "ranks.h"

#include "complain.h"

#include "base/system.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

/* MPI and launchers count ranks by int. No existing job has as many as this. */
enum { RANKS_MOST = 1 << 24 };

/* The launcher keeps standard input, output, error and a connection open for each rank. */
enum { FILES_OF_A_RANK = 4 };

struct most {
    long ranks;
    const char *why;
};

static void at_most(struct most *most, unsigned long ranks, const char *why)
{
    if (ranks < (unsigned long)most->ranks)
        *most = (struct most){(long)ranks, why};
}

static unsigned long limit_of(enum __rlimit_resource what)
{
    struct rlimit limit;

    return getrlimit(what, &limit) == 0 && limit.rlim_max != RLIM_INFINITY ? limit.rlim_max
                                                                           : (unsigned long)-1;
}

static unsigned long processes_of_the_kernel(void)
{
    FILE *file = fopen("/proc/sys/kernel/pid_max", "re");
    unsigned long most = (unsigned long)-1;

    if (file && fscanf(file, "%lu", &most) != 1)
        most = (unsigned long)-1;
    if (file)
        fclose(file);
    return most;
}

/* Returns true if a resource manager, or a default host list of the launcher, places ranks. */
static bool may_be_elsewhere(const struct proa_line *line)
{
    static const char *const variables[] = {"SLURM_JOB_ID",
                                            "PBS_JOBID",
                                            "PBS_NODEFILE",
                                            "LSB_JOBID",
                                            "PE_HOSTFILE",
                                            "FLUX_JOB_ID",
                                            "COBALT_NODEFILE",
                                            "HYDRA_HOST_FILE",
                                            "HYDRA_RMK",
                                            "OMPI_MCA_orte_default_hostfile",
                                            "PRTE_MCA_prte_default_hostfile",
                                            NULL};

    for (const char *const *variable = variables; *variable; variable++)
        if (getenv(*variable))
            return true;
    return line->hosts;
}

static struct most most_ranks(const struct proa_line *line)
{
    struct most most = {RANKS_MOST, "no MPI job has more"};

    if (may_be_elsewhere(line))
        return most;
    at_most(&most, processes_of_the_kernel(), "this machine can have no more processes");
    at_most(&most, limit_of(RLIMIT_NPROC), "you can have no more processes here (ulimit -Hu)");
    at_most(&most, limit_of(RLIMIT_NOFILE) / FILES_OF_A_RANK,
            "the launcher can have no more files open here (ulimit -Hn)");
    return most;
}

static int check_part(const struct proa_part *part, const struct most *most)
{
    char *end;
    long ranks;

    if (!part->ranks)
        return 0;
    errno = 0;
    ranks = strtol(part->ranks, &end, 10);
    if (end == part->ranks || *end)
        return proa_complain(PROA_EXIT_USAGE, "%s %s: that is no number of ranks",
                             part->ranks_option, part->ranks);
    if (ranks < 1)
        return proa_complain(PROA_EXIT_USAGE, "%s %s: a job has at least 1 rank",
                             part->ranks_option, part->ranks);
    if (errno || ranks > most->ranks)
        return proa_complain(PROA_EXIT_USAGE, "%s %s: ask for at most %ld ranks, as %s",
                             part->ranks_option, part->ranks, most->ranks, most->why);
    return 0;
}

int proa_ranks_check(const struct proa_line *line)
{
    struct most most = most_ranks(line);
    int status = 0;

    for (size_t i = 0; i < line->part_count && status == 0; i++)
        status = check_part(&line->parts[i], &most);
    return status;
}

/* The kernel's own threads run for an instant; other work is running at each sample. */
bool proa_ranks_have_rivals(void)
{
    for (int looks = 0; looks < 3; looks++) {
        if (proa_system->runnable() <= 1)
            return false;
        proa_system->rest(1000000);
    }
    return true;
}

bool proa_ranks_are_many(const struct proa_line *line)
{
    long ranks = 0;
    cpu_set_t processors;

    for (size_t i = 0; i < line->part_count; i++)
        ranks += line->parts[i].ranks ? strtol(line->parts[i].ranks, NULL, 10) : 1;
    return sched_getaffinity(0, sizeof processors, &processors) == 0 &&
           ranks > CPU_COUNT(&processors);
}
