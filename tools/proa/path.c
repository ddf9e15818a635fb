/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds files as a launcher or a shell does (path.h). */
#include "path.h"

#include "keep.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool proa_is_executable(const char *path)
{
    struct stat file;

    return stat(path, &file) == 0 && S_ISREG(file.st_mode) && access(path, X_OK) == 0;
}

char *proa_path_join(const char *directory, const char *name)
{
    if (!directory || name[0] == '/')
        return proa_text("%s", name);
    return proa_text("%s/%s", directory, name);
}

char *proa_path_search(const char *list, const char *name)
{
    while (list) {
        size_t length = strcspn(list, ":");
        /* an empty entry is the current folder */
        char *path =
            length ? proa_text("%.*s/%s", (int)length, list, name) : proa_text("./%s", name);
        if (proa_is_executable(path))
            return path;
        list = list[length] ? list + length + 1 : NULL;
    }
    return NULL;
}

char *proa_path_command(const char *name)
{
    if (!strchr(name, '/'))
        return proa_path_search(getenv("PATH"), name);
    return proa_is_executable(name) ? proa_text("%s", name) : NULL;
}
