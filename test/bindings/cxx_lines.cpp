// SPDX-License-Identifier: BSD-3-Clause
// MPI-2's C++ binding: two puts to one place, of which the second is virtual, and a store there by
// the target: each in a line of its own.
#include <mpi.h>

namespace
{

const int many = 100000;
long words[many], one = 1;

void put_again(const MPI::Win &win)
{
    win.Put(&one, 1, MPI::LONG, 1, 5000, 1, MPI::LONG); // second
}

} // namespace

int main()
{
    void (*volatile second)(const MPI::Win &) = put_again;

    MPI::Init();
    MPI::Win win =
        MPI::Win::Create(words, sizeof words, sizeof(long), MPI::INFO_NULL, MPI::COMM_WORLD);
    win.Fence(0);
    if (MPI::COMM_WORLD.Get_rank() == 0) {
        win.Put(&one, 1, MPI::LONG, 1, 5000, 1, MPI::LONG); // first
        second(win);
    } else {
        *(volatile long *)&words[5000] = 3; // store
    }
    win.Fence(0);
    win.Free();
    MPI::Finalize();
}
