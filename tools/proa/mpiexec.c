/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds a host's launcher (mpiexec.h). An MPI that a user installed is often in PATH as plain
 * `mpiexec`, so the version of such a file is examined. */
#include "mpiexec.h"

#include "capture.h"
#include "complain.h"
#include "path.h"

#include <stdlib.h>
#include <string.h>

static bool belongs_to(const char *path, const struct proa_host *host)
{
    char *const words[] = {(char *)path, "--version", NULL};
    const char *text = proa_capture(words);

    for (const char *const *mark = host->launcher->says; text && *mark; mark++) {
        if (strstr(text, *mark))
            return true;
    }
    return false;
}

static const char *verified(const char *path, const struct proa_host *host)
{
    return path && proa_is_executable(path) && belongs_to(path, host) ? path : NULL;
}

/* PREFIX/lib/libmpi.so.N has its launcher in PREFIX/bin. */
static const char *find_beside(const char *mpi_library, const struct proa_host *host)
{
    const char *slash = mpi_library ? strrchr(mpi_library, '/') : NULL;

    return slash
               ? verified(proa_text("%.*s/../bin/mpiexec", (int)(slash - mpi_library), mpi_library),
                          host)
               : NULL;
}

static const char *find(const struct proa_host *host, const char *mpi_library)
{
    const char *path = find_beside(mpi_library, host);

    if (!path)
        path = proa_path_command(host->mpiexec_command);
    if (!path && proa_is_executable(host->mpiexec_configured))
        path = host->mpiexec_configured;
    return path ? path : verified(proa_path_command("mpiexec"), host);
}

const char *proa_mpiexec_look(const struct proa_host *host, const char *mpi_library)
{
    const char *wish = getenv("PROA_MPIEXEC");

    return wish && *wish ? proa_path_command(wish) : find(host, mpi_library);
}

const char *proa_mpiexec_find(const struct proa_host *host, const char *mpi_library)
{
    const char *wish = getenv("PROA_MPIEXEC"), *path = proa_mpiexec_look(host, mpi_library);

    if (!path && wish && *wish)
        proa_complain(0, "no launcher %s, which PROA_MPIEXEC names", wish);
    else if (!path)
        proa_complain(0,
                      "no launcher of %s in PATH (%s, or an mpiexec of its own): set PROA_MPIEXEC",
                      host->title, host->mpiexec_command);
    return path;
}

void proa_mpiexec_heed_srun(void)
{
    const char *wish = getenv("PROA_MPIEXEC");

    if (wish && strcmp(basename(wish), "srun") == 0)
        proa_hosts_by_srun();
}

const char *proa_mpiexec_instead(void)
{
    const char *wish = getenv("PROA_MPIEXEC");

    return getenv("SLURM_JOB_ID") && !(wish && *wish) ? proa_path_command("srun") : NULL;
}
