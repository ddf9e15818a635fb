/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * See python.h.
 *
 * mpi4py is linked to its MPI in a module, or newer versions choose among several modules at run
 * time. So it is loaded, and the mapped files are examined.
 */
#include "python.h"

#include "capture.h"
#include "path.h"

#include <ctype.h>
#include <string.h>

bool proa_is_python(const char *path)
{
    const char *name = basename(path);

    if (strncmp(name, "python", strlen("python")) != 0)
        return false;
    for (name += strlen("python"); *name; name++)
        if (!isdigit((unsigned char)*name) && *name != '.')
            return false;
    return true;
}

const char *proa_python_of_script(const char *interpreter)
{
    char *rest = proa_text("%s", interpreter), *word;
    bool by_env = false;

    while ((word = strsep(&rest, " \t"))) {
        if (proa_is_python(word))
            return proa_path_command(word);
        if (strcmp(basename(word), "env") == 0)
            by_env = true;
        else if (*word && !(by_env && (*word == '-' || strchr(word, '='))))
            return NULL;
    }
    return NULL;
}

struct proa_program proa_python_inspect(const char *python)
{
    static const char script[] = "import mpi4py\n"
                                 "mpi4py.rc.initialize = mpi4py.rc.finalize = False\n"
                                 "from mpi4py import MPI\n"
                                 "for line in open('/proc/self/maps'):\n"
                                 "    words = line.split(None, 5)\n"
                                 "    if len(words) == 6: print(words[5].rstrip())\n";
    char *const words[] = {(char *)python, "-c", (char *)script, NULL};
    struct proa_program program = {.kind = PROA_PROGRAM_NO_MPI};
    char *rest = proa_capture(words);

    for (char *line = strsep(&rest, "\n"); line; line = strsep(&rest, "\n"))
        if (proa_program_inspect_mapped(line, &program))
            break;
    return program;
}
