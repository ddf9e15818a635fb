/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs in Python: the MPI that they use through mpi4py. */
#ifndef PROA_TOOL_PYTHON_H
#define PROA_TOOL_PYTHON_H

#include "program.h"

/* Returns true if the path is a Python, by its name. */
bool proa_is_python(const char *path);

/* Returns the path of the Python in a script's first line, "/usr/bin/env python3 -u" or
 * "/usr/bin/python3". Returns NULL if it is another interpreter, or is not installed here. */
const char *proa_python_of_script(const char *interpreter);

/* Returns the MPI of this Python's mpi4py, as PROA_PROGRAM_LINKED or PROA_PROGRAM_OTHER_MPI. The
 * interpreter is started, and loads mpi4py without MPI_Init. Returns PROA_PROGRAM_NO_MPI if it has
 * no mpi4py that can be loaded. */
struct proa_program proa_python_inspect(const char *python);

#endif
