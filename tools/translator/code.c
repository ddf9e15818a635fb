/* SPDX-License-Identifier: BSD-3-Clause */
/* See code.h. */
#include "code.h"

/* Start of this program: Valgrind substitutes its own code for some functions of the C library. */
extern const char first_of_tool[] __asm__("__executable_start");
extern const char end_of_tool[] __asm__("etext");

/* Libraries of an MPI, and libraries that only those use; plugins of Open MPI are mca_*. */
static const HChar *const of_mpi[] = {
    "libproa",   "libmpi",    "libopen-",   "libpmi", "libprrte", "mca_",   "libuc",
    "libfabric", "librdmacm", "libibverbs", "libpsm", "libmlx",   "libefa", "libnl-",
    "libhwloc",  "libevent",  "libslurm",   "libze_", "libmunge"};
static const HChar *const common[] = {"libc.so",  "ld-linux", "libpthread", "libm.so",
                                      "librt.so", "libdl.so", "vgpreload"};

static Bool is_one_of(const HChar *name, const HChar *const *names, UInt count)
{
    for (UInt i = 0; i < count; i++)
        if (VG_(strncmp)(name, names[i], VG_(strlen)(names[i])) == 0)
            return True;
    return False;
}

enum proa_code proa_code_at(Addr code)
{
    const DebugInfo *file = VG_(find_DebugInfo)(VG_(current_DiEpoch)(), code);
    const HChar *name, *slash;

    if (code >= (Addr)first_of_tool && code < (Addr)end_of_tool)
        return PROA_CODE_COMMON;
    if (!file)
        return PROA_CODE_PROGRAM; /* generated at run time */
    name = VG_(DebugInfo_get_filename)(file);
    slash = VG_(strrchr)(name, '/');
    name = slash ? slash + 1 : name;
    if (is_one_of(name, of_mpi, sizeof of_mpi / sizeof *of_mpi))
        return PROA_CODE_MPI;
    if (is_one_of(name, common, sizeof common / sizeof *common))
        return PROA_CODE_COMMON;
    return PROA_CODE_PROGRAM;
}
