/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The chapter through MPI-2's C++ binding, which both hosts still ship: MPI::Win and
 * MPI::Alloc_mem. It knows MPI-2's one-sided functions only: no allocated windows, no flush, no
 * request forms.
 */
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

extern "C" int served_as_expected(void);

namespace
{

const MPI::Aint int_bytes = sizeof(int);

struct Job {
    int rank, size, left, right;
    MPI::Group from_left, to_right; /* groups of one: who accesses me, whom I access */
};

void expect(bool is_true, const char *what)
{
    if (is_true)
        return;
    std::fprintf(stderr, "wrong: %s\n", what);
    MPI::COMM_WORLD.Abort(1);
}

Job begin()
{
    Job job;
    MPI::Group world = MPI::COMM_WORLD.Get_group();

    job.rank = MPI::COMM_WORLD.Get_rank();
    job.size = MPI::COMM_WORLD.Get_size();
    job.left = (job.rank + job.size - 1) % job.size;
    job.right = (job.rank + 1) % job.size;
    job.from_left = world.Incl(1, &job.left);
    job.to_right = world.Incl(1, &job.right);
    world.Free();
    return job;
}

MPI::Win create(int *memory, int count)
{
    return MPI::Win::Create(memory, count * int_bytes, sizeof(int), MPI::INFO_NULL,
                            MPI::COMM_WORLD);
}

void fence(const Job &job)
{
    int memory[4] = {-1, 0, 800 + job.rank, -1}, sent = 100 + job.rank, part = job.rank + 1,
        got = -1;
    MPI::Win win = create(memory, 4);

    win.Fence(MPI::MODE_NOPRECEDE);
    win.Put(&sent, 1, MPI::INT, job.right, 0, 1, MPI::INT);
    win.Accumulate(&part, 1, MPI::INT, 0, 1, 1, MPI::INT, MPI::SUM);
    win.Get(&got, 1, MPI::INT, job.right, 2, 1, MPI::INT);
    win.Fence(MPI::MODE_NOSUCCEED);
    expect(memory[0] == 100 + job.left, "Put and Fence");
    expect(got == 800 + job.right, "Get and Fence");
    if (job.rank == 0)
        expect(memory[1] == job.size * (job.size + 1) / 2, "Accumulate and Fence");
    win.Free();
    expect(win == MPI::WIN_NULL, "Free clears the handle");
}

void general(const Job &job)
{
    int memory[2] = {-1, -1}, sent = job.rank;
    MPI::Win win = create(memory, 2);

    win.Post(job.from_left, 0);
    win.Start(job.to_right, 0);
    win.Put(&sent, 1, MPI::INT, job.right, 0, 1, MPI::INT);
    win.Complete();
    win.Wait();
    expect(memory[0] == job.left, "Put, Complete and Wait");

    win.Post(job.from_left, 0);
    win.Start(job.to_right, 0);
    sent = job.rank + 10;
    win.Put(&sent, 1, MPI::INT, job.right, 1, 1, MPI::INT);
    win.Complete();
    while (!win.Test())
        ;
    expect(memory[1] == job.left + 10, "Put, Complete and Test");
    win.Free();
}

/* A group's handle may stand for another group once it is freed: each round's groups are others. */
void groups_again(const Job &job)
{
    int memory[4] = {-1, -1, -1, -1};
    MPI::Win win = create(memory, 4);
    MPI::Group world = MPI::COMM_WORLD.Get_group();

    for (int round = 0; round < 4; round++) {
        int origin = (job.rank + 4 * job.size - round) % job.size;
        int target = (job.rank + round) % job.size, sent = job.rank + 10 * round;
        MPI::Group from = world.Incl(1, &origin), to = world.Incl(1, &target);

        win.Post(from, 0);
        win.Start(to, 0);
        win.Put(&sent, 1, MPI::INT, target, round, 1, MPI::INT);
        win.Complete();
        win.Wait();
        expect(memory[round] == origin + 10 * round, "groups made again");
        to.Free();
        from.Free();
    }
    world.Free();
    win.Free();
}

/* Two epochs for a read and the write that depends on it would need more than a lock, so every rank
 * adds by Accumulate. */
void lock(const Job &job)
{
    int *memory = static_cast<int *>(MPI::Alloc_mem(64 * int_bytes, MPI::INFO_NULL)), one = 1,
        got = -1;
    std::memset(memory, 0, 64 * sizeof(int));
    MPI::Win win = create(memory, 64);

    for (int i = 0; i < 20; i++) {
        win.Lock(i % 2 ? MPI::LOCK_SHARED : MPI::LOCK_EXCLUSIVE, 0, 0);
        win.Accumulate(&one, 1, MPI::INT, 0, 63, 1, MPI::INT, MPI::SUM);
        win.Unlock(0);
    }
    MPI::COMM_WORLD.Barrier();
    win.Lock(MPI::LOCK_SHARED, 0, MPI::MODE_NOCHECK);
    win.Get(&got, 1, MPI::INT, 0, 63, 1, MPI::INT);
    win.Unlock(0);
    expect(got == 20 * job.size, "Lock, Accumulate and Unlock");
    win.Free();
    MPI::Free_mem(memory);
}

void predefined_attributes()
{
    int memory[8] = {};
    void *base;
    MPI::Aint *bytes;
    int *unit;
    MPI::Win win = MPI::Win::Create(memory, sizeof memory, 2, MPI::INFO_NULL, MPI::COMM_WORLD);

    expect(win.Get_attr(MPI::WIN_BASE, &base) && base == memory, "base of a window");
    expect(win.Get_attr(MPI::WIN_SIZE, &bytes) && *bytes == sizeof memory, "size of a window");
    expect(win.Get_attr(MPI::WIN_DISP_UNIT, &unit) && *unit == 2, "displacement unit of a window");
    win.Free();
}

/* Functions of my own, because Open MPI has no MPI::Win::NULL_COPY_FN. */
int copy_none(const MPI::Win &, int, void *, void *, void *, bool &flag)
{
    flag = false;
    return MPI::SUCCESS;
}

int deleted;
MPI::Win given; /* to the delete function or the error handler */

int count_deleted(MPI::Win &win, int, void *value, void *extra)
{
    deleted++;
    given = win;
    expect(*static_cast<int *>(value) == 7 && extra == &deleted,
           "a delete function gets its attribute");
    return MPI::SUCCESS;
}

void own_attribute()
{
    int memory[1] = {}, value = 7, *found = 0;
    MPI::Win win = create(memory, 1), same = win;
    int keyval = MPI::Win::Create_keyval(copy_none, count_deleted, &deleted);

    win.Set_attr(keyval, &value);
    expect(win.Get_attr(keyval, &found) && found == &value, "an attribute of my own");
    win.Delete_attr(keyval);
    expect(!win.Get_attr(keyval, &found), "an attribute after it is deleted");
    expect(deleted == 1 && given == win, "a delete function gets the window");
    given = MPI::WIN_NULL;
    win.Set_attr(keyval, &value);
    win.Free();
    expect(deleted == 2 && given == same, "attributes are deleted with their window");
    MPI::Win::Free_keyval(keyval);
}

int errors, last_error;

void on_error(MPI::Win &win, int *code, ...)
{
    errors++;
    given = win;
    last_error = *code;
}

void own_error_handler(const Job &job)
{
    int memory[1] = {};
    MPI::Win win = create(memory, 1);
    MPI::Errhandler handler = MPI::Win::Create_errhandler(on_error);

    win.Set_errhandler(handler);
    handler.Free(); /* the window keeps it */
    given = MPI::WIN_NULL;
    win.Call_errhandler(MPI::ERR_OTHER);
    expect(errors == 1 && given == win && last_error == MPI::ERR_OTHER,
           "an error handler that is called");
    given = MPI::WIN_NULL;
    win.Put(memory, 1, MPI::INT, job.right, 0, 1, MPI::INT); /* outside of any epoch */
    expect(errors == 2 && given == win && last_error != MPI::SUCCESS,
           "an error handler gets an error, once");
    win.Free();
}

void name_and_group(const Job &job)
{
    int memory[1] = {}, length = 0;
    char name[MPI::MAX_OBJECT_NAME];
    MPI::Win win = create(memory, 1);

    win.Set_name("outrigger");
    win.Get_name(name, length);
    expect(std::strcmp(name, "outrigger") == 0, "name of a window");
    MPI::Group group = win.Get_group();
    expect(group.Get_size() == job.size, "group of a window");
    group.Free();
    win.Free();
}

} /* namespace */

int main(int argc, char **argv)
{
    MPI::Init(argc, argv);
    Job job = begin();

    fence(job);
    general(job);
    groups_again(job);
    lock(job);
    predefined_attributes();
    own_attribute();
    own_error_handler(job);
    name_and_group(job);
    job.from_left.Free();
    job.to_right.Free();
    expect(served_as_expected(), "Proa served no window of cxx");
    if (job.rank == 0)
        std::puts("ok cxx");
    MPI::Finalize();
    return 0;
}
