# SPDX-License-Identifier: BSD-3-Clause
"""Windows of the four kinds that mpi4py makes, each under every synchronization and with every operation, results checked."""
import sys
import traceback
from array import array

from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, size = comm.rank, comm.size
right, left = (rank + 1) % size, (rank - 1) % size
WORDS, WORD = 64, 8


def fail_all(kind, value, trace):
    traceback.print_exception(kind, value, trace)
    sys.stderr.flush()
    comm.Abort(1)


def check(got, expected, what):
    assert got == expected, "%s: %r, not %r" % (what, got, expected)


class Window:
    """One of them, with its memory as 64-bit words, and where each rank's begins."""

    def __init__(self, kind):
        self.kind, self.starts = kind, [0] * size
        size_bytes = WORDS * WORD
        if kind == "create":
            self.memory = memoryview(bytearray(size_bytes))
            self.win = MPI.Win.Create(self.memory, 1, comm=comm)
        elif kind == "allocate":
            self.win = MPI.Win.Allocate(size_bytes, 1, comm=comm)
            self.memory = memoryview(self.win.tomemory())
        elif kind == "allocate_shared":
            self.win = MPI.Win.Allocate_shared(size_bytes, 1, comm=comm)
            self.memory = memoryview(self.win.tomemory())
        else:
            self.win = MPI.Win.Create_dynamic(comm=comm)
            self.memory = memoryview(bytearray(size_bytes))
            self.win.Attach(self.memory)
            self.starts = comm.allgather(MPI.Get_address(self.memory))
        self.words = self.memory.cast("B").cast("q")
        flavors = {"create": MPI.WIN_FLAVOR_CREATE, "allocate": MPI.WIN_FLAVOR_ALLOCATE,
                   "allocate_shared": MPI.WIN_FLAVOR_SHARED, "dynamic": MPI.WIN_FLAVOR_DYNAMIC}
        check(self.win.flavor, flavors[kind], "flavor")
        self.win.Set_name(kind)
        check(self.win.Get_name(), kind, "name")
        self.set(0)

    def at(self, target, word=0, count=1):
        """As mpi4py wants a target: displacement, count, datatype."""
        return (self.starts[target] + word * WORD, count, MPI.INT64_T)

    def set(self, value):
        """All own words; nobody else looks meanwhile."""
        comm.Barrier()
        self.win.Lock(rank, MPI.LOCK_EXCLUSIVE)
        for i in range(WORDS):
            self.words[i] = value
        self.win.Unlock(rank)
        comm.Barrier()

    def own(self, word=0):
        self.win.Lock(rank, MPI.LOCK_SHARED)
        value = self.words[word]
        self.win.Unlock(rank)
        return value

    def free(self):
        comm.Barrier()
        self.words.release()
        if self.kind == "dynamic":
            self.win.Detach(self.memory)
        self.win.Free()


def fence(w):
    data = array("q", [rank * 100 + i for i in range(WORDS)])
    w.win.Fence(MPI.MODE_NOPRECEDE)
    w.win.Put([data, MPI.INT64_T], right, w.at(right, 0, WORDS))
    w.win.Fence()
    check(w.words.tolist(), [left * 100 + i for i in range(WORDS)], "put between fences")
    got = array("q", [0] * WORDS)
    w.win.Get([got, MPI.INT64_T], right, w.at(right, 0, WORDS))
    w.win.Fence(MPI.MODE_NOSUCCEED)
    check(got, data, "get between fences")


def pscw(w):
    world = comm.Get_group()
    target, source = world.Incl([right]), world.Incl([left])
    data = array("q", [rank + 7])
    w.win.Post(source)
    w.win.Start(target)
    w.win.Put([data, MPI.INT64_T], right, w.at(right, 3))
    w.win.Complete()
    w.win.Wait()
    check(w.own(3), left + 7, "put between start and complete")
    w.win.Post(source)
    w.win.Start(target)
    w.win.Accumulate([data, MPI.INT64_T], right, w.at(right, 3), MPI.SUM)
    w.win.Complete()
    while not w.win.Test():
        pass
    check(w.own(3), 2 * (left + 7), "accumulate between start and complete")
    for group in world, target, source:
        group.Free()


