/* SPDX-License-Identifier: BSD-3-Clause */
/* Info: MPI_Win_get_info tells the keys that are understood, with the values in force; others are
 * ignored. */
#include "window.h"

static const char *const keys[] = {"no_locks",
                                   "accumulate_ordering",
                                   "accumulate_ops",
                                   "mpi_accumulate_granularity",
                                   "same_size",
                                   "same_disp_unit",
                                   "alloc_shared_noncontig",
                                   "mpi_minimum_memory_alignment",
                                   "proa_adopt",
                                   "mpi_assert_max_num_notify",
                                   "mpi_assert_same_num_notifications",
                                   "proa_memory",
                                   "proa_progress",
                                   "mpi_memory_alloc_kinds",
                                   "mpi_assert_memory_alloc_kinds"};

static const char *get(MPI_Win win, const char *key)
{
    static char value[MPI_MAX_INFO_VAL + 1];
    MPI_Info info = MPI_INFO_NULL;
    int code = MPI_Win_get_info(win, &info);
    CHECK(code == MPI_SUCCESS && info != MPI_INFO_NULL, "MPI_Win_get_info: class %d",
          error_class(code));
    int found = info_value(info, key, value, sizeof value);
    MPI_Info_free(&info); /* the program's own to free */
    return found ? value : "(none)";
}

static void check_value(MPI_Win win, const char *key, const char *expected, const char *when)
{
    CHECK(strcmp(get(win, key), expected) == 0, "%s: %s is %s, not %s", when, key, get(win, key),
          expected);
}

/* Pairs of keys and values, ended by NULL. */
static MPI_Info info_of(const char *const *pairs)
{
    MPI_Info info;
    MPI_Info_create(&info);
    for (; *pairs; pairs += 2)
        MPI_Info_set(info, pairs[0], pairs[1]);
    return info;
}

static MPI_Win open_window(int kind, MPI_Info info, void **base)
{
    MPI_Win win;
    static int memory[16];
    if (kind == kind_allocate)
        MPI_Win_allocate(64, 4, info, MPI_COMM_WORLD, base, &win);
    else if (kind == kind_shared)
        MPI_Win_allocate_shared(64, 4, info, MPI_COMM_WORLD, base, &win);
    else if (kind == kind_create)
        MPI_Win_create(memory, 64, 4, info, MPI_COMM_WORLD, &win);
    else
        MPI_Win_create_dynamic(info, MPI_COMM_WORLD, &win);
    return win;
}

/* Nothing asked for: what the standard says holds then (MPI-4.1, 13.2.1). */
static void defaults(int kind)
{
    void *base;
    MPI_Win win = open_window(kind, MPI_INFO_NULL, &base);
    check_value(win, "no_locks", "false", "default");
    check_value(win, "accumulate_ordering", "rar,raw,war,waw", "default");
    check_value(win, "accumulate_ops", "same_op_no_op", "default");
    check_value(win, "same_size", "false", "default");
    check_value(win, "same_disp_unit", "false", "default");
    check_value(win, "mpi_accumulate_granularity", "0", "default");
    MPI_Win_free(&win);
}

static const char *const asked[] = {"no_locks",
                                    "true",
                                    "accumulate_ordering",
                                    "none",
                                    "accumulate_ops",
                                    "same_op",
                                    "mpi_accumulate_granularity",
                                    "8",
                                    "same_size",
                                    "true",
                                    "same_disp_unit",
                                    "true",
                                    "alloc_shared_noncontig",
                                    "true",
                                    "mpi_minimum_memory_alignment",
                                    "4096",
                                    "mpi_assert_memory_alloc_kinds",
                                    "system",
                                    "proa_has_no_such_key",
                                    "7",
                                    NULL};

static void check_asked(MPI_Win win, const char *when)
{
    for (const char *const *pair = asked; strcmp(pair[0], "proa_has_no_such_key") != 0; pair += 2)
        check_value(win, pair[0], pair[1], when);
    check_value(win, "proa_has_no_such_key", "(none)", when);
}

static void check_only_known_keys(MPI_Win win)
{
    MPI_Info info;
    int n, known = 0;
    char key[MPI_MAX_INFO_KEY + 1];
    MPI_Win_get_info(win, &info);
    MPI_Info_get_nkeys(info, &n);
    for (int i = 0; i < n; i++, known = 0) {
        MPI_Info_get_nthkey(info, i, key);
        for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++)
            known += strcmp(key, keys[k]) == 0;
        CHECK(known == 1, "MPI_Win_get_info has a key %s", key);
    }
    MPI_Info_free(&info);
}

/* The values asked for at creation; the program's info is not needed any longer. */
static void at_creation(int kind)
{
    MPI_Info info = info_of(asked);
    void *base = NULL;
    MPI_Win win = open_window(kind, info, &base);
    MPI_Info_free(&info);
    check_asked(win, kind_names[kind]);
    check_only_known_keys(win);
    CHECK((kind != kind_allocate && kind != kind_shared) || (uintptr_t)base % 4096 == 0,
          "%s: memory at %p is not aligned", kind_names[kind], base);
    MPI_Win_free(&win);
}

