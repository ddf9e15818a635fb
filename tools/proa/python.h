/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs in Python: which MPI they get by mpi4py. */
#ifndef PROA_TOOL_PYTHON_H
#define PROA_TOOL_PYTHON_H

#include "program.h"

/* Is that the path of a Python? By its name. */
bool proa_is_python(const char *path);

/* The Python that a script's first line names, "/usr/bin/env python3 -u" or "/usr/bin/python3", as
 * a path; NULL: it is for another interpreter, or that one is not here. */
const char *proa_python_of_script(const char *interpreter);

/* The MPI that this Python's mpi4py brings: the interpreter is started, and loads mpi4py without
 * MPI_Init. PROA_PROGRAM_LINKED or PROA_PROGRAM_OTHER_MPI; PROA_PROGRAM_NO_MPI: it has no mpi4py
 * that can be loaded. */
struct proa_program proa_python_inspect(const char *python);

#endif
