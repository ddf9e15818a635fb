/* SPDX-License-Identifier: BSD-3-Clause */
/* See places.h. */
#include "places.h"

#include "complain.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return !slash ? "." : slash == path ? "/" : proa_text("%.*s", (int)(slash - path), path);
}

/* Returns NULL if the path can be created or replaced, or the reason why not. */
static const char *why_not(const char *path, bool folder)
{
    struct stat found;

    if (stat(path, &found) != 0) {
        const char *within = folder_of(path);
        return errno != ENOENT || access(within, W_OK | X_OK) != 0
                   ? proa_text("%s: %s", within, strerror(errno))
                   : NULL;
    }
    if (folder != S_ISDIR(found.st_mode))
        return folder ? "it is no folder" : "it is a folder";
    return access(path, folder ? W_OK | X_OK : W_OK) != 0 ? strerror(errno) : NULL;
}

static int check(const char *option, const char *path, bool folder)
{
    const char *trimmed = path;

    if (!path || strcmp(path, "0") == 0 || strcmp(path, "1") == 0)
        return 0;
    if (folder && strlen(path) > 1 && path[strlen(path) - 1] == '/')
        trimmed = proa_text("%.*s", (int)strlen(path) - 1, path);
    const char *why = why_not(trimmed, folder);
    return why ? proa_complain(PROA_EXIT_USAGE, "%s cannot write %s: %s", option, path, why) : 0;
}

int proa_places_check(const struct proa_line *line)
{
    int status = 0;

    if (line->hosts)
        return 0;
    status = check("--trace", line->trace, true);
    if (!status)
        status = check("--stats", line->stats, false);
    if (!status)
        status = check("--check-json", line->check_json, false);
    return status ? status : check("--check-sarif", line->check_sarif, false);
}
