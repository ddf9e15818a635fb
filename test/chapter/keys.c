/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Each info key of the chapter, with each value that changes what may be done (MPI-4.1, 13.2.1):
 * the window says that the value is in force, and a program that keeps what it has promised gets
 * right results, on windows of every kind.
 */
#include "window.h"

enum { words = 2048 }; /* enough for accumulates that are no longer done element by element */

static int left, right;

static const struct promise {
    const char *key, *value;
    const char *in_force; /* NULL: the value itself */
} promises[] = {{"no_locks", "true", NULL},
                {"no_locks", "false", NULL},
                {"accumulate_ordering", "none", NULL},
                {"accumulate_ordering", "raw,waw", NULL},
                {"accumulate_ordering", "rar,raw,war,waw", NULL},
                {"accumulate_ops", "same_op", NULL},
                {"accumulate_ops", "same_op_no_op", NULL},
                {"mpi_accumulate_granularity", "0", NULL},
                {"mpi_accumulate_granularity", "1", NULL},
                {"mpi_accumulate_granularity", "8", NULL},
                {"mpi_accumulate_granularity", "4096", NULL},
                {"same_size", "true", NULL},
                {"same_disp_unit", "true", NULL},
                {"alloc_shared_noncontig", "true", NULL},
                {"alloc_shared_noncontig", "false", NULL},
                {"mpi_minimum_memory_alignment", "16", NULL},
                {"mpi_minimum_memory_alignment", "65536", NULL},
                {"mpi_assert_memory_alloc_kinds", "system", NULL},
                /* Proa's value, not the one asked for */
                {"mpi_memory_alloc_kinds", "system", "system,mpi"}};

static int is(const struct promise *p, const char *key)
{
    return strcmp(p->key, key) == 0;
}

static struct area open_with(enum kind kind, MPI_Info info)
{
    struct area a = {
        .kind = kind, .win = MPI_WIN_NULL, .disp_unit = sizeof(int64_t), .comm = MPI_COMM_WORLD};
    MPI_Aint bytes = words * (MPI_Aint)sizeof(int64_t);
    if (kind == kind_create || kind == kind_dynamic)
        a.base = need(malloc((size_t)bytes));
    if (kind == kind_allocate)
        MPI_Win_allocate(bytes, a.disp_unit, info, a.comm, &a.base, &a.win);
    else if (kind == kind_shared)
        MPI_Win_allocate_shared(bytes, a.disp_unit, info, a.comm, &a.base, &a.win);
    else if (kind == kind_create)
        MPI_Win_create(a.base, bytes, a.disp_unit, info, a.comm, &a.win);
    else
        MPI_Win_create_dynamic(info, a.comm, &a.win);
    if (kind == kind_dynamic) {
        MPI_Win_attach(a.win, a.base, bytes);
        share_addresses(&a, a.comm);
    }
    return a;
}

/* ---- the value in force ---- */

static void check_in_force(const struct area *a, const struct promise *p)
{
    MPI_Info info;
    char value[MPI_MAX_INFO_VAL + 1] = "(none)";
    MPI_Win_get_info(a->win, &info);
    info_value(info, p->key, value, sizeof value);
    MPI_Info_free(&info);
    CHECK(strcmp(value, p->in_force ? p->in_force : p->value) == 0, "%s: %s=%s: %s is in force",
          kind_names[a->kind], p->key, p->value, value);
}

static void check_alignment(const struct area *a, const struct promise *p)
{
    if (!is(p, "mpi_minimum_memory_alignment") || a->kind == kind_create || a->kind == kind_dynamic)
        return;
    /* in a contiguous window only the first rank's memory can be aligned */
    if (a->kind == kind_shared && rank > 0)
        return;
    CHECK((uintptr_t)a->base % (uintptr_t)atol(p->value) == 0,
          "%s: memory at %p is not aligned to %s", kind_names[a->kind], a->base, p->value);
}

/* ---- programs that keep the promise: same sizes and units everywhere, one operator at a time, no
 * order relied on ---- */

static int64_t *word(const struct area *a, int i)
{
    return (int64_t *)a->base + i;
}

static void clear(const struct area *a)
{
    MPI_Win_fence(0, a->win);
    memset(a->base, 0, words * sizeof(int64_t));
    MPI_Win_fence(0, a->win);
}

static void add_everywhere(const struct area *a, const int64_t *ones)
{
    for (int target = 0; target < nranks; target++) {
        MPI_Accumulate(ones, 1, MPI_INT64_T, target, disp_at(a, target, 1), 1, MPI_INT64_T, MPI_SUM,
                       a->win);
        MPI_Accumulate(ones, words - 2, MPI_INT64_T, target, disp_at(a, target, 2), words - 2,
                       MPI_INT64_T, MPI_SUM, a->win);
    }
}

