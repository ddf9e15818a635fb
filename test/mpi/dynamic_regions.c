/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Dynamic windows of thousands of regions: every operation with types over several of them, while
 * their owner attaches and detaches others all the time. Each origin has words of its own in the
 * lasting regions and a model of what they hold.
 */
#define _GNU_SOURCE /* process_vm_readv */
#include "window.h"
#include <errno.h>
#include <stdbool.h>
#include <sys/uio.h>
#include <unistd.h>

enum { regions = 12, words = 48, passing = 3000, passing_ints = 4, rounds = 4, most = 40 };

static MPI_Win win;
static int *lasting[regions]; /* this rank's regions: `words` ints for each origin */
static int *passing_memory;   /* `passing` regions, not side by side */
static char is_attached[passing];
static MPI_Aint *lasting_address, *passing_address; /* of all ranks */
static uint64_t seed;

static size_t region_bytes(void)
{
    return sizeof(int) * words * (size_t)nranks;
}
static int *passing_region(int i)
{
    return passing_memory + (size_t)i * 3 * passing_ints;
}

/* ---- the window ---- */

static void attach_passing(int i)
{
    int *at = passing_region(i);
    for (int k = 0; k < passing_ints; k++)
        at[k] = 7 * i + k;
    MPI_Win_attach(win, at, passing_ints * sizeof(int));
    is_attached[i] = 1;
}

static void detach_passing(int i)
{
    MPI_Win_detach(win, passing_region(i));
    is_attached[i] = 0;
}

static void open_window(void)
{
    MPI_Aint mine[regions + 1];
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    for (int r = 0; r < regions; r++) {
        if (r % 2)
            lasting[r] = need(malloc(region_bytes()));
        else
            MPI_Alloc_mem((MPI_Aint)region_bytes(), MPI_INFO_NULL, &lasting[r]);
        memset(lasting[r], 0, region_bytes());
        MPI_Win_attach(win, lasting[r], (MPI_Aint)region_bytes());
        MPI_Get_address(lasting[r], &mine[r]);
    }
    passing_memory = need(malloc(sizeof(int) * 3 * passing_ints * passing));
    MPI_Get_address(passing_memory, &mine[regions]);
    lasting_address = need(malloc(sizeof *lasting_address * (size_t)nranks * (regions + 1)));
    MPI_Allgather(mine, regions + 1, MPI_AINT, lasting_address, regions + 1, MPI_AINT,
                  MPI_COMM_WORLD);
    passing_address = lasting_address + regions;
}

static void close_window(void)
{
    for (int i = 0; i < passing; i++)
        if (is_attached[i])
            detach_passing(i);
    for (int r = 0; r < regions; r++) {
        MPI_Win_detach(win, lasting[r]);
        if (r % 2)
            free(lasting[r]);
        else
            MPI_Free_mem(lasting[r]);
    }
    MPI_Win_free(&win);
    free(passing_memory);
    free(lasting_address);
}

static MPI_Aint address_of(int target, int region, int word)
{
    MPI_Aint at = lasting_address[target * (regions + 1) + region];
    return MPI_Aint_add(at, (MPI_Aint)sizeof(int) * (rank * words + word));
}

/* ---- types over several regions ---- */

struct layout {
    MPI_Datatype type; /* absolute: to be used at MPI_BOTTOM */
    int n;
    int region[most], word[most]; /* of each int, in the order of the type */
};

/* Single ints anywhere, each once. */
static void scatter(struct layout *l, int target)
{
    bool taken[regions][words] = {{false}};
    MPI_Aint at[most];
    l->n = 1 + random_below(&seed, most);
    for (int i = 0; i < l->n; i++) {
        do {
            l->region[i] = random_below(&seed, regions);
            l->word[i] = random_below(&seed, words);
        } while (taken[l->region[i]][l->word[i]]);
        taken[l->region[i]][l->word[i]] = true;
        at[i] = address_of(target, l->region[i], l->word[i]);
    }
    MPI_Type_create_hindexed_block(l->n, 1, at, MPI_INT, &l->type);
}

