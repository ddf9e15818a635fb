/* SPDX-License-Identifier: BSD-3-Clause */
/* See about.h. */
#include "about.h"

#include "child.h"
#include "library.h"
#include "mpiexec.h"
#include "program.h"

#include "base/fail.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* ---- hosts ---- */

/* MPI_Get_library_version may be called before MPI_Init, and its arguments are equal in every MPI.
 * 16 KiB is more than any of them fills. */
static void say_version(void *arg, FILE *out)
{
    const char *name = arg;
    void *library = dlopen(name, RTLD_LAZY | RTLD_GLOBAL);
    char text[16384] = "";
    int length = 0;

    if (!library)
        return;
    int (*ask)(char *, int *) = (int (*)(char *, int *))dlsym(library, "MPI_Get_library_version");
    Dl_info where;
    if (!ask || ask(text, &length) != 0 || !dladdr((void *)ask, &where))
        return;
    for (char *tab = strchr(text, '\t'); tab; tab = strchr(tab, '\t'))
        *tab = ' ';
    fprintf(out, "%s\n%.*s\n", where.dli_fname, (int)strcspn(text, "\n"), text);
}

/* Returns the next line, and cuts it off the rest. */
static const char *line_of(char **rest)
{
    char *line = strsep(rest, "\n");

    return line && *line ? line : NULL;
}

static const char *without_runs_of_blanks(const char *text)
{
    char *result = proa_text("%s", text ? text : ""), *to = result;

    for (const char *from = result; *from; from++)
        if (*from != ' ' || (to > result && to[-1] != ' '))
            *to++ = *from;
    *to = '\0';
    return text ? result : NULL;
}

static bool ask_version(const char *name, struct proa_host_about *about)
{
    char *said = proa_child_says(say_version, (void *)name);

    if (!said || !*said)
        return false;
    about->mpi = line_of(&said);
    about->version = without_runs_of_blanks(line_of(&said));
    return true;
}

/* Proa's library for a host names the host's library. The one for the ABI names none, so the
 * library that the loader has by one of this host's names is used. */
static void find_mpi(const struct proa_host *host, struct proa_host_about *about)
{
    if (!*host->abi_libraries && about->library) {
        struct proa_program program = proa_program_inspect_library(about->library);
        if (program.kind == PROA_PROGRAM_LINKED && !ask_version(program.detail, about))
            about->mpi = program.detail;
    }
    for (const char *next = host->abi_libraries; *next; next += strspn(next, " ")) {
        size_t length = strcspn(next, " ");
        if (ask_version(proa_text("%.*s", (int)length, next), about))
            return;
        next += length;
    }
}

struct proa_host_about proa_about_host(const struct proa_host *host)
{
    struct proa_host_about about = {.library = proa_library_look(host)};

    find_mpi(host, &about);
    if (about.mpi || !*host->abi_libraries)
        about.launcher = proa_mpiexec_look(host, about.mpi);
    return about;
}

bool proa_about_any(const struct proa_host_about *about)
{
    return about->mpi || about->launcher;
}

/* ---- networks ---- */

#ifdef PROA_HAS_LIBFABRIC
#include "net/ofi.h"

/* Returns true if an earlier offer has a provider of that name. */
static bool is_again(const struct fi_info *offers, const struct fi_info *one)
{
    const char *name = one->fabric_attr->prov_name;

    while (offers != one && strcmp(offers->fabric_attr->prov_name, name) != 0)
        offers = offers->next;
    return offers != one;
}

static void say_offers(const struct fi_info *offers, FILE *out)
{
    fprintf(out, "%s on %s\n", offers->fabric_attr->prov_name, offers->domain_attr->name);
    for (const struct fi_info *one = offers; one; one = one->next)
        if (!is_again(offers, one))
            fprintf(out, "%s%s", one == offers ? "" : " ", one->fabric_attr->prov_name);
    fputc('\n', out);
}

/* Writes three lines: the version, or the reason why there is none; the selected provider; and all
 * providers. */
static void say_networks(void *arg, FILE *out)
{
    struct fi_info *offers = NULL;

    (void)arg;
    if (proa_libfabric_load() != PROA_OK) {
        fprintf(out, "\n%s\n", proa_failure());
        return;
    }
    fprintf(out, "libfabric %u.%u\n", FI_MAJOR(proa_libfabric.version()),
            FI_MINOR(proa_libfabric.version()));
    if (proa_ofi_choose(&offers) != PROA_OK) {
        fprintf(out, "%s\n", proa_failure());
        return;
    }
    fputc('\n', out);
    say_offers(offers, out);
}

/* Returns true if the user disabled networks. libfabric's providers are listed nevertheless. */
static bool is_forbidden(void)
{
    const char *net = getenv("PROA_NET");

    return net && strcmp(net, "none") == 0;
}

struct proa_network_about proa_about_network(void)
{
    struct proa_network_about about = {.providers = ""};
    char *said = proa_child_says(say_networks, NULL);

    if (!said) {
        about.why = "libfabric crashes when it is asked for its networks";
        return about;
    }
    about.library = line_of(&said);
    about.why = line_of(&said);
    about.taken = line_of(&said);
    const char *providers = line_of(&said);
    about.providers = providers ? providers : "";
    if (about.taken && is_forbidden()) {
        about.taken = NULL;
        about.forbidden = true;
        about.why = "PROA_NET=none";
    }
    return about;
}
#else
struct proa_network_about proa_about_network(void)
{
    return (struct proa_network_about){.why = "this Proa was built without libfabric's headers",
                                       .providers = ""};
}
#endif
