/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * PETSc's star forests on windows (-sf_type window): each rank's leaves are roots of its two
 * neighbours, as for the ghost points of a grid. Broadcast, reduction and fetch-and-op by windows
 * of each kind and with each synchronization that this PETSc knows, results checked.
 */
#include <petscsf.h>

enum { ROOTS = 100, LEAVES = 2 * ROOTS, ROUNDS = 3 };

static PetscMPIInt rank, size, right, left;
static int wrong;

static void check(PetscInt got, PetscInt expected, const char *what, PetscInt i)
{
    if (got == expected || ++wrong > 10)
        return;
    fprintf(stderr, "rank %d: %s: %ld at %ld, not %ld\n", rank, what, (long)got, (long)i,
            (long)expected);
}

/* Leaf i is root i of the next rank, leaf ROOTS + i the root of the rank before that is as far from
 * the end. */
static PetscErrorCode set_graph(PetscSF sf)
{
    PetscSFNode remote[LEAVES];

    for (PetscInt i = 0; i < ROOTS; i++) {
        remote[i] = (PetscSFNode){right, i};
        remote[ROOTS + i] = (PetscSFNode){left, ROOTS - 1 - i};
    }
    return PetscSFSetGraph(sf, ROOTS, LEAVES, NULL, PETSC_COPY_VALUES, remote, PETSC_COPY_VALUES);
}

static PetscErrorCode broadcast(PetscSF sf, PetscInt round)
{
    PetscInt roots[ROOTS], leaves[LEAVES];

    for (PetscInt i = 0; i < ROOTS; i++)
        roots[i] = rank * 1000 + i + round * 1000000;
    for (PetscInt i = 0; i < LEAVES; i++)
        leaves[i] = -1;
    PetscCall(PetscSFBcastBegin(sf, MPIU_INT, roots, leaves, MPI_REPLACE));
    PetscCall(PetscSFBcastEnd(sf, MPIU_INT, roots, leaves, MPI_REPLACE));
    for (PetscInt i = 0; i < ROOTS; i++) {
        check(leaves[i], right * 1000 + i + round * 1000000, "broadcast", i);
        check(leaves[ROOTS + i], left * 1000 + ROOTS - 1 - i + round * 1000000, "broadcast",
              ROOTS + i);
    }
    return 0;
}

static PetscErrorCode reduce(PetscSF sf, PetscInt round)
{
    PetscInt roots[ROOTS], leaves[LEAVES];

    for (PetscInt i = 0; i < ROOTS; i++)
        roots[i] = round;
    for (PetscInt i = 0; i < LEAVES; i++)
        leaves[i] = rank * 1000 + i;
    PetscCall(PetscSFReduceBegin(sf, MPIU_INT, leaves, roots, MPI_SUM));
    PetscCall(PetscSFReduceEnd(sf, MPIU_INT, leaves, roots, MPI_SUM));
    for (PetscInt i = 0; i < ROOTS; i++)
        check(roots[i], round + left * 1000 + i + right * 1000 + LEAVES - 1 - i, "reduction", i);
    return 0;
}

/* Every root is fetched and added to by two leaves: each adds 1, so they find what was there and
 * one more, in either order. */
static PetscErrorCode fetch(PetscSF sf)
{
    PetscInt roots[ROOTS], leaves[LEAVES], found[LEAVES], sums[ROOTS];

    for (PetscInt i = 0; i < ROOTS; i++) {
        roots[i] = 10 * i;
        sums[i] = 0;
    }
    for (PetscInt i = 0; i < LEAVES; i++)
        leaves[i] = 1;
    PetscCall(PetscSFFetchAndOpBegin(sf, MPIU_INT, roots, leaves, found, MPI_SUM));
    PetscCall(PetscSFFetchAndOpEnd(sf, MPIU_INT, roots, leaves, found, MPI_SUM));
    PetscCall(PetscSFReduceBegin(sf, MPIU_INT, found, sums, MPI_SUM));
    PetscCall(PetscSFReduceEnd(sf, MPIU_INT, found, sums, MPI_SUM));
    for (PetscInt i = 0; i < ROOTS; i++) {
        check(roots[i], 10 * i + 2, "what fetch-and-op left", i);
        check(sums[i], 20 * i + 1, "what fetch-and-op found", i);
    }
    return 0;
}

static PetscErrorCode try_out(PetscSFWindowFlavorType flavor, PetscSFWindowSyncType sync)
{
    PetscSF sf;

    PetscCall(PetscSFCreate(PETSC_COMM_WORLD, &sf));
    PetscCall(PetscSFSetType(sf, PETSCSFWINDOW));
    PetscCall(PetscSFWindowSetFlavorType(sf, flavor));
    PetscCall(PetscSFWindowSetSyncType(sf, sync));
    PetscCall(set_graph(sf));
    PetscCall(PetscSFSetUp(sf));
    for (PetscInt round = 0; round < ROUNDS; round++) {
        PetscCall(broadcast(sf, round));
        PetscCall(reduce(sf, round));
    }
    if (sync == PETSCSF_WINDOW_SYNC_LOCK) /* with the others PETSc has none */
        PetscCall(fetch(sf));
    PetscCall(PetscSFDestroy(&sf));
    return 0;
}

/* PETSc has windows of other kinds only where it found at its making that the MPI can do them;
 * Debian's has not. */
static const struct {
    PetscSFWindowFlavorType flavor;
    const char *name;
} flavors[] = {
    {PETSCSF_WINDOW_FLAVOR_CREATE, "create"},
#if defined(PETSC_HAVE_MPI_FEATURE_ONE_SIDED)
    {PETSCSF_WINDOW_FLAVOR_ALLOCATE, "allocate"},
    {PETSCSF_WINDOW_FLAVOR_SHARED, "shared"},
#endif
#if defined(PETSC_HAVE_MPI_FEATURE_DYNAMIC_WINDOW)
    {PETSCSF_WINDOW_FLAVOR_DYNAMIC, "dynamic"},
#endif
};
static const struct {
    PetscSFWindowSyncType sync;
    const char *name;
} syncs[] = {{PETSCSF_WINDOW_SYNC_FENCE, "fence"},
             {PETSCSF_WINDOW_SYNC_ACTIVE, "active"},
             {PETSCSF_WINDOW_SYNC_LOCK, "lock"}};

int main(int argc, char **argv)
{
    int all_wrong;

    PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
    MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
    MPI_Comm_size(PETSC_COMM_WORLD, &size);
    right = (rank + 1) % size;
    left = (rank + size - 1) % size;
    for (size_t f = 0; f < sizeof flavors / sizeof *flavors; f++)
        for (size_t s = 0; s < sizeof syncs / sizeof *syncs; s++) {
            PetscCall(try_out(flavors[f].flavor, syncs[s].sync));
            PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s, %s\n", flavors[f].name, syncs[s].name));
        }
    MPI_Allreduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    PetscCall(PetscFinalize());
    return all_wrong != 0;
}
