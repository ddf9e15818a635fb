// SPDX-License-Identifier: BSD-3-Clause
// include/proa_notify.h in a C++ program: that it compiles without a warning, and that calls of
// each sort do in C++ what they do in C, with Proa and by plain MPI.
#define PROA_MPI_NAMES
#include <proa_notify.h>
#include <proa_notify.h> // once more: harmless

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace
{

int rank, nranks;

void expect(bool is_true, const char *what)
{
    if (is_true)
        return;
    std::fprintf(stderr, "rank %d: wrong: %s\n", rank, what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

MPI_Count value_of(MPI_Win win, int index)
{
    MPI_Count value = -1;
    expect(MPI_Win_get_notify_value(win, index, &value) == MPI_SUCCESS, "get_notify_value");
    return value;
}

void check_operations(MPI_Win win, const std::int64_t *memory)
{
    const int right = (rank + 1) % nranks, left = (rank + nranks - 1) % nranks;
    const std::int64_t sent[2] = {100 + rank, 1};
    std::int64_t result = -1;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Win_lock_all(0, win);
    MPI_Put_notify(sent, 1, MPI_INT64_T, right, 0, 1, MPI_INT64_T, 0, win);
    PROA_Win_wait_notify(win, 0, 1);
    expect(memory[0] == 100 + left, "what was put");
    MPI_Win_flush(right, win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Rget_accumulate_notify_c(&sent[1], 1, MPI_INT64_T, &result, 1, MPI_INT64_T, right, 0, 1,
                                 MPI_INT64_T, MPI_SUM, 1, win, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect(result == sent[0], "what was there before the sum");
    MPI_Win_unlock_all(win);
    PROA_Win_wait_notify(win, 1, 1);
    expect(value_of(win, 0) == 1 && value_of(win, 1) == 1, "the counters");
}

void check_waits(MPI_Win win)
{
    const std::vector<int> indices = {0, 1};
    const std::vector<MPI_Count> expected = {2, 1};
    std::vector<int> which(2, -1);
    MPI_Count value = -1;
    int count = 0;
    PROA_Win_waitsome_notify(win, 2, indices.data(), expected.data(), &count, which.data());
    expect(count == 1 && which[0] == 1, "waitsome");
    MPI_Win_reset_notify_value(win, 0, &value);
    expect(value == 1 && value_of(win, 0) == 0, "reset");
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Win_notify_ithreshold(win, 1, 1, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect(request == MPI_REQUEST_NULL, "the threshold");
    if (!PROA_Notify_is_native(win))
        return;
    std::uint64_t *counter = nullptr;
    PROA_Win_get_notify_address(win, 1, &counter);
    expect(counter && __atomic_load_n(counter, __ATOMIC_ACQUIRE) == 1, "by its address");
}

void check_attribute(MPI_Win win)
{
    int *most = nullptr, flag = 0, number = -1;
    MPI_Win_get_attr(win, MPI_WIN_NOTIFICATION_NUM_UB, &most, &flag);
    expect(flag && *most == INT_MAX, "NUM_UB");
    MPI_Win_get_num_notify(win, rank, &number);
    expect(number == 3, "the number of counters");
    expect(MPI_ERR_RMA_NOTIFICATION > MPI_SUCCESS, "the error class");
}

} // namespace

int main(int argc, char *argv[])
{
    std::int64_t *memory = nullptr;
    MPI_Win win = MPI_WIN_NULL;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nranks);
    // Twice what is used: MPICH 4.0 alone takes parts of 8 bytes for one another.
    MPI_Win_allocate(2 * sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory,
                     &win);
    expect(!std::getenv("PROA_EXPECT") || PROA_Notify_is_native(win), "not by Proa");
    MPI_Win_set_num_notify(win, MPI_INFO_NULL, 3);
    check_operations(win, memory);
    check_waits(win);
    check_attribute(win);
    MPI_Win_free(&win);
    if (rank == 0)
        std::puts("ok notify in C++");
    MPI_Finalize();
    return 0;
}
