# SPDX-License-Identifier: BSD-3-Clause
"""Times a put of 8 bytes and its flush, and an atomic, from Python, on windows over memory of Python's own.

clients.py    rank 0 prints a line a row: `NAME US`, the best of five loops, in microseconds for one operation.
heap: a block of 512 bytes, beside others on the heap.  pages: 4 MiB, in pages of their own.
"""
import array
import time

from mpi4py import MPI

LOOPS, TIMES = 5, 2000
comm = MPI.COMM_WORLD


def timed(operation):
    """Returns the microseconds of one operation, of the quickest loop."""
    best = float("inf")
    for _ in range(LOOPS):
        begin = time.perf_counter()
        for _ in range(TIMES):
            operation()
        best = min(best, time.perf_counter() - begin)
    return best / TIMES * 1e6


def rows(name, words):
    memory, mine, found = array.array("q", [0]) * words, array.array("q", [1]), array.array("q", [0])
    window = MPI.Win.Create(memory, 8, comm=comm)
    target = (comm.rank + 1) % comm.size

    def put():
        window.Put(mine, target)
        window.Flush(target)

    def add():
        window.Fetch_and_op(mine, found, target)
        window.Flush(target)

    window.Lock_all()
    for what, operation in ("put", put), ("fetch_and_op", add):
        comm.Barrier()
        if comm.rank == 0:
            print(f"{name}.{what} {timed(operation):.3f}")
        comm.Barrier()
    window.Unlock_all()
    window.Free()


rows("mpi4py.heap", 64)
rows("mpi4py.pages", 1 << 19)
