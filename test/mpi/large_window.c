/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Windows and operations beyond what an int, and what 32 bits, can count: 3 GiB and, where there is
 * memory for it, 5 GiB; more than 2 GiB in one call; and a datatype of 30 million blocks, which
 * must not cost memory. Rank 1 has the window, rank 0 is the origin. Parts for which the machine
 * has too little free memory are left out, and said to be. Arguments: the flavors of the windows,
 * allocate and create.
 */
#include "window.h"
#include <stdbool.h>
#include <unistd.h>

static const int64_t mib = 1 << 20, gib = 1 << 30;
enum { nlines = 4, big_blocks = 2056 }; /* big_blocks MiB: more than 2 GiB */

static int parts_run;
static char *block;  /* one MiB of a pattern */
static char *result; /* at rank 0: big_blocks MiB, NULL where there is no memory for it */

/* ---- memory ---- */

static int64_t read_number(const char *path, const char *label)
{
    FILE *file = fopen(path, "r");
    char line[200];
    long long value = -1;
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, label, strlen(label)) == 0 &&
            sscanf(line + strlen(label), "%lld", &value) == 1)
            break;
    if (file)
        fclose(file);
    return value;
}

/* What may still be used, by the machine and by this control group. */
static int64_t memory_free(void)
{
    int64_t available = read_number("/proc/meminfo", "MemAvailable:") * 1024;
    int64_t most = read_number("/sys/fs/cgroup/memory.max", ""),
            used = read_number("/sys/fs/cgroup/memory.current", "");
    return most > 0 && used >= 0 && most - used < available ? most - used : available;
}

static int64_t private_bytes(void)
{
    return read_number("/proc/self/status", "RssAnon:") * 1024;
}

/* Rank 0 decides for both. One GiB is to spare, and what result will need. */
static bool enough(int64_t needed, const char *what)
{
    int answer = memory_free() > needed + (result ? 1 : 3) * gib;
    MPI_Bcast(&answer, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (!answer && rank == 0)
        printf("left out: %s: needs %lld MiB, and some GiB to spare\n", what,
               (long long)(needed / mib));
    parts_run += answer;
    return answer;
}

/* A barrier at which the early rank sleeps: in MPI_Barrier hosts look for the other without a
 * pause, here for seconds. */
static void meet(void)
{
    MPI_Request request;
    int all_are_here = 0;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    for (;;) {
        MPI_Test(&request, &all_are_here, MPI_STATUS_IGNORE);
        if (all_are_here)
            return;
        usleep(1000);
    }
}

/* ---- the window ---- */

struct large {
    MPI_Win win;
    char *base; /* at rank 1 */
    int64_t bytes;
    int disp_unit;
    bool created;
};

static bool open_large(struct large *l, int64_t bytes, int disp_unit, bool created)
{
    MPI_Aint mine = rank == 1 ? (MPI_Aint)bytes : 0;
    int code;
    *l = (struct large){
        .win = MPI_WIN_NULL, .bytes = bytes, .disp_unit = disp_unit, .created = created};
    if (created) {
        l->base = mine ? need(malloc((size_t)mine)) : NULL;
        code = MPI_Win_create(l->base, mine, disp_unit, MPI_INFO_NULL, MPI_COMM_WORLD, &l->win);
    } else
        code = MPI_Win_allocate(mine, disp_unit, MPI_INFO_NULL, MPI_COMM_WORLD, &l->base, &l->win);
    CHECK(code == MPI_SUCCESS, "a window of %lld bytes: class %d", (long long)bytes,
          error_class(code));
    if (code == MPI_SUCCESS)
        MPI_Win_set_errhandler(l->win, MPI_ERRORS_RETURN);
    return code == MPI_SUCCESS;
}

static void close_large(struct large *l)
{
    MPI_Win_free(&l->win);
    if (l->created)
        free(l->base);
}

static const char *kind_of(const struct large *l)
{
    return l->created ? "create" : "allocate";
}

/* ---- across the lines ---- */

/* Eight bytes with their middle on the line, single atomic elements beside it, all read back from
 * there. */
static void at_line(const struct large *l, int64_t line)
{
    int64_t value = line * 3 + 1, got = 0, one = 1, before = -1, swapped = -1, fresh = 99;
    MPI_Aint on = (MPI_Aint)(line - 4), beside = (MPI_Aint)(line - 32);
    MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, l->win);
    MPI_Put(&value, 1, MPI_INT64_T, 1, on, 1, MPI_INT64_T, l->win);
    MPI_Put(&value, 1, MPI_INT64_T, 1, beside, 1, MPI_INT64_T, l->win);
    MPI_Win_flush(1, l->win);
    MPI_Get(&got, 1, MPI_INT64_T, 1, on, 1, MPI_INT64_T, l->win);
    MPI_Fetch_and_op(&one, &before, MPI_INT64_T, 1, beside, MPI_SUM, l->win);
    MPI_Win_flush(1, l->win);
    value++;
    MPI_Compare_and_swap(&fresh, &value, &swapped, MPI_INT64_T, 1, beside, l->win);
    MPI_Accumulate(&one, 1, MPI_INT64_T, 1, beside, 1, MPI_INT64_T, MPI_SUM, l->win);
    MPI_Win_flush(1, l->win);
    MPI_Fetch_and_op(NULL, &fresh, MPI_INT64_T, 1, beside, MPI_NO_OP, l->win);
    MPI_Win_unlock(1, l->win);
    CHECK(got == value - 1 && before == value - 1 && swapped == value && fresh == 100,
          "%s, line %lld: put and get %lld, fetch_and_op %lld, compare_and_swap %lld, sum %lld",
          kind_of(l), (long long)line, (long long)got, (long long)before, (long long)swapped,
          (long long)fresh);
}