static void check_sums(const struct area *a, const char *how, const struct promise *p,
                       int64_t expected)
{
    long wrong = 0;
    for (int i = 1; i < words; i++)
        wrong += *word(a, i) != expected;
    CHECK(wrong == 0, "%s, %s=%s: %s: %ld sums are wrong", kind_names[a->kind], p->key, p->value,
          how, wrong);
}

static void by_fence(const struct area *a, const struct promise *p, const int64_t *ones)
{
    int64_t sent = 100 + rank, got = -1;
    clear(a);
    MPI_Put(&sent, 1, MPI_INT64_T, right, disp_at(a, right, 0), 1, MPI_INT64_T, a->win);
    add_everywhere(a, ones);
    MPI_Win_fence(0, a->win);
    MPI_Get(&got, 1, MPI_INT64_T, right, disp_at(a, right, 0), 1, MPI_INT64_T, a->win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, a->win);
    CHECK(*word(a, 0) == 100 + left && got == sent, "%s, %s=%s: put brings %lld, get %lld",
          kind_names[a->kind], p->key, p->value, (long long)*word(a, 0), (long long)got);
    check_sums(a, "fence", p, nranks);
}

static void by_post(const struct area *a, const struct promise *p)
{
    int64_t sent = 200 + rank;
    MPI_Group from = group_of_one(left), to = group_of_one(right);
    MPI_Win_post(from, 0, a->win);
    MPI_Win_start(to, 0, a->win);
    MPI_Put(&sent, 1, MPI_INT64_T, right, disp_at(a, right, 0), 1, MPI_INT64_T, a->win);
    MPI_Win_complete(a->win);
    MPI_Win_wait(a->win);
    CHECK(*word(a, 0) == 200 + left, "%s, %s=%s: put brings %lld", kind_names[a->kind], p->key,
          p->value, (long long)*word(a, 0));
    MPI_Group_free(&from);
    MPI_Group_free(&to);
}

/* One counter of all, without and with locks that exclude: no number is given out twice. */
static void by_lock(const struct area *a, const struct promise *p, const int64_t *ones)
{
    enum { rounds = 20 };
    int64_t before, sum = 0, total = 0, n = (int64_t)rounds * nranks;
    clear(a);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, a->win);
    MPI_Win_lock_all(0, a->win);
    add_everywhere(a, ones);
    MPI_Win_unlock_all(a->win);
    for (int i = 0; i < rounds; i++) {
        MPI_Win_lock(i % 2 ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, 0, 0, a->win);
        MPI_Fetch_and_op(ones, &before, MPI_INT64_T, 0, disp_at(a, 0, 0), MPI_SUM, a->win);
        MPI_Win_unlock(0, a->win);
        sum += before;
    }
    MPI_Reduce(&sum, &total, 1, MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    check_sums(a, "lock_all", p, nranks);
    if (rank == 0)
        CHECK(*word(a, 0) == n && total == n * (n - 1) / 2,
              "%s, %s=%s: %lld counted, tickets add up to %lld", kind_names[a->kind], p->key,
              p->value, (long long)*word(a, 0), (long long)total);
}

static void keep(const struct promise *p, enum kind kind, const int64_t *ones)
{
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, p->key, p->value);
    struct area a = open_with(kind, info);
    MPI_Info_free(&info);
    check_in_force(&a, p);
    check_alignment(&a, p);
    by_fence(&a, p, ones);
    by_post(&a, p);
    if (!is(p, "no_locks") || strcmp(p->value, "true") != 0)
        by_lock(&a, p, ones);
    close_area(&a);
}

/* MPI_Alloc_mem knows a key as well (9.2). */
static void aligned_memory(void)
{
    for (int alignment = 8; alignment <= 1 << 20; alignment *= 8) {
        MPI_Info info;
        char text[20], *memory;
        snprintf(text, sizeof text, "%d", alignment);
        MPI_Info_create(&info);
        MPI_Info_set(info, "mpi_minimum_memory_alignment", text);
        MPI_Alloc_mem(100, info, &memory);
        MPI_Info_free(&info);
        CHECK((uintptr_t)memory % (uintptr_t)alignment == 0,
              "MPI_Alloc_mem: %p is not aligned to %d", (void *)memory, alignment);
        memset(memory, 1, 100);
        MPI_Free_mem(memory);
    }
}

int main(int argc, char **argv)
{
    static int64_t ones[words];
    start(&argc, &argv);
    right = (rank + 1) % nranks;
    left = (rank + nranks - 1) % nranks;
    for (int i = 0; i < words; i++)
        ones[i] = 1;
    for (size_t i = 0; i < sizeof promises / sizeof promises[0]; i++)
        for (int kind = 0; kind < nkinds; kind++)
            keep(&promises[i], (enum kind)kind, ones);
    aligned_memory();
    return finish("keys");
}