def locks(w):
    value = array("q", [0])
    for _ in range(50):
        w.win.Lock(0, MPI.LOCK_EXCLUSIVE)
        w.win.Get([value, MPI.INT64_T], 0, w.at(0, 5))
        w.win.Flush(0)
        value[0] += 1
        w.win.Put([value, MPI.INT64_T], 0, w.at(0, 5))
        w.win.Unlock(0)
    comm.Barrier()
    w.win.Lock(0, MPI.LOCK_SHARED)
    w.win.Get([value, MPI.INT64_T], 0, w.at(0, 5))
    w.win.Unlock(0)
    check(value[0], 50 * size, "a counter under a lock")


def atomics(w):
    one, before, value = array("q", [1]), array("q", [0]), array("q", [0])
    seen = []
    w.win.Lock_all()
    for _ in range(50):
        w.win.Fetch_and_op([one, MPI.INT64_T], [before, MPI.INT64_T], 0, w.starts[0], MPI.SUM)
        w.win.Flush(0)
        seen.append(before[0])
    comm.Barrier()
    everybody = sorted(x for part in comm.allgather(seen) for x in part)
    check(everybody, list(range(50 * size)), "what fetch_and_op has seen")
    expected, mine = array("q", [0]), array("q", [rank + 1])
    w.win.Compare_and_swap([mine, MPI.INT64_T], [expected, MPI.INT64_T], [before, MPI.INT64_T], 0, w.starts[0] + WORD)
    w.win.Flush(0)
    check(sum(comm.allgather(before[0] == 0)), 1, "how many have swapped")
    # what is there before, and more to it
    addend, previous = array("q", [2, 3]), array("q", [0, 0])
    w.win.Get_accumulate([addend, MPI.INT64_T], [previous, MPI.INT64_T], right, w.at(right, 10, 2), MPI.SUM)
    w.win.Flush_all()
    check(previous.tolist(), [0, 0], "what get_accumulate has found")
    comm.Barrier()
    w.win.Get([previous, MPI.INT64_T], right, w.at(right, 10, 2))
    w.win.Flush_local(right)
    check(previous.tolist(), [2, 3], "what get_accumulate has left")
    w.win.Unlock_all()
    check(value[0], 0, "a buffer that nothing was said of")


def requests(w):
    data, got = array("q", [rank + 1000]), array("q", [0])
    w.win.Lock_all()
    w.win.Rput([data, MPI.INT64_T], right, w.at(right, 20)).Wait()
    w.win.Raccumulate([data, MPI.INT64_T], right, w.at(right, 21), MPI.MAX).Wait()
    w.win.Flush_all()
    comm.Barrier()
    w.win.Sync()
    first = w.win.Rget([got, MPI.INT64_T], right, w.at(right, 20))
    first.Wait()
    check(got[0], rank + 1000, "Rget")
    w.win.Rget_accumulate([data, MPI.INT64_T], [got, MPI.INT64_T], right, w.at(right, 21), MPI.NO_OP).Wait()
    check(got[0], rank + 1000, "Rget_accumulate")
    w.win.Unlock_all()


def datatypes(w):
    every_third = MPI.INT64_T.Create_vector(10, 1, 3).Commit()
    data = array("q", [rank * 10 + i for i in range(10)])
    w.win.Lock(right, MPI.LOCK_EXCLUSIVE)
    w.win.Put([data, MPI.INT64_T], right, (w.starts[right], 1, every_third))
    w.win.Unlock(right)
    comm.Barrier()
    w.win.Lock(rank, MPI.LOCK_SHARED)
    check(w.words[0:30:3].tolist(), [left * 10 + i for i in range(10)], "a vector")
    check(set(w.words[1:30:3].tolist()), {0}, "between the blocks of a vector")
    w.win.Unlock(rank)
    every_third.Free()


def main():
    sys.excepthook = fail_all
    for kind in "create", "allocate", "allocate_shared", "dynamic":
        w = Window(kind)
        for part in fence, pscw, locks, atomics, requests, datatypes:
            w.set(0)
            part(w)
        w.free()
        if rank == 0:
            print(kind, "ok", flush=True)


main()
