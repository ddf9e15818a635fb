/* SPDX-License-Identifier: BSD-3-Clause */
/* A program without MPI, linked statically, that becomes another one: static_starter PROGRAM
 * [ARGUMENT...] */
#include <unistd.h>

int main(int argc, char **argv)
{
    if (argc > 1)
        execv(argv[1], argv + 1);
    return 1;
}