/* Rank 1 looks where rank 0 has written. */
static void seen_at_line(const struct large *l, int64_t line)
{
    int64_t on, beside;
    memcpy(&on, l->base + line - 4, sizeof on);
    memcpy(&beside, l->base + line - 32, sizeof beside);
    CHECK(on == line * 3 + 1 && beside == 100, "%s, line %lld: rank 1 sees %lld and %lld",
          kind_of(l), (long long)line, (long long)on, (long long)beside);
}

/* One call that touches both ends. */
static void both_ends(const struct large *l)
{
    int64_t values[2] = {-7, -8}, got[2] = {0, 0};
    MPI_Datatype ends;
    MPI_Type_create_hvector(2, 1, (MPI_Aint)(l->bytes - 8), MPI_INT64_T, &ends);
    MPI_Type_commit(&ends);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, l->win);
    int code = MPI_Put(values, 2, MPI_INT64_T, 1, 0, 1, ends, l->win);
    MPI_Win_flush(1, l->win);
    MPI_Get(got, 2, MPI_INT64_T, 1, 0, 1, ends, l->win);
    MPI_Win_unlock(1, l->win);
    CHECK(code == MPI_SUCCESS && got[0] == -7 && got[1] == -8,
          "%s: both ends: class %d, %lld and %lld", kind_of(l), error_class(code),
          (long long)got[0], (long long)got[1]);
    MPI_Type_free(&ends);
}

static void past_the_end(const struct large *l)
{
    int64_t value = 1;
    const int64_t at[] = {l->bytes - 4, l->bytes, l->bytes + (gib << 2), INT64_MAX / 2,
                          INT64_MAX - 3};
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, l->win);
    for (size_t i = 0; i < sizeof at / sizeof at[0]; i++) {
        int class = error_class(
            MPI_Put(&value, 1, MPI_INT64_T, 1, (MPI_Aint)at[i], 1, MPI_INT64_T, l->win));
        CHECK(class == MPI_ERR_RMA_RANGE, "%s: a put at %lld of %lld gives class %d", kind_of(l),
              (long long)at[i], (long long)l->bytes, class);
    }
    MPI_Win_unlock(1, l->win);
}

static void across_lines(const struct large *l)
{
    const int64_t lines[nlines] = {2 * gib, l->bytes > 4 * gib ? 4 * gib : gib, l->bytes - 4,
                                   3 * gib - 64};
    if (rank == 0) {
        for (int i = 0; i < nlines; i++)
            at_line(l, lines[i]);
        past_the_end(l);
    }
    meet();
    for (int i = 0; i < nlines && rank == 1; i++)
        seen_at_line(l, lines[i]);
    meet();
    if (rank == 0)
        both_ends(l);
    meet();
}

/* ---- more than 2 GiB in one call ---- */

/* The same MiB again and again: so much data from little memory. */
static void repeated_block(MPI_Datatype *type)
{
    MPI_Type_create_hvector(big_blocks, (int)mib, 0, MPI_BYTE, type);
    MPI_Type_commit(type);
}

