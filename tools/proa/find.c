/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds programs as a launcher does (find.h). */
#include "find.h"

#include "path.h"

#include <string.h>

char *proa_find_program(const struct proa_host *host, const struct proa_part *part,
                        const char *name)
{
    char *path = NULL;

    if (strchr(name, '/')) {
        path = proa_path_join(part->wdir, name);
        return proa_is_executable(path) ? path : proa_path_command(name);
    }
    if (part->path)
        path = proa_path_search(part->path, name);
    if (!path)
        path = proa_path_command(name);
    if (!path && host->launcher->program_here)
        path = proa_path_search(part->wdir ? part->wdir : ".", name);
    return path;
}
