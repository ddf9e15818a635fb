/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The hosts as tables (host.h): a row of cmake/hosts and a launcher each. The tables list the
 * options that take a value, in MPICH 3 to 5 (Hydra) and in Open MPI 3 to 5 (ORTE, PRRTE). So a
 * value that is also the name of a program is not mistaken for it. Launchers may add options:
 * line.c handles options that are not in the table.
 */
#include "host.h"

#include "host/hosts.h"

#include <stdlib.h>
#include <string.h>

static const struct proa_option hydra_options[] = {
    {"n", PROA_OPTION_RANKS},
    {"np", PROA_OPTION_RANKS},
    {"genv", PROA_OPTION_ENV},
    {"env", PROA_OPTION_ENV},
    {"genvlist", PROA_OPTION_VALUE},
    {"envlist", PROA_OPTION_VALUE},
    {"wdir", PROA_OPTION_WDIR},
    {"configfile", PROA_OPTION_FILE},
    {"f", PROA_OPTION_HOSTS},
    {"hostfile", PROA_OPTION_HOSTS},
    {"machinefile", PROA_OPTION_HOSTS},
    {"host", PROA_OPTION_HOSTS},
    {"hosts", PROA_OPTION_HOSTS},
    {"hostlist", PROA_OPTION_HOSTS},
    {"machine", PROA_OPTION_HOSTS},
    {"machines", PROA_OPTION_HOSTS},
    {"machinelist", PROA_OPTION_HOSTS},
    {"localhost", PROA_OPTION_VALUE},
    {"rankmap", PROA_OPTION_HOSTS},
    {"ppn", PROA_OPTION_VALUE},
    {"order-nodes", PROA_OPTION_VALUE},
    {"usize", PROA_OPTION_VALUE},
    {"launcher", PROA_OPTION_VALUE},
    {"launcher-exec", PROA_OPTION_VALUE},
    {"bootstrap", PROA_OPTION_VALUE},
    {"bootstrap-exec", PROA_OPTION_VALUE},
    {"rmk", PROA_OPTION_HOSTS},
    {"iface", PROA_OPTION_VALUE},
    {"nameserver", PROA_OPTION_VALUE},
    {"demux", PROA_OPTION_VALUE},
    {"topolib", PROA_OPTION_VALUE},
    {"bind-to", PROA_OPTION_VALUE},
    {"binding", PROA_OPTION_VALUE},
    {"map-by", PROA_OPTION_VALUE},
    {"membind", PROA_OPTION_VALUE},
    {"gpus-per-proc", PROA_OPTION_VALUE},
    {"memory-alloc-kinds", PROA_OPTION_VALUE},
    {"output-from", PROA_OPTION_VALUE},
    {"prepend-pattern", PROA_OPTION_VALUE},
    {"outfile", PROA_OPTION_VALUE},
    {"outfile-pattern", PROA_OPTION_VALUE},
    {"errfile", PROA_OPTION_VALUE},
    {"errfile-pattern", PROA_OPTION_VALUE},
    {0},
};