/* A vector in each of some regions, forwards or backwards. */
static void comb(struct layout *l, int target)
{
    enum { vectors = 4 };
    MPI_Datatype types[vectors];
    MPI_Aint at[vectors];
    int ones[vectors] = {1, 1, 1, 1}, first_region = random_below(&seed, regions),
        n = 1 + random_below(&seed, most / vectors);
    l->n = 0;
    for (int v = 0; v < vectors; v++) {
        int stride = 1 + random_below(&seed, (words - 1) / n),
            start = random_below(&seed, words - (n - 1) * stride);
        if (random_below(&seed, 2)) {
            start += (n - 1) * stride;
            stride = -stride;
        }
        MPI_Type_vector(n, 1, stride, MPI_INT, &types[v]);
        for (int i = 0; i < n; i++, l->n++) {
            l->region[l->n] = (first_region + v) % regions;
            l->word[l->n] = start + i * stride;
        }
        at[v] = address_of(target, (first_region + v) % regions, start);
    }
    MPI_Type_create_struct(vectors, ones, at, types, &l->type);
    for (int v = 0; v < vectors; v++)
        MPI_Type_free(&types[v]);
}

static struct layout choose_layout(int target)
{
    struct layout l;
    if (random_below(&seed, 2))
        scatter(&l, target);
    else
        comb(&l, target);
    MPI_Type_commit(&l.type);
    return l;
}

/* ---- one operation, on the window and on the model ---- */

static int model[regions][words];

static int *model_of(const struct layout *l, int i)
{
    return &model[l->region[i]][l->word[i]];
}

static void put(struct layout *l, int target, int *values)
{
    for (int i = 0; i < l->n; i++)
        *model_of(l, i) = values[i];
    MPI_Put(values, l->n, MPI_INT, target, 0, 1, l->type, win);
}

static void get(struct layout *l, int target)
{
    int got[most];
    MPI_Get(got, l->n, MPI_INT, target, 0, 1, l->type, win);
    MPI_Win_flush(target, win);
    for (int i = 0; i < l->n; i++)
        CHECK(got[i] == *model_of(l, i), "get of int %d gives %d instead of %d", i, got[i],
              *model_of(l, i));
}

static void accumulate(struct layout *l, int target, int *values)
{
    for (int i = 0; i < l->n; i++)
        *model_of(l, i) += values[i];
    MPI_Accumulate(values, l->n, MPI_INT, target, 0, 1, l->type, MPI_SUM, win);
}

static void get_accumulate(struct layout *l, int target, int *values)
{
    int got[most];
    MPI_Op op = random_below(&seed, 2) ? MPI_REPLACE : MPI_MAX;
    MPI_Get_accumulate(values, l->n, MPI_INT, got, l->n, MPI_INT, target, 0, 1, l->type, op, win);
    MPI_Win_flush(target, win);
    for (int i = 0; i < l->n; i++) {
        CHECK(got[i] == *model_of(l, i), "get_accumulate of int %d gives %d instead of %d", i,
              got[i], *model_of(l, i));
        *model_of(l, i) = op == MPI_REPLACE || values[i] > got[i] ? values[i] : got[i];
    }
}

static void one_by_one(struct layout *l, int target, int *values)
{
    MPI_Aint at = address_of(target, l->region[0], l->word[0]);
    int *m = model_of(l, 0), got = -1, old = *m;
    if (values[0] % 2)
        MPI_Fetch_and_op(&values[0], &got, MPI_INT, target, at, MPI_SUM, win);
    else
        MPI_Compare_and_swap(&values[0], m, &got, MPI_INT, target, at, win);
    MPI_Win_flush(target, win);
    *m = values[0] % 2 ? old + values[0] : values[0];
    CHECK(got == old, "fetch_and_op or compare_and_swap gives %d instead of %d", got, old);
}

