# SPDX-License-Identifier: BSD-3-Clause
"""Makes the files of a trace (src/trace/format.h) that no program has left: calls that return when no test could have them return."""
import struct

HEAD_BYTES, CHUNK_BYTES, CELL_BYTES, CALLS_AT, NAME_BYTES = 16 << 10, 256 << 10, 16, 4096 + 64 * 128, 32
SITES_BYTES = 128 * 24  # of a chunk, behind its first record
CHUNK, TEXT, WINDOW, NAME, CALL, OPERATION, WAIT, APPLIED, CLOCK = 1, 2, 4, 5, 8, 9, 10, 11, 16
EXCLUSIVE = 32
CALLS = ["MPI_Win_allocate", "MPI_Win_lock", "MPI_Win_unlock", "MPI_Put", "MPI_Put_notify", "PROA_Win_wait_notify", "MPI_Win_lock_all", "MPI_Win_unlock_all", "MPI_Win_sync", "MPI_Win_flush"]


def record(kind, begin, end, call=None, rank=-1, bytes=0, place=0, value=0, way=0, mode=0):
    number = CALLS.index(call) if call else 0
    return struct.pack("<QIHBBQiBBH4Q", begin, 1 if kind != CHUNK else 0, number, 0, kind, end, rank, way, mode, 0, bytes, place, value, 0)


def name(text):
    """The records that name the window."""
    parts = [text[at:at + CELL_BYTES - 1] for at in range(0, len(text), CELL_BYTES - 1)]
    return record(NAME, 0, 0, bytes=len(text)) + b"".join(part.ljust(CELL_BYTES - 1, b"\0") + bytes([TEXT]) for part in parts)


class Rank:
    """The file of one rank of `size`, in which ticks are nanoseconds. Threads fill chunks one after the other."""

    def __init__(self, folder, rank, size, last_ns, first_ns=0, node=1, dropped=0):
        self.file = open(f"{folder}/{rank}.trace", "wb")
        self.file.write(self.head(rank, size, first_ns, last_ns, node, dropped))
        self.chunks, self.used = 0, CHUNK_BYTES
        self.put(record(WINDOW, first_ns, first_ns, "MPI_Win_allocate", rank, place=size, value=77))

    @staticmethod
    def head(rank, size, first_ns, last_ns, node, dropped):
        numbers = struct.pack("<8s4I3iI6Qq4q", b"ProaTrc", 3, HEAD_BYTES, CHUNK_BYTES, CELL_BYTES, rank, size, 1, 1, rank + 1, node, 0, 0, dropped, last_ns, 0, first_ns, first_ns, last_ns, last_ns)
        names = b"".join(name.encode().ljust(NAME_BYTES, b"\0") for name in CALLS)
        return (numbers + b"made".ljust(64, b"\0") + b"0".ljust(32, b"\0")).ljust(CALLS_AT, b"\0") + names.ljust(HEAD_BYTES - CALLS_AT, b"\0")

    def put(self, data):
        """Records of four cells each."""
        while data:
            if self.used == CHUNK_BYTES:
                first = record(CHUNK, 0, 0, rank=0, value=self.chunks) + b"\0" * SITES_BYTES
                self.file.write(first)
                self.chunks, self.used = self.chunks + 1, len(first)
            part = data[:CHUNK_BYTES - self.used]
            self.file.write(part)
            self.used += len(part)
            data = data[len(part):]

    def close(self):
        self.file.write(b"\0" * (CHUNK_BYTES - self.used))
        self.file.close()
