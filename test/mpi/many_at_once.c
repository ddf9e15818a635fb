// Ten thousand windows alive at the same time, of all kinds, in a process that may open 1024 files: each of them is used while all the
// others exist.
#include "footprint.h"
#include "window.h"
#include <sys/resource.h>

enum { windows = 10000, bytes = 64 };

static void limit_files(rlim_t most) {
  struct rlimit limit;
  getrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_max == RLIM_INFINITY || limit.rlim_max > most)
    limit.rlim_max = most;
  if (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur > most)
    limit.rlim_cur = most;
  setrlimit(RLIMIT_NOFILE, &limit);
}

int main(int argc, char **argv) {
  limit_files(1024);
  start(&argc, &argv);
  struct area *areas = need(malloc(windows * sizeof *areas));
  int right = (rank + 1) % nranks, left = (rank + nranks - 1) % nranks;
  struct footprint before = footprint();
  for (int w = 0; w < windows; w++)
    areas[w] = open_area(w % nkinds, bytes, sizeof(int), MPI_COMM_WORLD);
  for (int w = 0; w < windows; w++) {
    struct area *a = &areas[w];
    int sent = w * nranks + rank;
    MPI_Win_lock(MPI_LOCK_SHARED, right, 0, a->win);
    MPI_Put(&sent, 1, MPI_INT, right, disp_at(a, right, w % 16), 1, MPI_INT, a->win);
    MPI_Win_unlock(right, a->win);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  struct footprint during = footprint();
  for (int w = 0; w < windows; w++) {
    struct area *a = &areas[w];
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, a->win);
    int found = ((int *)a->base)[w % 16];
    MPI_Win_unlock(rank, a->win);
    CHECK(found == w * nranks + left, "%s window %d: %d", kind_names[a->kind], w, found);
  }
  CHECK(during.files < before.files + 500, "%ld files for %d windows", during.files - before.files, windows);
  CHECK(during.mappings < before.mappings + 1000, "%ld mappings for %d windows", during.mappings - before.mappings, windows);
  for (int w = 0; w < windows; w++)
    close_area(&areas[w]);
  free(areas);
  return finish("many_at_once");
}
