/* SPDX-License-Identifier: BSD-3-Clause */
/* See translator.h. */
#include "translator.h"

#include "complain.h"
#include "elf.h"
#include "library.h"
#include "line.h"
#include "path.h"

#include <string.h>

static bool is_asked_for(void)
{
    const char *level = proa_check_level();

    return level && strcmp(level, "memory") == 0;
}

/* Sanitizer runtimes use addresses that Valgrind needs. Returns NULL if the program has none. */
static const char *sanitizer_of(const char *path)
{
    if (proa_elf_names(path, "__asan_init"))
        return "AddressSanitizer";
    if (proa_elf_names(path, "__msan_init"))
        return "MemorySanitizer";
    return proa_elf_names(path, "__tsan_init") ? "ThreadSanitizer" : NULL;
}

/* Programs that trace others, which Valgrind does not support, or that run them in the way that it
 * does. */
static bool is_debugger(const char *program)
{
    static const char *const names[] = {"gdb",    "gdbserver", "lldb",    "rr",
                                        "strace", "ltrace",    "valgrind"};
    const char *name = basename(program);

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

bool proa_translator_takes(const char *program)
{
    const char *path = proa_path_command(program), *sanitizer;

    if (!is_asked_for())
        return true;
    if (!proa_library_translator()) {
        proa_complain(0, "--check=memory needs files of Valgrind, and Proa was built without them "
                         "(Debian: valgrind)");
        return false;
    }
    if (is_debugger(program)) {
        proa_complain(0,
                      "%s does not run with --check=memory: Valgrind does not let it trace a "
                      "program",
                      program);
        return false;
    }
    sanitizer = path ? sanitizer_of(path) : NULL;
    if (sanitizer) {
        proa_complain(0, "%s has %s, with which --check=memory does not run", path, sanitizer);
        return false;
    }
    return true;
}

const char *proa_translator_before(void)
{
    return is_asked_for() ? proa_library_translator() : NULL;
}
