/* SPDX-License-Identifier: BSD-3-Clause */
/* A program that nothing can be preloaded into: linked statically, with an MPI, as far as anybody
 * can see from outside. */
const char *volatile name = "MPI_Init";

int main(void)
{
    return !name;
}