static const struct proa_option openmpi_options[] = {
    {"n", PROA_OPTION_RANKS},
    {"np", PROA_OPTION_RANKS},
    {"c", PROA_OPTION_RANKS},
    {"N", PROA_OPTION_VALUE},
    {"x", PROA_OPTION_ENV},
    {"wd", PROA_OPTION_WDIR},
    {"wdir", PROA_OPTION_WDIR},
    {"path", PROA_OPTION_PATH},
    {"app", PROA_OPTION_FILE},
    {"mca", PROA_OPTION_PAIR},
    {"gmca", PROA_OPTION_PAIR},
    {"omca", PROA_OPTION_PAIR},
    {"gomca", PROA_OPTION_PAIR},
    {"prtemca", PROA_OPTION_PAIR},
    {"gprtemca", PROA_OPTION_PAIR},
    {"pmixmca", PROA_OPTION_PAIR},
    {"gpmixmca", PROA_OPTION_PAIR},
    {"am", PROA_OPTION_VALUE},
    {"tune", PROA_OPTION_VALUE},
    {"H", PROA_OPTION_HOSTS},
    {"host", PROA_OPTION_HOSTS},
    {"hostfile", PROA_OPTION_HOSTS},
    {"machinefile", PROA_OPTION_HOSTS},
    {"default-hostfile", PROA_OPTION_HOSTS},
    {"add-host", PROA_OPTION_HOSTS},
    {"add-hostfile", PROA_OPTION_HOSTS},
    {"pset", PROA_OPTION_VALUE},
    {"rf", PROA_OPTION_HOSTS},
    {"rankfile", PROA_OPTION_HOSTS},
    {"map-by", PROA_OPTION_VALUE},
    {"rank-by", PROA_OPTION_VALUE},
    {"bind-to", PROA_OPTION_VALUE},
    {"ppr", PROA_OPTION_VALUE},
    {"npernode", PROA_OPTION_VALUE},
    {"npersocket", PROA_OPTION_VALUE},
    {"cpus-per-proc", PROA_OPTION_VALUE},
    {"cpus-per-rank", PROA_OPTION_VALUE},
    {"cpu-list", PROA_OPTION_VALUE},
    {"cpu-set", PROA_OPTION_VALUE},
    {"cf", PROA_OPTION_VALUE},
    {"cartofile", PROA_OPTION_VALUE},
    {"max-vm-size", PROA_OPTION_VALUE},
    {"max-restarts", PROA_OPTION_VALUE},
    {"prefix", PROA_OPTION_VALUE},
    {"personality", PROA_OPTION_VALUE},
    {"preload-files", PROA_OPTION_VALUE},
    {"launch-agent", PROA_OPTION_VALUE},
    {"hnp", PROA_OPTION_HOSTS},
    {"dvm-uri", PROA_OPTION_HOSTS},
    {"ompi-server", PROA_OPTION_VALUE},
    {"debugger", PROA_OPTION_VALUE},
    {"stdin", PROA_OPTION_VALUE},
    {"stream-buffering", PROA_OPTION_VALUE},
    {"forward-signals", PROA_OPTION_VALUE},
    {"tmpdir", PROA_OPTION_VALUE},
    {"output", PROA_OPTION_VALUE},
    {"output-directory", PROA_OPTION_VALUE},
    {"output-filename", PROA_OPTION_VALUE},
    {"display", PROA_OPTION_VALUE},
    {"runtime-options", PROA_OPTION_VALUE},
    {"xml-file", PROA_OPTION_VALUE},
    {"xterm", PROA_OPTION_VALUE},
    {"timeout", PROA_OPTION_VALUE},
    {"spawn-timeout", PROA_OPTION_VALUE},
    {"with-ft", PROA_OPTION_VALUE},
    {"memory-alloc-kinds", PROA_OPTION_VALUE},
    {"report-events", PROA_OPTION_VALUE},
    {"report-pid", PROA_OPTION_VALUE},
    {"report-uri", PROA_OPTION_VALUE},
    {0},
};

static const struct proa_launcher launcher_of_mpich = {
    .says = {"HYDRA"},
    .env_forwarded = true,
    .splits_sessions = true,
    .options = hydra_options,
};

static const struct proa_launcher launcher_of_openmpi = {
    .says = {"OpenRTE", "Open MPI"},
    .env_per_context = true,
    .program_here = true,
    .options = openmpi_options,
};