static void big_types(MPI_Datatype *one, MPI_Datatype *all)
{
    MPI_Type_contiguous((int)mib, MPI_BYTE, one);
    MPI_Type_commit(one);
    MPI_Type_contiguous(big_blocks, *one, all);
    MPI_Type_commit(all);
}

static int put_big(const struct large *l, MPI_Aint displacement, bool large_count)
{
    MPI_Datatype repeated, one, all;
    int code;
    repeated_block(&repeated);
    big_types(&one, &all);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, l->win);
#if MPI_VERSION >= 4
    if (large_count)
        code = MPI_Put_c(block, 1, repeated, 1, displacement, (MPI_Count)big_blocks * mib, MPI_BYTE,
                         l->win);
    else
#endif
        code = MPI_Put(block, 1, repeated, 1, displacement, large_count ? big_blocks : 1,
                       large_count ? one : all, l->win);
    MPI_Win_unlock(1, l->win);
    MPI_Type_free(&repeated);
    MPI_Type_free(&one);
    MPI_Type_free(&all);
    return code;
}

static int get_big(const struct large *l, MPI_Aint displacement, bool large_count)
{
    MPI_Datatype one, all;
    int code;
    big_types(&one, &all);
    MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, l->win);
#if MPI_VERSION >= 4
    if (large_count)
        code = MPI_Get_c(result, (MPI_Count)big_blocks * mib, MPI_BYTE, 1, displacement, 1, all,
                         l->win);
    else
#endif
        code = MPI_Get(result, big_blocks, one, 1, displacement, large_count ? big_blocks : 1,
                       large_count ? one : all, l->win);
    MPI_Win_unlock(1, l->win);
    MPI_Type_free(&one);
    MPI_Type_free(&all);
    return code;
}

/* The first, the last, those around 2 GiB, and some in between. */
static long wrong_blocks(const char *memory)
{
    long wrong = 0;
    for (int b = 0; b < big_blocks;
         b += b == 0 || (b > 2044 && b < 2052) || b > big_blocks - 4 ? 1 : 3)
        wrong += memcmp(memory + b * mib, block, (size_t)mib) != 0;
    return wrong;
}

/* From the second MiB of the window on. */
static void in_one_call(const struct large *l, bool large_count)
{
    for (int i = 0; i < mib; i++)
        block[i] = (char)(i * 7 + i / 251 + large_count);
    if (rank == 1)
        memset(l->base, 0, (size_t)mib);
    meet();
    int code = rank == 0 ? put_big(l, (MPI_Aint)mib, large_count) : MPI_SUCCESS;
    CHECK(code == MPI_SUCCESS, "%s: a put of %d MiB gives class %d", kind_of(l), big_blocks,
          error_class(code));
    meet();
    if (rank == 1) {
        long wrong = wrong_blocks(l->base + mib), written = 0;
        for (int i = 0; i < mib; i++)
            written += l->base[i] != 0;
        CHECK(wrong == 0 && written == 0,
              "%s: a put of %d MiB: %ld blocks are wrong, %ld bytes before them written",
              kind_of(l), big_blocks, wrong, written);
    } else {
        code = get_big(l, (MPI_Aint)mib, large_count);
        long wrong = code == MPI_SUCCESS ? wrong_blocks(result) : 0;
        CHECK(code == MPI_SUCCESS && wrong == 0,
              "%s: a get of %d MiB: class %d, %ld blocks are wrong", kind_of(l), big_blocks,
              error_class(code), wrong);
    }
    meet();
}

/* ---- many blocks ---- */

static void check_growth(int64_t before, const char *what)
{
    int64_t grown = private_bytes() - before;
    CHECK(grown < 4 * mib, "%s: memory grew by %lld KiB", what, (long long)(grown / 1024));
}

