# SPDX-License-Identifier: BSD-3-Clause
"""A sparse matrix times a vector, again and again: spmv.c in Python, with mpi4py and numpy.

Every rank has a block of rows, and the same block of x. It tells the owners of the other entries that it needs which these are, once;
they put just those into its window before each step. Start names those to whom a rank sends, post those from whom it receives. What
needs no entry of others is multiplied while they are under way.

    proa run -n 2 python3 spmv_mpi4py.py
"""
import argparse
import sys
import time


def parse_arguments():
    parser = argparse.ArgumentParser(description="Multiplies a vector by a sparse matrix again and again.",
                                     epilog="The result is compared with a sequential run of the same steps, up to rounding.")
    parser.add_argument("--rows", metavar="N", type=int, default=20000, help="equations (20000)")
    parser.add_argument("--degree", metavar="N", type=int, default=8, help="coefficients of each, on average (8)")
    parser.add_argument("--reach", metavar="N", type=int, default=0,
                        help="how far from the diagonal they may be (a sixteenth of the rows)")
    parser.add_argument("--steps", metavar="N", type=int, default=100, help="steps (100)")
    parser.add_argument("--seed", metavar="N", type=int, default=1, help="start of the random numbers (1)")
    opt = parser.parse_args()
    opt.reach = min(opt.reach or 1 + opt.rows // 16, opt.rows - 1)
    if opt.rows < 2 or min(opt.degree, opt.reach) < 1 or min(opt.steps, opt.seed) < 0:
        parser.error("there must be two rows, a coefficient and a reach of one at least; steps and seed cannot be negative")
    return opt


options = parse_arguments()  # before MPI and numpy: --help needs neither

try:
    import numpy
    from mpi4py import MPI
except ImportError as missing:
    print(f"spmv_mpi4py: skipped: {missing} (Debian: python3-mpi4py, python3-numpy)")
    sys.exit(77)


class Matrix:
    """Coefficients as triples: row, column, value. Every rank makes all of them, and keeps those of its rows."""

    def __init__(self, opt):
        random = numpy.random.default_rng(opt.seed)
        length = random.integers(1, 2 * opt.degree, size=opt.rows)
        self.rows = opt.rows
        self.row = numpy.repeat(numpy.arange(opt.rows), length)
        distance = 1 + (random.random(self.row.size) ** 3 * (opt.reach - 1)).astype(numpy.int64)
        column = numpy.abs(self.row + distance * random.choice([-1, 1], size=self.row.size))
        self.column = numpy.where(column < opt.rows, column, 2 * (opt.rows - 1) - column)  # mirrored into the matrix
        self.value = 1.9 * (random.random(self.row.size) - 0.5) / length[self.row]
        self.b = random.random(opt.rows)

    def part(self, which, row0, rows):
        """The coefficients that `which` selects, with rows counted from row0."""
        part = object.__new__(Matrix)
        part.rows = rows
        part.row, part.column, part.value = self.row[which] - row0, self.column[which], self.value[which]
        return part

    def times(self, x):
        return numpy.bincount(self.row, weights=self.value * x[self.column], minlength=self.rows)


class Exchange:
    """Brings the entries of x that this rank needs of others into its window."""

    def __init__(self, comm, borders, needed):
        owner = numpy.searchsorted(borders, needed, side="right") - 1
        mine = [needed[owner == rank] for rank in range(comm.size)]
        offset = numpy.searchsorted(owner, numpy.arange(comm.size))  # where in the window each rank's entries begin
        asked = comm.alltoall([(mine[rank], int(offset[rank])) for rank in range(comm.size)])
        self.to = [(rank, index - borders[comm.rank], place) for rank, (index, place) in enumerate(asked) if index.size]
        group = comm.Get_group()
        self.senders = group.Incl([rank for rank in range(comm.size) if mine[rank].size])
        self.receivers = group.Incl([rank for rank, _, _ in self.to])
        group.Free()
        self.win = MPI.Win.Allocate(8 * max(needed.size, 1), 8, comm=comm)
        self.halo = numpy.frombuffer(self.win.tomemory(), dtype=numpy.float64)[:needed.size]

    def begin(self, x):
        """Post before start on every rank: a start may wait for the posts, and so must never come first."""
        self.win.Post(self.senders)
        self.win.Start(self.receivers)
        packed = [x[index] for _, index, _ in self.to]  # stays until complete
        for (rank, index, place), entries in zip(self.to, packed):
            self.win.Put([entries, MPI.DOUBLE], rank, (place, index.size, MPI.DOUBLE))
        self.win.Complete()

    def end(self):
        self.win.Wait()
        return self.halo

    def free(self):
        self.halo = None
        self.win.Free()
        self.senders.Free()
        self.receivers.Free()


def run_steps(opt, comm, matrix, borders):
    """Returns this rank's block of x and the slowest rank's time."""
    first, last = borders[comm.rank], borders[comm.rank + 1]
    mine = (matrix.row >= first) & (matrix.row < last)
    inside = (matrix.column >= first) & (matrix.column < last)
    own, others = matrix.part(mine & inside, first, last - first), matrix.part(mine & ~inside, first, last - first)
    needed = numpy.unique(others.column)
    own.column, others.column = own.column - first, numpy.searchsorted(needed, others.column)
    exchange = Exchange(comm, borders, needed)
    x, b, shown = numpy.zeros(last - first), matrix.b[first:last], time.monotonic()
    comm.Barrier()
    seconds = -MPI.Wtime()
    for step in range(opt.steps):
        exchange.begin(x)
        following = b + own.times(x)
        x = following + others.times(exchange.end())
        if comm.rank == 0 and time.monotonic() - shown > 2:
            shown = time.monotonic()
            print(f"spmv_mpi4py: {step + 1} of {opt.steps} steps so far", file=sys.stderr)
    seconds = comm.allreduce(seconds + MPI.Wtime(), op=MPI.MAX)
    exchange.free()
    return x, seconds


def judge(opt, comm, matrix, x, seconds):
    """Whether x is right, on every rank."""
    blocks = comm.gather(x)
    good = True
    if comm.rank == 0:
        expected = numpy.zeros(opt.rows)
        for _ in range(opt.steps):
            expected = matrix.b + matrix.times(expected)
        differ = numpy.count_nonzero(~numpy.isclose(numpy.concatenate(blocks), expected, rtol=1e-12, atol=1e-13))
        good = differ == 0
        print(f"spmv_mpi4py: result {'equal' if good else 'WRONG'}, time {seconds:.6f} s; {opt.rows} equations, {matrix.row.size} "
              f"coefficients, {opt.steps} steps by {comm.size} ranks; {differ} entries differ from the sequential run", flush=True)
    return comm.bcast(good)


def main(opt):
    comm = MPI.COMM_WORLD
    if opt.rows < comm.size:
        if comm.rank == 0:
            print(f"spmv_mpi4py: {opt.rows} rows are too few for {comm.size} ranks", file=sys.stderr)
        return 1
    borders = numpy.array([opt.rows * rank // comm.size for rank in range(comm.size + 1)])
    matrix = Matrix(opt)
    x, seconds = run_steps(opt, comm, matrix, borders)
    return 0 if judge(opt, comm, matrix, x, seconds) else 1


if __name__ == "__main__":
    sys.exit(main(options))