/* MPI_Win_set_info changes what can be changed of a living window, and ignores the rest. */
static void later(int kind)
{
    static const char *const changes[] = {"no_locks",
                                          "false",
                                          "accumulate_ordering",
                                          "rar,waw",
                                          "accumulate_ops",
                                          "same_op_no_op",
                                          "proa_has_no_such_key",
                                          "7",
                                          NULL};
    static const char *const fixed[] = {"alloc_shared_noncontig",
                                        "true",
                                        "mpi_minimum_memory_alignment",
                                        "8192",
                                        "mpi_accumulate_granularity",
                                        "16",
                                        "proa_adopt",
                                        "never",
                                        NULL};
    MPI_Info info = info_of(asked);
    void *base;
    MPI_Win win = open_window(kind, info, &base);
    MPI_Info_free(&info);
    info = info_of(changes);
    MPI_Win_set_info(win, info);
    MPI_Info_free(&info);
    for (int i = 0; i < 6; i += 2)
        check_value(win, changes[i], changes[i + 1], "after MPI_Win_set_info");
    check_value(win, "proa_has_no_such_key", "(none)", "after MPI_Win_set_info");
    check_value(win, "mpi_minimum_memory_alignment", "4096", "not in MPI_Win_set_info");
    MPI_Win_free(&win);
    win = open_window(kind, MPI_INFO_NULL, &base);
    info = info_of(fixed);
    MPI_Win_set_info(win, info);
    MPI_Info_free(&info);
    check_value(win, "alloc_shared_noncontig", "false", "what creation alone can do");
    check_value(win, "mpi_accumulate_granularity", "0", "what creation alone can do");
    check_value(win, "proa_adopt", "auto", "what creation alone can do");
    CHECK(strcmp(get(win, "mpi_minimum_memory_alignment"), "8192") != 0,
          "MPI_Win_set_info changes the alignment of memory");
    MPI_Win_free(&win);
}

/* Values that a key cannot have are ignored as well. */
static void nonsense(int kind, const char *ordering)
{
    const char *const pairs[] = {"no_locks",
                                 "perhaps",
                                 "accumulate_ordering",
                                 ordering,
                                 "accumulate_ops",
                                 "any",
                                 "mpi_accumulate_granularity",
                                 "-3",
                                 "mpi_minimum_memory_alignment",
                                 "48",
                                 "same_size",
                                 "1",
                                 NULL};
    MPI_Info info = info_of(pairs);
    void *base;
    MPI_Win win = open_window(kind, info, &base);
    MPI_Info_free(&info);
    check_value(win, "no_locks", "false", "nonsense");
    check_value(win, "accumulate_ordering", "rar,raw,war,waw", "nonsense");
    check_value(win, "accumulate_ops", "same_op_no_op", "nonsense");
    check_value(win, "mpi_accumulate_granularity", "0", "nonsense");
    check_value(win, "same_size", "false", "nonsense");
    CHECK(strcmp(get(win, "mpi_minimum_memory_alignment"), "48") != 0,
          "an alignment of 48 is said to be in force");
    MPI_Win_free(&win);
}

/* A value is kept whole or not at all, however long; and nothing else happens to the program. */
static void long_values(int kind)
{
    static const char *const names[] = {"mpi_assert_memory_alloc_kinds", "accumulate_ordering",
                                        "no_locks"};
    char longest[MPI_MAX_INFO_VAL];
    void *base;
    memset(longest, 'k', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    for (int i = 0; i < 3; i++) {
        const char *const pairs[] = {names[i], longest, NULL};
        MPI_Info info = info_of(pairs);
        MPI_Win win = open_window(kind, info, &base),
                other = open_window(kind, MPI_INFO_NULL, &base);
        MPI_Info_free(&info);
        char without[MPI_MAX_INFO_VAL + 1];
        strcpy(without, get(other, names[i]));
        CHECK(strcmp(get(win, names[i]), longest) == 0 || strcmp(get(win, names[i]), without) == 0,
              "a long value of %s: %s", names[i], get(win, names[i]));
        MPI_Win_free(&win);
        MPI_Win_free(&other);
    }
}

/* The alignment in force is one that the memory has, asked for or not, of any size. */
static void alignment(void)
{
    static const char *const odd[] = {"mpi_minimum_memory_alignment", "96", NULL};
    void *blocks[100];
    MPI_Info info = info_of(odd);
    for (int i = 0; i < 100; i++) {
        MPI_Alloc_mem(1000, info, &blocks[i]);
        CHECK((uintptr_t)blocks[i] % 64 == 0, "with an alignment of 96, memory is at %p",
              blocks[i]);
    }
    for (int i = 0; i < 100; i++)
        MPI_Free_mem(blocks[i]);
    MPI_Info_free(&info);
    for (int size = 1; size < 100000; size *= 7) {
        void *base;
        MPI_Win win;
        MPI_Win_allocate(size, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
        long in_force = atol(get(win, "mpi_minimum_memory_alignment"));
        CHECK(in_force > 0 && (uintptr_t)base % (uintptr_t)in_force == 0,
              "%d bytes at %p: alignment %ld in force", size, base, in_force);
        MPI_Win_free(&win);
    }
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    for (int kind = 0; kind < nkinds; kind++) {
        defaults(kind);
        at_creation(kind);
        later(kind);
        nonsense(kind, "sideways");
        nonsense(kind, "warr,,w");
        nonsense(kind, "raw,,waw");
        nonsense(kind, "rar,waw,rar");
        long_values(kind);
    }
    alignment();
    return finish("info");
}
