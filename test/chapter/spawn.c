// A window of the processes of two worlds: those that were started together, and two that they spawned, on the merged communicator.
// Skipped where the host cannot spawn.
//
//   spawn [halves]
//
// With `halves` the two worlds are the even and the odd ranks of one, joined by an intercommunicator and merged.
#include "window.h"

enum { spawned = 2 };

static void exchange(MPI_Comm merged) {
  int me, n, value, got = -1;
  MPI_Comm_rank(merged, &me);
  MPI_Comm_size(merged, &n);
  for (int kind = 0; kind < nkinds; kind++) {
    struct area a = open_area(kind, 64, 4, merged);
    int right = (me + 1) % n;
    value = 100 + me;
    MPI_Win_fence(0, a.win);
    MPI_Put(&value, 1, MPI_INT, right, disp_at(&a, right, 1), 1, MPI_INT, a.win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, a.win);
    CHECK(((int *)a.base)[1] == 100 + (me + n - 1) % n, "%s: put brings %d", kind_names[kind], ((int *)a.base)[1]);
    MPI_Win_lock(MPI_LOCK_SHARED, right, 0, a.win);
    MPI_Fetch_and_op(&value, &got, MPI_INT, right, disp_at(&a, right, 1), MPI_NO_OP, a.win);
    MPI_Win_unlock(right, a.win);
    CHECK(got == value, "%s: fetch_and_op brings %d", kind_names[kind], got);
    close_area(&a);
  }
}

static int merge_halves(void) {
  MPI_Comm half, between, merged;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, nranks - rank, &half);
  int leader = (nranks - 1) % 2 == rank % 2 ? nranks - 2 : nranks - 1; // of the other half: halves are ordered from the last rank down
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, leader, 5, &between);
  MPI_Intercomm_merge(between, rank % 2, &merged);
  exchange(merged);
  MPI_Comm_free(&merged);
  MPI_Comm_free(&between);
  MPI_Comm_free(&half);
  return finish("spawn halves");
}

int main(int argc, char **argv) {
  MPI_Comm parent, merged;
  start(&argc, &argv);
  if (argc > 1)
    return merge_halves();
  MPI_Comm_get_parent(&parent);
  int is_child = parent != MPI_COMM_NULL, code = MPI_SUCCESS;
  if (!is_child) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    code = MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, spawned, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &parent, MPI_ERRCODES_IGNORE);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  }
  if (code != MPI_SUCCESS)
    return skip("the host cannot spawn here");
  MPI_Intercomm_merge(parent, is_child, &merged);
  exchange(merged);
  MPI_Comm_free(&merged);
  MPI_Comm_disconnect(&parent);
  return finish(is_child ? "spawn, the spawned" : "spawn");
}
