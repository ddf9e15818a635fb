/* SPDX-License-Identifier: BSD-3-Clause */
/* The other half: no MPI here. */
#include <stdio.h>
#include <stdlib.h>

int through_run(int argc, char **argv);

int main(int argc, char **argv)
{
    printf("preload=[%s]\n", getenv("LD_PRELOAD"));
    fflush(stdout);
    return through_run(argc, argv);
}
