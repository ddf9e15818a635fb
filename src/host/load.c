/*
 * What is done when the library is loaded, before main, in every process that gets it: also in shells and launchers.
 *
 * A program of the other MPI would end in a crash, or in an error about a datatype of its own: it is told here, in one sentence, and ends.
 */
#include "base/log.h"
#include "host/absent.h"
#include "host/pmpi.h"

#include <dlfcn.h>
#include <stddef.h>
#include <unistd.h>

#if defined(OPEN_MPI)
static const char ours[] = "openmpi", theirs[] = "mpich", their_title[] = "MPICH", their_symbol[] = "MPII_Comm_get_attr";
#else
static const char ours[] = "mpich", theirs[] = "openmpi", their_title[] = "Open MPI", their_symbol[] = "ompi_mpi_init";
#endif

/* The library that has the symbol; NULL: none. */
static const char *library_of(const char *symbol)
{
    void *address = dlsym(RTLD_DEFAULT, symbol);
    Dl_info info;

    return address && dladdr(address, &info) ? info.dli_fname : NULL;
}

/* The program's MPI comes before ours in the order of search: if PMPI_Comm_rank, which neither Proa nor profiling tools have, is in a library
 * of the other MPI, so is the program. Libraries of one file have one name. */
static const char *stranger(void)
{
    const char *rank = library_of("PMPI_Comm_rank"), *other = library_of(their_symbol);

    return rank == other ? other : NULL;
}

__attribute__((constructor)) static void load(void)
{
    const char *library = stranger();

    if (library) {
        proa_log(PROA_LOG_NONE,
                 "libproa-%s.so is loaded into a program that uses %s (%s): load libproa-%s.so instead, or start it by `proa run`", ours,
                 their_title, library, theirs);
        _exit(PROA_EXIT_WRONG_MPI);
    }
    proa_absent_mark();
}
