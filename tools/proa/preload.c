/* SPDX-License-Identifier: BSD-3-Clause */
/* The value of LD_PRELOAD for the ranks (preload.h). */
#include "preload.h"

#include "keep.h"

#include <string.h>

static bool starts_with_one_of(const char *name, const char *const starts[])
{
    for (; *starts; starts++) {
        if (strncmp(name, *starts, strlen(*starts)) == 0)
            return true;
    }
    return false;
}

bool proa_is_sanitizer(const char *path)
{
    static const char *const starts[] = {"libasan.",  "libhwasan.",   "liblsan.", "libtsan.",
                                         "libubsan.", "libclang_rt.", NULL};

    return starts_with_one_of(basename(path), starts);
}

static bool is_proa(const char *path)
{
    static const char *const starts[] = {"libproa-", NULL};

    return starts_with_one_of(basename(path), starts);
}

static void append(char **list, const char *path)
{
    *list = **list ? proa_text("%s:%s", *list, path) : proa_text("%s", path);
}

char *proa_preload(const char *library, const char *theirs)
{
    char *front = "", *behind = "";
    char *rest = proa_text("%s", theirs ? theirs : "");

    /* the loader accepts both separators */
    for (char *path = strsep(&rest, ": "); path; path = strsep(&rest, ": ")) {
        if (*path && !is_proa(path))
            append(proa_is_sanitizer(path) ? &front : &behind, path);
    }
    char *list = front;
    append(&list, library);
    if (*behind)
        append(&list, behind);
    return list;
}