static void with_requests(struct layout *l, int target, int *values)
{
    int got[most];
    MPI_Request requests[2];
    MPI_Status statuses[2];
    MPI_Raccumulate(values, l->n, MPI_INT, target, 0, 1, l->type, MPI_REPLACE, win, &requests[0]);
    MPI_Rget_accumulate(NULL, 0, MPI_INT, got, l->n, MPI_INT, target, 0, 1, l->type, MPI_NO_OP, win,
                        &requests[1]);
    MPI_Waitall(2, requests, statuses);
    for (int i = 0; i < l->n; i++) {
        *model_of(l, i) = values[i];
        CHECK(got[i] == values[i], "rget_accumulate of int %d gives %d instead of %d", i, got[i],
              values[i]);
    }
}

static void operate(int target)
{
    struct layout l = choose_layout(target);
    int values[most];
    for (int i = 0; i < l.n; i++)
        values[i] = random_below(&seed, 1000);
    switch (random_below(&seed, 6)) {
    case 0:
        put(&l, target, values);
        break;
    case 1:
        get(&l, target);
        break;
    case 2:
        accumulate(&l, target, values);
        break;
    case 3:
        get_accumulate(&l, target, values);
        break;
    case 4:
        one_by_one(&l, target, values);
        break;
    default:
        with_requests(&l, target, values);
    }
    MPI_Win_flush(target, win);
    MPI_Type_free(&l.type);
}

/* ---- rounds ---- */

/* Grows to all regions, with operations all the time; then some come and go. */
static void grow_and_operate(int target)
{
    MPI_Win_lock_all(0, win);
    for (int i = 0; i < passing; i++) {
        /* 7 and the number of regions have no common divisor: each once, not in order of address */
        attach_passing(i * 7 % passing);
        if (i % 10 == 0)
            operate(target);
    }
    for (int i = 0; i < passing; i++) {
        int k = random_below(&seed, passing);
        if (is_attached[k])
            detach_passing(k);
        else
            attach_passing(k);
        if (i % 10 == 0)
            operate(target);
    }
    for (int i = 0; i < passing; i++)
        if (!is_attached[i])
            attach_passing(i);
    MPI_Win_unlock_all(win);
}

/* Every region is found, with every other one attached too. */
static void read_all(int target)
{
    static int got[passing][passing_ints];
    MPI_Aint base = passing_address[target * (regions + 1)];
    MPI_Win_lock(MPI_LOCK_SHARED, target, 0, win);
    for (int i = 0; i < passing; i++)
        MPI_Get(got[i], passing_ints, MPI_INT, target,
                MPI_Aint_add(base, (MPI_Aint)sizeof(int) * 3 * passing_ints * i), passing_ints,
                MPI_INT, win);
    MPI_Win_unlock(target, win);
    for (int i = 0; i < passing; i++)
        for (int k = 0; k < passing_ints; k++)
            CHECK(got[i][k] == 7 * i + k, "region %d of rank %d holds %d at %d", i, target,
                  got[i][k], k);
}

/* A type over three regions of which the middle one is gone: an error, and nothing moves. */
static void one_missing(int target)
{
    MPI_Aint base = passing_address[target * (regions + 1)], at[3];
    int values[3] = {-1, -2, -3}, got = 0;
    MPI_Datatype type;
    for (int i = 0; i < 3; i++)
        at[i] = MPI_Aint_add(base, (MPI_Aint)sizeof(int) * 3 * passing_ints * (10 + i));
    MPI_Type_create_hindexed_block(3, 1, at, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Barrier(MPI_COMM_WORLD);
    detach_passing(11);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win);
    int put_class = error_class(MPI_Put(values, 3, MPI_INT, target, 0, 1, type, win));
    int sum_class =
        error_class(MPI_Accumulate(values, 3, MPI_INT, target, 0, 1, type, MPI_SUM, win));
    int get_class = error_class(MPI_Get(values, 3, MPI_INT, target, 0, 1, type, win));
    MPI_Get(&got, 1, MPI_INT, target, at[0], 1, MPI_INT, win);
    MPI_Win_unlock(target, win);
    CHECK(put_class == MPI_ERR_RMA_RANGE && sum_class == put_class && get_class == put_class,
          "a region is missing: put, accumulate, get give classes %d, %d, %d", put_class, sum_class,
          get_class);
    CHECK(got == 70 && values[0] == -1, "a region is missing, but %d was written, %d read", got,
          values[0]);
    MPI_Barrier(MPI_COMM_WORLD);
    attach_passing(11);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, target, 0, win);
    int code = MPI_Get(values, 3, MPI_INT, target, 0, 1, type, win);
    MPI_Win_unlock(target, win);
    CHECK(code == MPI_SUCCESS && values[0] == 70 && values[1] == 77 && values[2] == 84,
          "attached again: %d, %d, %d, class %d", values[0], values[1], values[2],
          error_class(code));
    MPI_Type_free(&type);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void check_lasting(int target)
{
    int got[words];
    MPI_Win_lock(MPI_LOCK_SHARED, target, 0, win);
    for (int r = 0; r < regions; r++) {
        MPI_Get(got, words, MPI_INT, target, address_of(target, r, 0), words, MPI_INT, win);
        MPI_Win_flush(target, win);
        CHECK(memcmp(got, model[r], sizeof got) == 0, "region %d of rank %d is not as its model", r,
              target);
    }
    MPI_Win_unlock(target, win);
}