/* Options of Slurm 22 to 24: srun(1). */
static const struct proa_option srun_options[] = {
    {"n", PROA_OPTION_RANKS},
    {"ntasks", PROA_OPTION_RANKS},
    {"N", PROA_OPTION_VALUE},
    {"nodes", PROA_OPTION_VALUE},
    {"w", PROA_OPTION_HOSTS},
    {"nodelist", PROA_OPTION_HOSTS},
    {"F", PROA_OPTION_HOSTS},
    {"nodefile", PROA_OPTION_HOSTS},
    {"x", PROA_OPTION_VALUE},
    {"exclude", PROA_OPTION_VALUE},
    {"r", PROA_OPTION_VALUE},
    {"relative", PROA_OPTION_VALUE},
    {"c", PROA_OPTION_VALUE},
    {"cpus-per-task", PROA_OPTION_VALUE},
    {"ntasks-per-node", PROA_OPTION_VALUE},
    {"ntasks-per-socket", PROA_OPTION_VALUE},
    {"ntasks-per-core", PROA_OPTION_VALUE},
    {"m", PROA_OPTION_VALUE},
    {"distribution", PROA_OPTION_VALUE},
    {"cpu-bind", PROA_OPTION_VALUE},
    {"mem-bind", PROA_OPTION_VALUE},
    {"hint", PROA_OPTION_VALUE},
    {"mem", PROA_OPTION_VALUE},
    {"mem-per-cpu", PROA_OPTION_VALUE},
    {"G", PROA_OPTION_VALUE},
    {"gpus", PROA_OPTION_VALUE},
    {"gpus-per-node", PROA_OPTION_VALUE},
    {"gpus-per-task", PROA_OPTION_VALUE},
    {"gres", PROA_OPTION_VALUE},
    {"C", PROA_OPTION_VALUE},
    {"constraint", PROA_OPTION_VALUE},
    {"p", PROA_OPTION_VALUE},
    {"partition", PROA_OPTION_VALUE},
    {"A", PROA_OPTION_VALUE},
    {"account", PROA_OPTION_VALUE},
    {"q", PROA_OPTION_VALUE},
    {"qos", PROA_OPTION_VALUE},
    {"t", PROA_OPTION_VALUE},
    {"time", PROA_OPTION_VALUE},
    {"J", PROA_OPTION_VALUE},
    {"job-name", PROA_OPTION_VALUE},
    {"jobid", PROA_OPTION_VALUE},
    {"het-group", PROA_OPTION_VALUE},
    {"reservation", PROA_OPTION_VALUE},
    {"D", PROA_OPTION_WDIR},
    {"chdir", PROA_OPTION_WDIR},
    {"i", PROA_OPTION_VALUE},
    {"input", PROA_OPTION_VALUE},
    {"o", PROA_OPTION_VALUE},
    {"output", PROA_OPTION_VALUE},
    {"e", PROA_OPTION_VALUE},
    {"error", PROA_OPTION_VALUE},
    {"mpi", PROA_OPTION_VALUE},
    {"export", PROA_OPTION_VALUE},
    {"multi-prog", PROA_OPTION_FILE},
    {0},
};

static const struct proa_launcher srun = {
    .env_forwarded = true,
    .starts_exec = true,
    .options = srun_options,
};

#define launcher_of_abi_mpich launcher_of_mpich
#define launcher_of_abi_openmpi launcher_of_openmpi

struct proa_host proa_hosts[] = {
#define ROW(host)                                                         \
    {                                                                     \
        .name = #host,                                                    \
        .library = PROA_HOST_FACT(host, library),                         \
        .title = PROA_HOST_FACT(host, title),                             \
        .libraries = PROA_HOST_FACT(host, libraries),                     \
        .symbol = PROA_HOST_FACT(host, symbol),                           \
        .abi_libraries = PROA_HOST_FACT(host, abi_library),               \
        .mpiexec_command = PROA_HOST_FACT(host, mpiexec),                 \
        .mpiexec_configured = PROA_HOST_FACT(host, mpiexec_found),        \
        .env_option = PROA_HOST_FACT(host, env_option),                   \
        .env_in_two_words = PROA_HOST_FACT(host, env_words) == 2,         \
        .crowded_options = PROA_HOST_FACT(host, crowded_options),         \
        .crowded_environment = PROA_HOST_FACT(host, crowded_environment), \
        .here_options = PROA_HOST_FACT(host, here_options),               \
        .across_options = PROA_HOST_FACT(host, across_options),           \
        .root_environment = PROA_HOST_FACT(host, root_environment),       \
        .here_environment = PROA_HOST_FACT(host, here_environment),       \
        .launcher = &launcher_of_##host,                                  \
    },
    PROA_KNOWN_HOSTS(ROW)
#undef ROW
        {0},
};

