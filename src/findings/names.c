/* SPDX-License-Identifier: BSD-3-Clause */
/* See names.h. */
#include "findings/names.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUST_HASH = 19 /* "::h" and 16 digits */ };

static char *(*demangle)(const char *symbol, char *buffer, size_t *room, int *status);

static void find_demangle(void)
{
    void *found = dlsym(RTLD_DEFAULT, "__cxa_demangle"), *library;

    if (!found && (library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL)) != NULL)
        found = dlsym(library, "__cxa_demangle");
    *(void **)&demangle = found;
}

/* Rust ends a path with a hash, unless the program uses the newer symbols (_R). */
static int is_rust(const char *name)
{
    const size_t length = strlen(name);

    return length > RUST_HASH && strncmp(&name[length - RUST_HASH], "::h", 3) == 0 &&
           strspn(&name[length - RUST_HASH + 3], "0123456789abcdef") == RUST_HASH - 3;
}

/* Returns NULL if the symbol is no name of C++ or Rust, or without the library. */
static char *demangled(const char *symbol)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    int status = 0;

    if (strncmp(symbol, "_Z", 2) != 0)
        return NULL;
    pthread_once(&once, find_demangle);
    return demangle ? demangle(symbol, NULL, NULL, &status) : NULL;
}

void proa_names_of(const char *symbol, char *name, size_t room)
{
    char *other = demangled(symbol);

    if (other && is_rust(other))
        other[strlen(other) - RUST_HASH] = '\0';
    snprintf(name, room, "%s", other ? other : symbol);
    free(other);
}

const char *proa_names_binding(const char *symbol)
{
    char *name = demangled(symbol);
    const int is_crate =
        name ? is_rust(name) && (strncmp(name, "mpi::", 5) == 0 || strncmp(name, "<mpi::", 6) == 0)
             : strncmp(symbol, "_R", 2) == 0 && strstr(symbol, "_3mpi") != NULL;

    free(name);
    return is_crate ? "Rust" : "";
}