/* Every second byte of the window, from one byte; and back, into one byte of every two. */
static void bytes_in_vector(const struct large *l, int blocks, char *every_second)
{
    MPI_Datatype comb, same;
    char value = 77, *memory = l->base;
    memset(every_second, 1, 2 * (size_t)blocks);
    if (rank == 1)
        memset(memory, 1, (size_t)l->bytes);
    int64_t before = private_bytes();
    MPI_Type_vector(blocks, 1, 2, MPI_BYTE, &comb);
    MPI_Type_create_hvector(blocks, 1, 0, MPI_BYTE, &same);
    MPI_Type_commit(&comb);
    MPI_Type_commit(&same);
    meet();
    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, l->win);
        int code = MPI_Put(&value, 1, same, 1, 0, 1, comb, l->win);
        MPI_Win_flush(1, l->win);
        if (code == MPI_SUCCESS)
            code = MPI_Get(every_second, 1, comb, 1, 0, 1, comb, l->win);
        MPI_Win_unlock(1, l->win);
        CHECK(code == MPI_SUCCESS, "%s: a vector of %d blocks: class %d", kind_of(l), blocks,
              error_class(code));
    }
    meet();
    check_growth(before, "a vector of many blocks");
    long wrong = 0;
    const char *found = rank == 0 ? every_second : memory;
    for (int i = 0; i < blocks; i++)
        wrong += found[2 * i] != 77 || found[2 * i + 1] != 1;
    CHECK(wrong == 0, "%s: a vector of %d blocks: %ld are wrong", kind_of(l), blocks, wrong);
    MPI_Type_free(&comb);
    MPI_Type_free(&same);
}

static void ints_in_vector(const struct large *l, int blocks)
{
    MPI_Datatype comb, same;
    int one = 1, *memory = (int *)(void *)l->base;
    if (rank == 1)
        memset(memory, 0, (size_t)l->bytes);
    int64_t before = private_bytes();
    MPI_Type_vector(blocks, 1, 2, MPI_INT, &comb);
    MPI_Type_create_hvector(blocks, 1, 0, MPI_INT, &same);
    MPI_Type_commit(&comb);
    MPI_Type_commit(&same);
    for (int lock = 0; lock < 2; lock++) {
        meet();
        if (rank == 0) {
            MPI_Win_lock(lock ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, 1, 0, l->win);
            int code = MPI_Accumulate(&one, 1, same, 1, 0, 1, comb, MPI_SUM, l->win);
            MPI_Win_unlock(1, l->win);
            CHECK(code == MPI_SUCCESS, "%s: an accumulate to %d blocks: class %d", kind_of(l),
                  blocks, error_class(code));
        }
    }
    meet();
    check_growth(before, "an accumulate to many blocks");
    long wrong = 0;
    for (int i = 0; i < blocks && rank == 1; i++)
        wrong += memory[2 * i] != 2 || memory[2 * i + 1] != 0;
    CHECK(wrong == 0, "%s: an accumulate to %d blocks: %ld are wrong", kind_of(l), blocks, wrong);
    MPI_Type_free(&comb);
    MPI_Type_free(&same);
}

/* By cma each block is the kernel's business one by one: fewer of them. */
static void many_blocks(bool created)
{
    int blocks = created ? 1000000 : 30000000, ints = created ? 200000 : 5000000;
    struct large l;
    if (!enough(5 * (int64_t)blocks, "a vector of 30 million blocks") ||
        !open_large(&l, 2 * (int64_t)blocks, 1, created))
        return;
    char *every_second = need(malloc(2 * (size_t)blocks));
    bytes_in_vector(&l, blocks, every_second);
    ints_in_vector(&l, ints);
    free(every_second);
    close_large(&l);
}

static void big_windows(bool created)
{
    struct large l;
    int64_t bytes = enough(5 * gib, "a window of 5 GiB")   ? 5 * gib
                    : enough(3 * gib, "a window of 3 GiB") ? 3 * gib
                                                           : 0;
    if (!bytes || !open_large(&l, bytes, 1, created))
        return;
    across_lines(&l);
    if (rank == 0 && !result)
        result = need(malloc((size_t)big_blocks * mib));
    in_one_call(&l, false);
    in_one_call(&l, true);
    close_large(&l);
}

static bool is_wanted(const char *flavor, int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], flavor) == 0)
            return true;
    return false;
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return skip("sanitizers need too much memory for this");
#endif
    if (nranks != 2)
        return skip("needs 2 ranks");
    block = need(malloc((size_t)mib));
    for (int created = 0; created < 2; created++) {
        if (!is_wanted(created ? "create" : "allocate", argc, argv))
            continue;
        big_windows(created);
        many_blocks(created);
    }
    free(block);
    free(result);
    MPI_Allreduce(MPI_IN_PLACE, &parts_run, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (parts_run == 0)
        return skip("too little memory");
    return finish("large_window");
}
