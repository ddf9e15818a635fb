/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program that knows no MPI, as an interpreter: it loads a module that does, and with it MPI, out
 * of sight of everything that was loaded before.
 *
 *   later MODULE
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    void *module = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    void *symbol = module ? dlsym(module, "run") : NULL;
    int (*run)(int *, char ***) = NULL;

    if (!symbol) {
        fprintf(stderr, "later: %s\n", argc > 1 ? dlerror() : "which module?");
        return 1;
    }
    memcpy(&run, &symbol, sizeof run);
    return run(&argc, &argv);
}