void proa_hosts_by_srun(void)
{
    for (struct proa_host *host = proa_hosts; host->name; host++) {
        host->launcher = &srun;
        host->crowded_options = "--overcommit";
        host->here_options = "-N 1";
        host->across_options = "--ntasks-per-node=1 -w";
    }
}

const struct proa_host *proa_host_named(const char *name)
{
    for (const struct proa_host *host = proa_hosts; host->name; host++) {
        if (strcmp(host->name, name) == 0)
            return host;
    }
    return NULL;
}

const char *proa_host_names(const char *before, const char *between)
{
    const char *names = "";

    for (const struct proa_host *host = proa_hosts; host->name; host++)
        names = proa_text("%s%s%s%s", names, *names ? between : "", before, host->name);
    return names;
}

/* Returns true for the first host in the table that uses that library of Proa. */
static bool is_first_of_library(const struct proa_host *host)
{
    const struct proa_host *first = proa_hosts;

    while (strcmp(first->library, host->library) != 0)
        first++;
    return first == host;
}

const char *proa_host_libraries(void)
{
    const char *names = "";

    for (const struct proa_host *host = proa_hosts; host->name; host++)
        if (is_first_of_library(host))
            names = proa_text("%s%slibproa-%s.so", names, *names ? ", " : "", host->library);
    return names;
}

const struct proa_host *proa_host_abi(const struct proa_host *host)
{
    for (const struct proa_host *abi = proa_hosts; abi->name && !*host->abi_libraries; abi++)
        if (*abi->abi_libraries && abi->launcher == host->launcher)
            return abi;
    return NULL;
}

bool proa_is_among(const char *name, const char *beginnings)
{
    for (const char *next = beginnings; *next; next += strspn(next, " ")) {
        size_t length = strcspn(next, " ");
        if (strncmp(name, next, length) == 0)
            return true;
        next += length;
    }
    return false;
}

const struct proa_option *proa_host_option(const struct proa_host *host, const char *word)
{
    const char *name = word + strspn(word, "-");
    size_t length = strcspn(name, "="); /* Hydra accepts -n=4 as well */

    if (name == word)
        return NULL; /* value of an option that is not in the table */
    for (const struct proa_option *option = host->launcher->options; option->name; option++) {
        if (strlen(option->name) == length && strncmp(option->name, name, length) == 0)
            return option;
    }
    return NULL;
}

static size_t words_wanted(const struct proa_host *host, char *const *args)
{
    const struct proa_option *option = proa_host_option(host, args[0]);

    if (!option || strchr(args[0], '='))
        return 1;
    if (option->kind == PROA_OPTION_PAIR)
        return 3;
    bool two_values = option->kind == PROA_OPTION_ENV && host->env_in_two_words && args[1] &&
                      !strchr(args[1], '=');
    return two_values ? 3 : 2;
}

size_t proa_option_words(const struct proa_host *host, char *const *args)
{
    size_t wanted = words_wanted(host, args), count = 1;

    while (count < wanted && args[count])
        count++;
    return count;
}

const char *proa_option_env(const struct proa_host *host, char *const *args, const char *name)
{
    const struct proa_option *option = proa_host_option(host, args[0]);
    size_t length = strlen(name), words = proa_option_words(host, args);

    if (!option || option->kind != PROA_OPTION_ENV || words < 2 ||
        strncmp(args[1], name, length) != 0)
        return NULL;
    if (args[1][length] == '=')
        return args[1] + length + 1;
    if (args[1][length] != '\0')
        return NULL;
    const char *value = words > 2 ? args[2] : getenv(name);
    return value ? value : "";
}

void proa_host_add_env(const struct proa_host *host, struct proa_words *words, const char *option,
                       const char *name, const char *value)
{
    proa_words_add(words, option);
    if (host->env_in_two_words) {
        proa_words_add(words, name);
        proa_words_add(words, value);
    } else {
        proa_words_add(words, proa_text("%s=%s", name, value));
    }
}
