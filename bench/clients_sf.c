/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Times a broadcast and a reduction of PETSc's star forest on windows (-sf_type window): each leaf
 * is a root of the next rank. PETSc creates the windows on memory that the program brings.
 *
 *   clients_sf   rank 0 prints a line a row: `NAME US`, the best of five loops, in microseconds
 */
#include <petscsf.h>
#include <petsctime.h>

enum { LOOPS = 5, TIMES = 100, HEAP = 64, PAGES = 1 << 19 };

static PetscErrorCode pair(PetscSF sf, PetscInt *roots, PetscInt *leaves)
{
    PetscCall(PetscSFBcastBegin(sf, MPIU_INT, roots, leaves, MPI_REPLACE));
    PetscCall(PetscSFBcastEnd(sf, MPIU_INT, roots, leaves, MPI_REPLACE));
    PetscCall(PetscSFReduceBegin(sf, MPIU_INT, leaves, roots, MPI_MAX));
    PetscCall(PetscSFReduceEnd(sf, MPIU_INT, leaves, roots, MPI_MAX));
    return 0;
}

/* Eight leaves, for each number of roots: the window's memory differs. */
static PetscErrorCode row(const char *name, PetscInt nroots)
{
    enum { LEAVES = 8 };
    PetscSF sf;
    PetscMPIInt rank, size;
    PetscSFNode remote[LEAVES];
    PetscInt *roots, *leaves;
    PetscLogDouble begin, end, best = 1e9;

    MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
    MPI_Comm_size(PETSC_COMM_WORLD, &size);
    PetscCall(PetscCalloc1(nroots, &roots));
    PetscCall(PetscCalloc1(LEAVES, &leaves));
    for (PetscInt i = 0; i < LEAVES; i++)
        remote[i] = (PetscSFNode){(rank + 1) % size, i};
    PetscCall(PetscSFCreate(PETSC_COMM_WORLD, &sf));
    PetscCall(PetscSFSetType(sf, PETSCSFWINDOW));
    PetscCall(
        PetscSFSetGraph(sf, nroots, LEAVES, NULL, PETSC_COPY_VALUES, remote, PETSC_COPY_VALUES));
    PetscCall(PetscSFSetUp(sf));
    for (int loop = 0; loop < LOOPS; loop++) {
        MPI_Barrier(PETSC_COMM_WORLD);
        PetscCall(PetscTime(&begin));
        for (int i = 0; i < TIMES; i++)
            PetscCall(pair(sf, roots, leaves));
        PetscCall(PetscTime(&end));
        best = end - begin < best ? end - begin : best;
    }
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s %.3f\n", name, best / TIMES * 1e6));
    PetscCall(PetscSFDestroy(&sf));
    PetscCall(PetscFree(roots));
    PetscCall(PetscFree(leaves));
    return 0;
}

int main(int argc, char **argv)
{
    PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
    PetscCall(row("petsc.heap", HEAP));
    PetscCall(row("petsc.pages", PAGES));
    PetscCall(PetscFinalize());
    return 0;
}
