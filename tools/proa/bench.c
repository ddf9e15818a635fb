/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `proa bench`: finds the benchmarks and the launcher of each MPI with benchmarks. It executes the
 * script that runs them (bench/run), which reads the rest of the command line.
 */
#include "commands.h"
#include "complain.h"
#include "library.h"
#include "mpiexec.h"
#include "path.h"
#include "program.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

/* Passes the script the launcher with srun's options, for any MPI: the one in PROA_MPIEXEC, or the
 * substitute for a missing launcher, as in `proa run`. */
static void add_launcher(struct proa_words *words, const struct proa_host *host,
                         const char *mpi_library)
{
    const char *launcher = proa_mpiexec_look(host, mpi_library);
    bool srun = !launcher || host->launcher->starts_exec;

    if (!launcher)
        launcher = proa_mpiexec_instead();
    if (!launcher)
        return;
    proa_words_add(words, srun ? "--srun" : "--launcher");
    proa_words_add(words, proa_text("%s=%s", host->name, launcher));
}

/* The launcher is the one of the library that the benchmarks of this MPI load here. Installed
 * benchmarks for the standard ABI may load another MPI's library; they are left out then. */
static void add_host(struct proa_words *words, const struct proa_host *host, const char *folder)
{
    const char *path = proa_text("%s/%s/rma", folder, host->name);
    struct proa_program program;

    if (!proa_is_executable(path))
        return;
    program = proa_program_inspect(path);
    if (program.kind == PROA_PROGRAM_LINKED && program.host == host)
        add_launcher(words, host, program.detail);
}

int proa_command_bench(int argc, char **argv)
{
    const char *script = proa_library_bench();
    struct proa_words words = {0};
    char self[PATH_MAX] = "";

    if (!script || readlink("/proc/self/exe", self, sizeof self - 1) <= 0)
        return proa_complain(PROA_EXIT_MISSING, "the benchmarks are not installed here");
    const char *folder = proa_text("%.*s", (int)(strrchr(script, '/') - script), script);
    proa_words_add(&words, script);
    proa_words_add(&words, "--proa");
    proa_words_add(&words, self);
    for (const struct proa_host *host = proa_hosts; host->name; host++)
        add_host(&words, host, folder);
    proa_words_add(&words, "--");
    for (int i = 1; i < argc; i++)
        proa_words_add(&words, argv[i]);
    execv(script, words.list);
    return proa_complain(PROA_EXIT_MISSING, "cannot start %s: %s", script, strerror(errno));
}
