/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs when the library is loaded, before main, in every process that loads it, such as shells and
 * launchers.
 *
 * A program of another MPI would end in a crash, or in an error about one of its own datatypes.
 * Instead it is ended here with a sentence that gives the reason.
 */
#include "base/log.h"
#include "create/start.h"
#include "shm/peer.h"
#include "host/kind.h"
#include "host/pmpi.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

/* Returns the library that has the symbol, or NULL if none does. */
static const char *library_of(const char *symbol)
{
    void *address = dlsym(RTLD_DEFAULT, symbol);
    Dl_info info;

    return address && dladdr(address, &info) ? info.dli_fname : NULL;
}

static int is_named(const char *library, const char *beginnings)
{
    const char *name = basename(library);
    size_t length;

    for (; *beginnings; beginnings += length + strspn(beginnings + length, " ")) {
        length = strcspn(beginnings, " ");
        if (strncmp(name, beginnings, length) == 0)
            return 1;
    }
    return 0;
}

/* Finds the host of an MPI library by the file's name, which several hosts of one binary interface
 * may share, and by the function that no other host has. Failing that, the name alone decides, as a
 * host may have that function in another library. If the MPI is linked into the program, the
 * function alone decides. Returns NULL if no known host matches. */
static const struct proa_host_row *host_of(const char *library)
{
    const struct proa_host_row *best = NULL;
    int best_is = 0;

    for (const struct proa_host_row *row = proa_host_rows; row->name; row++) {
        int is = 2 * is_named(library, row->libraries) +
                 (library_of(row->symbol) == library); /* symbols of one file give one name */

        if (is > best_is) {
            best = row;
            best_is = is;
        }
    }
    return best;
}

/* Finds another MPI of the program, which precedes ours in the order of search. Neither Proa nor
 * profiling tools have PMPI_Comm_rank: if it is in a library of another MPI, the program uses that
 * MPI. Returns NULL if there is none. */
static const struct proa_host_row *stranger(const char **library)
{
    const struct proa_host_row *row;

    *library = library_of("PMPI_Comm_rank");
    row = *library ? host_of(*library) : NULL;
    return row && strcmp(row->library, PROA_LIBRARY) != 0 ? row : NULL;
}

__attribute__((constructor)) static void load(void)
{
    const char *library;
    const struct proa_host_row *theirs = stranger(&library);

    if (theirs) {
        proa_log(PROA_LOG_NONE,
                 "libproa-" PROA_LIBRARY ".so is loaded into a program that uses %s (%s): load "
                 "libproa-%s.so instead, or start it by `proa run`",
                 theirs->title, library, theirs->library);
        _exit(PROA_EXIT_WRONG_MPI);
    }
    proa_core_load();
}
