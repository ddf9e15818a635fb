/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is done when the library is loaded, before main, in every process that gets it: also in
 * shells and launchers.
 *
 * A program of another MPI would end in a crash, or in an error about a datatype of its own: it is
 * told here, in one sentence, and ends.
 */
#include "base/log.h"
#include "host/absent.h"
#include "host/kind.h"
#include "host/pmpi.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

/* The library that has the symbol; NULL: none. */
static const char *library_of(const char *symbol)
{
    void *address = dlsym(RTLD_DEFAULT, symbol);
    Dl_info info;

    return address && dladdr(address, &info) ? info.dli_fname : NULL;
}

/* The program's MPI comes before ours in the order of search: if PMPI_Comm_rank, which neither Proa
 * nor profiling tools have, is in a library of another MPI, so is the program. Libraries of one
 * file have one name. NULL: it is in none. */
static const struct proa_host_row *stranger(const char **library)
{
    *library = library_of("PMPI_Comm_rank");
    for (const struct proa_host_row *row = proa_host_rows; *library && row->name; row++)
        if (strcmp(row->name, proa_host_kind()->name) != 0 && library_of(row->symbol) == *library)
            return row;
    return NULL;
}

__attribute__((constructor)) static void load(void)
{
    const char *library;
    const struct proa_host_row *theirs = stranger(&library);

    if (theirs) {
        proa_log(PROA_LOG_NONE,
                 "libproa-%s.so is loaded into a program that uses %s (%s): load libproa-%s.so "
                 "instead, or start it by `proa run`",
                 proa_host_kind()->name, theirs->title, library, theirs->name);
        _exit(PROA_EXIT_WRONG_MPI);
    }
    proa_absent_mark();
}
