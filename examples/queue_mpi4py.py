# SPDX-License-Identifier: BSD-3-Clause
"""Ranks take the rows of a picture from a queue without a server: queue.c in Python, with mpi4py and numpy.

The queue is one number in rank 0's window, the first row not yet taken. A rank takes rows by fetch-and-op on it, computes
them, and puts them into the picture, which is in rank 0's other window. One rank is slow on purpose; the others are to take the more.

    proa run -n 2 python3 queue_mpi4py.py
"""
import argparse
import sys
import time

OWNER = 0  # the rank that has the queue and the picture


def parse_arguments():
    parser = argparse.ArgumentParser(description="Ranks take the rows of a picture from a queue, and one rank is slow.",
                                     epilog="The picture is compared with one that rank 0 computes alone.")
    parser.add_argument("--size", metavar="NXxNY", default="256x192", help="pixels of the picture, columns x rows (256x192)")
    parser.add_argument("--depth", metavar="N", type=int, default=200,
                        help="iterations after which a point belongs to the set (200)")
    parser.add_argument("--slow", choices=["last", "owner", "none"], default="last",
                        help="which rank is slow: the last one, the one that has the queue, or none (last)")
    parser.add_argument("--factor", metavar="N", type=int, default=8, help="how many times it computes each row (8)")
    opt = parser.parse_args()
    try:
        opt.cols, opt.rows = (int(word) for word in opt.size.split("x"))
    except ValueError:
        parser.error(f"the size must be like 200x100, not '{opt.size}'")
    if min(opt.cols, opt.rows, opt.depth, opt.factor) < 1 or opt.depth > 65535:
        parser.error("sizes, the depth (up to 65535) and the factor must be positive")
    return opt


options = parse_arguments()  # before MPI and numpy: --help needs neither

try:
    import numpy
    from mpi4py import MPI
except ImportError as missing:
    print(f"queue_mpi4py: skipped: {missing} (Debian: python3-mpi4py, python3-numpy)")
    sys.exit(77)


def compute_row(opt, row):
    """How many iterations each point of a row takes to leave the circle of radius 2."""
    x = 3.2 * (numpy.arange(opt.cols) + 0.5) / opt.cols - 2.3
    point = x + 1j * (2.4 * (row + 0.5) / opt.rows - 1.2)
    z = numpy.zeros_like(point)
    line = numpy.zeros(opt.cols, dtype=numpy.uint16)
    for _ in range(opt.depth):
        inside = z.real * z.real + z.imag * z.imag <= 4
        if not inside.any():
            break
        line[inside] += 1
        z[inside] = z[inside] * z[inside] + point[inside]
    return line


def make_windows(opt, comm):
    """The queue's and the picture's; of no size but on the owner."""
    owner = comm.rank == OWNER
    queue = MPI.Win.Allocate(8 if owner else 0, 8, comm=comm)
    picture = MPI.Win.Allocate(2 * opt.cols * opt.rows if owner else 0, 2, comm=comm)
    for win in (queue, picture):
        win.Lock(comm.rank, MPI.LOCK_EXCLUSIVE)
        if owner:
            numpy.frombuffer(win.tomemory(), dtype=numpy.uint8)[:] = 0
        win.Unlock(comm.rank)
    comm.Barrier()  # the queue is there before the first one takes from it
    return queue, picture


def work(opt, comm, queue, picture):
    """Returns how many rows this rank has computed."""
    one, row = numpy.ones(1, dtype=numpy.int64), numpy.zeros(1, dtype=numpy.int64)
    slow = {"last": comm.size - 1, "owner": OWNER, "none": -1}[opt.slow]
    times = opt.factor if comm.rank == slow else 1
    taken, shown = 0, time.monotonic()
    while True:
        queue.Fetch_and_op(one, row, OWNER, 0, MPI.SUM)
        queue.Flush(OWNER)
        if row[0] >= opt.rows:
            return taken
        for _ in range(times):
            line = compute_row(opt, row[0])
        picture.Put([line, MPI.UINT16_T], OWNER, (int(row[0]) * opt.cols, opt.cols, MPI.UINT16_T))
        picture.Flush_local(OWNER)  # the line has left its buffer
        taken += 1
        if comm.rank == OWNER and time.monotonic() - shown > 2:
            shown = time.monotonic()
            print(f"queue_mpi4py: {row[0]} of {opt.rows} rows so far", file=sys.stderr)


def judge(opt, comm, picture, taken, seconds):
    """Whether the picture is right, on every rank."""
    taken = comm.gather(taken, root=OWNER)
    good = True
    if comm.rank == OWNER:
        picture.Lock(OWNER, MPI.LOCK_SHARED)
        found = numpy.frombuffer(picture.tomemory(), dtype=numpy.uint16).reshape(opt.rows, opt.cols)
        differ = sum(not numpy.array_equal(found[row], compute_row(opt, row)) for row in range(opt.rows))
        picture.Unlock(OWNER)
        good = differ == 0 and sum(taken) == opt.rows
        print(f"queue_mpi4py: result {'equal' if good else 'WRONG'}, time {seconds:.6f} s; {opt.cols}x{opt.rows} pixels by "
              f"{comm.size} ranks, slow: {opt.slow}; {' '.join(str(rows) for rows in taken)} rows each; {differ} rows differ from "
              "the sequential run", flush=True)
    return comm.bcast(good, root=OWNER)


def main(opt):
    comm = MPI.COMM_WORLD
    queue, picture = make_windows(opt, comm)
    comm.Barrier()
    seconds = -MPI.Wtime()
    for win in (queue, picture):
        win.Lock_all()
    taken = work(opt, comm, queue, picture)
    for win in (queue, picture):
        win.Unlock_all()
    comm.Barrier()
    seconds = comm.allreduce(seconds + MPI.Wtime(), op=MPI.MAX)
    good = judge(opt, comm, picture, taken, seconds)
    queue.Free()
    picture.Free()
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(options))
