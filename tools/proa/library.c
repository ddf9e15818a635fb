/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds Proa's own libraries (library.h): in $PROA_LIBDIR if that is set, or relative to this
 * command, installed or in its build folder. */
#include "library.h"

#include "complain.h"
#include "line.h"
#include "path.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Folders relative to the one of `proa`. */
static const char *const places[] = {
    PROA_LIBDIR_FROM_BINDIR, /* as installed */
    "../lib",                /* moved to a place with the usual names */
    "../../src",             /* the build folder */
    NULL,
};

static const char *own_folder(void)
{
    char *path = proa_keep(PATH_MAX);
    ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);

    if (length <= 0)
        return NULL;
    *strrchr(path, '/') = '\0';
    return path;
}

/* Folders of the headers, relative to the same folder. */
static const char *const header_places[] = {PROA_INCLUDEDIR_FROM_BINDIR, "../include",
                                            "../../include", NULL};

static char *find_in(const char *const *place, const char *file)
{
    const char *folder = own_folder();

    for (; folder && *place; place++) {
        char *path = proa_text("%s/%s/%s", folder, *place, file);
        if (access(path, R_OK) == 0)
            return path;
    }
    return NULL;
}

static char *find_beside(const char *file)
{
    return find_in(places, file);
}

static char *find(const char *file)
{
    const char *folder = getenv("PROA_LIBDIR");

    if (!folder || !*folder)
        return find_beside(file);
    char *path = proa_path_join(folder, file);
    return access(path, R_OK) == 0 ? path : NULL;
}

/* Searches the folder in PROA_LIBDIR, or the default folders. */
static char *find_either(const char *file)
{
    char *path = find(file);

    return path ? path : find_beside(file);
}

/* Finds one of these names, separated by blanks, in the folder of `file`. */
static const char *find_among(const char *names, const char *file)
{
    const char *slash = file ? strrchr(file, '/') : NULL;

    for (const char *next = names; slash && *next; next += strspn(next, " ")) {
        int length = (int)strcspn(next, " ");
        char *path = proa_text("%.*s/%.*s", (int)(slash - file), file, length, next);
        if (access(path, R_OK) == 0)
            return path;
        next += length;
    }
    return NULL;
}

const char *proa_library_of_host(const struct proa_host *host, const char *near)
{
    const char *path = find_among(host->abi_libraries, near);

    if (!path) /* or where a link there points */
        path = find_among(host->abi_libraries, realpath(near, proa_keep(PATH_MAX)));
    if (!path)
        proa_complain(0,
                      "the program would get %s, and no library of %s is beside it: set "
                      "LD_LIBRARY_PATH so that it gets that",
                      near, host->title);
    return path;
}

/* By the name of its binary interface, which exists without the development files; else by the bare
 * name. */
static char *find_library(const char *file)
{
    char *found = find(proa_text("%s." PROA_SOVERSION, file));

    return found ? found : find(file);
}

const char *proa_library_look(const struct proa_host *host)
{
    const char *found = find_library(proa_text("libproa-%s.so", host->library));
    char *path = found ? realpath(found, proa_keep(PATH_MAX)) : NULL;

    return path ? path : found;
}

const char *proa_library_headers(void)
{
    char *file = find_in(header_places, "proa_notify.h"),
         *path = file ? realpath(file, proa_keep(PATH_MAX)) : NULL;

    if (path)
        *strrchr(path, '/') = '\0';
    return path;
}

/* Installed beside the libraries, or in the build folder. */
const char *proa_library_selftest(const struct proa_host *host)
{
    const char *path = find_either(proa_text("proa/selftest-%s", host->name)),
               *folder = own_folder();

    if (!path && folder)
        path = proa_text("%s/../selftest/%s/selftest", folder, host->name);
    return path && proa_is_executable(path) ? path : NULL;
}

const char *proa_library_launcher(void)
{
    const char *found = find_either("proa/libproa-launcher.so");
    char *path = found ? realpath(found, proa_keep(PATH_MAX)) : NULL;

    return path && !strpbrk(path, ": ") ? path : NULL;
}

const char *proa_library_translator(void)
{
    const char *found = find_either("proa/translator/translate");

    return found ? realpath(found, proa_keep(PATH_MAX)) : NULL;
}

/* As for the self-test. */
const char *proa_library_bench(void)
{
    const char *path = find_either("proa/bench/run"), *folder = own_folder();

    if (!path && folder)
        path = proa_text("%s/../../bench/run", folder);
    char *real = path ? realpath(path, proa_keep(PATH_MAX)) : NULL;
    return real && proa_is_executable(real) ? real : NULL;
}

/* Returns the path of a library. file: its name, for messages. Returns NULL, after a message, if
 * ranks cannot load it. The path is absolute, because ranks may start in another folder. */
static const char *loadable(const char *found, const char *file)
{
    const char *libdir = getenv("PROA_LIBDIR");

    if (!found) {
        if (libdir && *libdir)
            proa_complain(0, "no %s in '%s', the folder that PROA_LIBDIR names", file, libdir);
        else
            proa_complain(0, "no %s beside this command: set PROA_LIBDIR to its folder", file);
        return NULL;
    }
    char *path = realpath(found, proa_keep(PATH_MAX));
    if (path && strpbrk(path, ": ")) {
        proa_complain(
            0, "LD_PRELOAD cannot hold the path '%s': move Proa to one without blanks and colons",
            path);
        return NULL;
    }
    return path ? path : found;
}

const char *proa_library_find(const struct proa_host *host)
{
    const char *file = proa_text("libproa-%s.so", host->library);
    const char *engine = loadable(find_library(file), file);

    if (!engine || !proa_check_level())
        return engine;
    file = proa_text("libproa-instruments-%s.so", host->library);
    const char *instruments = loadable(find_library(file), file);
    return instruments ? proa_text("%s:%s", instruments, engine) : NULL;
}