/* ---- regions side by side ---- */

/* Two halves of an array, attached one by one: a put over both, with and without a type, and an
 * accumulate. */
static void side_by_side(int target)
{
    enum { all = 1000, half = 501 };
    int *array = need(calloc(all, sizeof *array)), sent[all];
    MPI_Aint *at = need(calloc((size_t)nranks, sizeof *at)), mine,
             blocks[2] = {0, half * (MPI_Aint)sizeof(int)};
    int lengths[2] = {half, all - half};
    MPI_Datatype type;
    MPI_Type_create_hindexed(2, lengths, blocks, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Win_attach(win, array, half * sizeof(int));
    MPI_Win_attach(win, array + half, (all - half) * sizeof(int));
    MPI_Get_address(array, &mine);
    MPI_Allgather(&mine, 1, MPI_AINT, at, 1, MPI_AINT, MPI_COMM_WORLD);
    for (int i = 0; i < all; i++)
        sent[i] = i + 1;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win);
    int codes[3] = {MPI_Put(sent, all, MPI_INT, target, at[target], 1, type, win)};
    MPI_Win_flush(target, win);
    codes[1] = MPI_Accumulate(sent, all, MPI_INT, target, at[target], 1, type, MPI_SUM, win);
    codes[2] = MPI_Accumulate(sent, all, MPI_INT, target, at[target], all, MPI_INT, MPI_SUM, win);
    MPI_Win_unlock(target, win);
    CHECK(codes[0] == MPI_SUCCESS && codes[1] == MPI_SUCCESS && codes[2] == MPI_SUCCESS,
          "over two regions side by side: classes %d, %d, %d", error_class(codes[0]),
          error_class(codes[1]), error_class(codes[2]));
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win);
    long wrong = 0;
    for (int i = 0; i < all; i++)
        wrong += array[i] != 3 * (i + 1);
    MPI_Win_unlock(rank, win);
    CHECK(wrong == 0, "over two regions side by side: %ld ints are wrong", wrong);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_detach(win, array);
    MPI_Win_detach(win, array + half);
    MPI_Type_free(&type);
    free(array);
    free(at);
}

/* Without this call of the kernel, as under an emulator, the host has the windows. It does not look
 * whether memory is attached. */
static int has_vm_calls(void)
{
    return process_vm_readv(getpid(), NULL, 0, NULL, 0, 0) == 0 || errno != ENOSYS;
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    if (!has_vm_calls())
        return skip("no process_vm_readv here");
    seed = 11u + (unsigned)rank;
    for (int round = 0; round < rounds; round++) {
        int target = (rank + round) % nranks;
        memset(model, 0, sizeof model);
        open_window();
        MPI_Barrier(MPI_COMM_WORLD);
        grow_and_operate(target);
        MPI_Barrier(MPI_COMM_WORLD);
        read_all(target);
        check_lasting(target);
        if (shares_memory() &&
            !getenv("PROA_TEST_SERVED")) /* else the target says so, at a flush */
            one_missing(target);
        side_by_side(target);
        MPI_Barrier(MPI_COMM_WORLD);
        close_window();
    }
    return finish("dynamic_regions");
}
