/* SPDX-License-Identifier: BSD-3-Clause */
/* Windows of every flavor (create/create.c), with 1 to 5 processes. */
#include "move.h"
#include "windows.h"

#include "base/fail.h"
#include "create/create.h"
#include "create/start.h"
#include "rma/regions.h"
#include "shm/arena.h"
#include "shm/ctl.h"
#include "sync/pair.h"
#include "rma/place.h"
#include "rma/road.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include <cmocka.h>

/* ---- shapes: sizes and units that differ from rank to rank, nothing at all, alignment ---- */

static void own_shapes(struct world *world, enum proa_flavor flavor, int noncontig)
{
    int me = world->rank, n = world->size, right = (me + 1) % n;
    uint64_t bytes = me % 2 ? 0 : 100 * (uint64_t)(me + 1); /* odd ranks: nothing */
    struct proa_create_args args = {
        .flavor = flavor, .bytes = bytes, .disp_unit = me + 1, .noncontig = noncontig};
    struct proa_win *win;
    char value = (char)(me + 1);

    if (flavor == PROA_FLAVOR_CREATE && bytes)
        args.base = calloc(bytes, 1);
    win = window_create(world, &args);
    if (flavor != PROA_FLAVOR_CREATE && bytes)
        memset(win->base, 0, bytes);
    CHECK_OK(proa_win_fence(win, 0));
    for (int rank = 0; rank < n; rank++) {
        CHECK_EQUAL(win->targets[rank].bytes, rank % 2 ? 0 : 100 * (rank + 1));
        CHECK_EQUAL(win->targets[rank].disp_unit, rank + 1);
        /* there a part of no bytes has a place as well */
        if (flavor != PROA_FLAVOR_SHARED || noncontig)
            CHECK_EQUAL(!proa_win_load_store(win, rank),
                        rank % 2 || (flavor == PROA_FLAVOR_CREATE && rank != me));
    }
    if (right % 2)
        CHECK_FAILS(put_many(win, right, 0, &value, 1, PROA_I8), PROA_ERR_RMA_RANGE);
    /* in the target's units: its last element's first byte */
    else
        CHECK_OK(put_many(win, right, 99, &value, 1, PROA_I8));
    CHECK_OK(proa_win_fence(win, PROA_MODE_NOSUCCEED));
    if (bytes)
        for (uint64_t i = 0; i < bytes; i++)
            CHECK_EQUAL(((char *)win->base)[i],
                        i == 99 * (uint64_t)(me + 1) ? (char)((me + n - 1) % n + 1) : 0);
    window_free(win);
    free(args.base);
}

static void shapes_body(struct world *world)
{
    own_shapes(world, PROA_FLAVOR_CREATE, 0);
    own_shapes(world, PROA_FLAVOR_ALLOCATE, 0);
    own_shapes(world, PROA_FLAVOR_SHARED, 0);
    own_shapes(world, PROA_FLAVOR_SHARED, 1);
}

static void shapes(void **state)
{
    (void)state;

    world_needs_kernel();
    on_all_sizes(shapes_body, NULL);
}

/* No process has any memory; still a window, with all its synchronization. */
static void empty_body(struct world *world)
{
    static const enum proa_flavor flavors[] = {PROA_FLAVOR_CREATE, PROA_FLAVOR_ALLOCATE,
                                               PROA_FLAVOR_DYNAMIC, PROA_FLAVOR_SHARED};

    for (int i = 0; i < 4; i++) {
        struct proa_create_args args = {.flavor = flavors[i], .disp_unit = 1};
        struct proa_win *win = window_create(world, &args);
        int64_t value = 0;
        CHECK_OK(proa_win_fence(win, 0));
        CHECK_FAILS(put_word(win, 0, 0, value), PROA_ERR_RMA_RANGE);
        CHECK_OK(put_many(win, 0, 0, NULL, 0, PROA_I8));
        CHECK_OK(proa_win_fence(win, PROA_MODE_NOSUCCEED));
        CHECK_OK(proa_win_lock(win, 0, 1, 0));
        CHECK_OK(proa_win_unlock(win, 0));
        window_free(win);
    }
}

static void empty(void **state)
{
    (void)state;

    world_needs_kernel();
    on_all_sizes(empty_body, NULL);
}

static void alignment_body(struct world *world)
{
    for (size_t align = 0; align <= 1 << 21; align = align ? 2 * align : 8)
        for (int flavor = PROA_FLAVOR_ALLOCATE; flavor <= PROA_FLAVOR_SHARED; flavor += 2) {
            struct proa_create_args args = {.flavor = (enum proa_flavor)flavor,
                                            .bytes = 100,
                                            .disp_unit = 1,
                                            .align = align,
                                            .noncontig = 1};
            struct proa_win *win = window_create(world, &args);
            CHECK_EQUAL((uintptr_t)win->base % (align ? align : 64), 0);
            window_free(win);
        }
}

static void alignment(void **state)
{
    (void)state;
    assert_int_equal(PROA_FLAVOR_SHARED, PROA_FLAVOR_ALLOCATE + 2);
    world_run(&(struct world_plan){.size = 2, .body = alignment_body});
}

/* Contiguous shared memory: rank by rank without a gap, in every process; a plain store of one is
 * seen by all. */
static void contiguous_body(struct world *world)
{
    int n = world->size;
    struct proa_create_args args = {
        .flavor = PROA_FLAVOR_SHARED, .bytes = 8 * (uint64_t)(world->rank + 1), .disp_unit = 8};
    struct proa_win *win = window_create(world, &args);
    int64_t *own = (int64_t *)(void *)proa_win_load_store(win, world->rank),
            *first = (int64_t *)(void *)proa_win_load_store(win, 0);

    CHECK_EQUAL((void *)own, win->base);
    for (int rank = 1; rank < n; rank++)
        CHECK_EQUAL(proa_win_load_store(win, rank),
                    proa_win_load_store(win, rank - 1) + win->targets[rank - 1].bytes);
    for (int i = 0; i <= world->rank; i++)
        own[i] = 100 * world->rank + i;
    CHECK_OK(proa_win_fence(win, 0));
    for (int rank = 0, k = 0; rank < n; rank++)
        for (int i = 0; i <= rank; i++, k++)
            CHECK_EQUAL(first[k], 100 * rank + i);
    CHECK_OK(proa_win_fence(win, PROA_MODE_NOSUCCEED));
    window_free(win);
}

static void contiguous(void **state)
{
    (void)state;
    on_all_sizes(contiguous_body, NULL);
}

/* Memory of its own is what some ask for, on one of the ranks or on all but one: all have one
 * piece, and what was allocated before that was known goes back. The largest alignment that a rank
 * asks for is that of the piece. */
static void asked_by_some_body(struct world *world)
{
    void *before;

    window_free(window_of_words(world, 4));
    before = next_block();
    for (int alone = 0; alone < world->size; alone++)
        for (int other = 0; other < 2; other++) {
            struct proa_create_args args = {
                .flavor = PROA_FLAVOR_SHARED, .bytes = 100, .disp_unit = 1};
            struct proa_win *win;
            args.noncontig = (world->rank == alone) != other;
            args.align = world->rank == alone ? 1 << 16 : 0;
            win = window_create(world, &args);
            CHECK_EQUAL(win->contiguous, world->size > 1 || other);
            for (int rank = 1; rank < world->size; rank++)
                CHECK_EQUAL(proa_win_load_store(win, rank),
                            proa_win_load_store(win, 0) + 100 * rank);
            if (world->rank == 0)
                CHECK_EQUAL((uintptr_t)win->base % (1 << 16), 0);
            window_free(win);
            CHECK_EQUAL(next_block(), before);
        }
}

static void asked_by_some(void **state)
{
    (void)state;
    on_all_sizes(asked_by_some_body, NULL);
}

/* The neighbour's part of a shared window, given to another: the place is the same as in the first,
 * owner and key with it, for each process through each window, and owners are held as long as one
 * of these is there. */
static void lent_body(struct world *world)
{
    int n = world->size, right = (world->rank + 1) % n;
    struct proa_create_args args = {.flavor = PROA_FLAVOR_SHARED,
                                    .bytes = 8 * WORDS,
                                    .disp_unit = 8,
                                    .noncontig = *(const int *)world->arg};
    struct proa_win *first = window_create(world, &args), *lent, *dynamic;
    struct proa_peer *last_owner = first->targets[n - 1].only.owner;
    int64_t *memory = (int64_t *)(void *)proa_win_load_store(first, right), address[WORLD_MOST],
            mine = (int64_t)(uintptr_t)memory;
    struct proa_place place, expected;
    int holders;

    args = (struct proa_create_args){
        .flavor = PROA_FLAVOR_CREATE, .base = memory, .bytes = 8 * WORDS, .disp_unit = 8};
    lent = window_create(world, &args);
    dynamic = window_create(
        world, &(struct proa_create_args){.flavor = PROA_FLAVOR_DYNAMIC, .disp_unit = 1});
    CHECK_OK(proa_regions_attach(dynamic, memory, 8 * WORDS));
    CHECK_EQUAL(world->group.allgather(world->group.context, &mine, address, sizeof mine), 0);
    CHECK_EQUAL(lent->base, memory);
    for (int rank = 0; rank < n; rank++)
        for (int way = 0; way < 2; way++) {
            CHECK_OK(proa_place_find(first, (rank + 1) % n, 7, 0, 8, &expected));
            if (way == 0)
                CHECK_OK(proa_place_find(lent, rank, 7, 0, 8, &place));
            else
                CHECK_OK(proa_place_find(dynamic, rank, address[rank] + 56, 0, 8, &place));
            CHECK_EQUAL(place.span.road, PROA_ROAD_STORE);
            CHECK_EQUAL(proa_span_here(&place.span, place.at),
                        proa_span_here(&expected.span, expected.at));
            CHECK_EQUAL(place.span.owner, expected.span.owner);
            CHECK_EQUAL(proa_span_key(&place.span, place.at),
                        proa_span_key(&expected.span, expected.at));
        }
    holders = __atomic_load_n(&last_owner->holders, __ATOMIC_RELAXED);
    window_free(lent);
    window_free(dynamic);
    /* as a member of both, and for its memory where another gave that */
    CHECK(__atomic_load_n(&last_owner->holders, __ATOMIC_RELAXED) <= holders - 2 - (n > 1));
    window_free(first);
    CHECK_EQUAL(__atomic_load_n(&last_owner->holders, __ATOMIC_RELAXED), 0);
}

static void lent(void **state)
{
    static const int noncontig[] = {0, 1};
    (void)state;

    world_needs_kernel();
    for (int i = 0; i < 2; i++)
        on_all_sizes(lent_body, &noncontig[i]);
}

/* Large windows live in segments that the neighbours have not mapped yet. */
static void further_segments_body(struct world *world)
{
    int right = (world->rank + 1) % world->size;
    struct proa_create_args args = {
        .flavor = PROA_FLAVOR_ALLOCATE, .bytes = 40 << 20, .disp_unit = 1};
    struct proa_win *wins[4];
    char value = 9;

    for (int i = 0; i < 4; i++) {
        wins[i] = window_create(world, &args);
        CHECK_OK(proa_win_fence(wins[i], 0));
        CHECK_OK(put_many(wins[i], right, (40 << 20) - 1, &value, 1, PROA_I8));
        CHECK_OK(proa_win_fence(wins[i], PROA_MODE_NOSUCCEED));
        CHECK_EQUAL(((char *)wins[i]->base)[(40 << 20) - 1], 9);
    }
    for (int i = 0; i < 4; i++)
        window_free(wins[i]);
}

WORLD_TEST(further_segments, 3)

/* What one of these windows takes of the arena, by where the next one lies, and of malloc. */
static uint64_t bytes_of_a_window(struct world *world, struct proa_win **win)
{
    const struct proa_create_args args = {
        .flavor = PROA_FLAVOR_ALLOCATE, .bytes = 64, .disp_unit = 8};
    const char *before = (const char *)win[0]->ctl;
    uint64_t own = world_malloc_bytes();

    *++win = window_create(world, &args);
    return world_malloc_bytes() - own + (uint64_t)((const char *)(*win)->ctl - before);
}

/* A small window takes little for any number of processes, and little more for each. */
static void small_body(struct world *world)
{
    enum { APART = 24 * PROA_CACHE_LINE, EACH = 4 * PROA_CACHE_LINE };
    struct proa_win *win[5] = {window_of_words(world, 8)};
    uint64_t bytes = 0;

    for (int i = 0; i < 4; i++) /* the first ones bring what is there once */
        bytes = bytes_of_a_window(world, &win[i]);
    if (!WORLD_SANITIZED) { /* a sanitizer's malloc keeps no such accounts */
        CHECK(bytes > sizeof(struct proa_win) + proa_block_bytes(world->size)); /* or not counted */
        CHECK(bytes <= APART + EACH * (uint64_t)world->size);
    }
    for (int i = 0; i < 5; i++)
        window_free(win[i]);
}

static void small(void **state)
{
    (void)state;
    for (int size = 1; size <= 16; size *= 2)
        world_run(&(struct world_plan){.size = size, .body = small_body});
}

/* Many windows at once share files and mappings; all memory comes back. */
static void many_windows_body(struct world *world)
{
    enum { MANY = 2000 };
    int count = (int)world_rounds(MANY);
    struct proa_create_args args = {.flavor = PROA_FLAVOR_ALLOCATE, .bytes = 256, .disp_unit = 8};
    struct proa_win **wins = calloc(MANY, sizeof(struct proa_win *)),
                    *win = window_create(world, &args);
    long files = world_open_files(), mappings = world_mappings("memfd:proa");
    void *ctl = win->ctl, *base = win->base;

    window_free(win);
    for (int i = 0; i < count; i++) {
        wins[i] = window_create(world, &args);
        if (i == count / 10) /* some segments later */
            mappings = world_mappings("memfd:proa");
    }
    CHECK(world_open_files() <= files + 1);
    CHECK(world_mappings("memfd:proa") <= mappings + world->size);
    for (int i = 0; i < count; i++)
        window_free(wins[i * 7 % count]);
    win = window_create(world, &args);
    CHECK(win->ctl == ctl || win->ctl == base); /* the same places as in the beginning */
    window_free(win);
    free(wins);
}

WORLD_TEST(many_windows, 3)

/* A window on some of the processes, and on all in another order: ranks are the window's. */
static void other_order_body(struct world *world)
{
    struct proa_group all = world->group;
    struct proa_win *win;
    struct proa_create_args args = {.flavor = PROA_FLAVOR_ALLOCATE, .bytes = 8, .disp_unit = 8};

    world->rank = world->size - 1 - world->rank; /* the fake exchange goes by this too */
    world->group.rank = world->rank;
    win = window_create(world, &args);
    CHECK_OK(proa_win_fence(win, 0));
    CHECK_OK(put_word(win, (world->rank + 1) % world->size, 0, world->rank));
    CHECK_OK(proa_win_fence(win, PROA_MODE_NOSUCCEED));
    CHECK_EQUAL(window_words(win)[0], (world->rank + world->size - 1) % world->size);
    window_free(win);
    world->rank = all.rank;
    world->group = all;
}

static void other_order(void **state)
{
    (void)state;
    on_all_sizes(other_order_body, NULL);
}

/* ---- other processes may read our private memory (linked with --wrap=prctl) ---- */

static int allowed; /* how often */

int __real_prctl(int option, ...);
int __wrap_prctl(int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d);
int __wrap_prctl(int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d)
{
    allowed += option == PR_SET_PTRACER;
    return __real_prctl(option, a, b, c, d);
}

static struct proa_group inner;

/* An exchange after which others may try: access has to be allowed by then. */
static int allowed_allgather(void *context, const void *mine, void *all, size_t bytes)
{
    CHECK_EQUAL(allowed, 1);
    return inner.allgather(context, mine, all, bytes);
}

static void private_memory_body(struct world *world)
{
    int flavor = *(const int *)world->arg;
    struct proa_create_args args = {.flavor = (enum proa_flavor)flavor, .disp_unit = 1};
    struct proa_group group = inner = world->group;
    struct proa_win *win;
    static char fixed[100];
    char *lent = proa_arena_alloc(100, 0);

    for (int shared = PROA_FLAVOR_ALLOCATE; shared <= PROA_FLAVOR_SHARED; shared += 2)
        window_free(window_create(
            world, &(struct proa_create_args){
                       .flavor = (enum proa_flavor)shared, .bytes = 100, .disp_unit = 1}));
    window_free(window_create(
        world, &(struct proa_create_args){
                   .flavor = PROA_FLAVOR_CREATE, .base = lent, .bytes = 100, .disp_unit = 1}));
    CHECK_EQUAL(allowed, 0); /* not needed */
    if (flavor == PROA_FLAVOR_CREATE) {
        args.base = fixed;
        args.bytes = sizeof fixed;
    }
    group.allgather = allowed_allgather;
    for (int i = 0; i < 2; i++) {
        CHECK_OK(proa_win_create(&args, &group, &win));
        window_free(win);
    }
    CHECK_EQUAL(allowed, 1); /* once is enough */
    CHECK(proa_arena_free(lent));
}

static void private_memory(void **state)
{
    static const int flavors[] = {PROA_FLAVOR_CREATE, PROA_FLAVOR_DYNAMIC};
    (void)state;

    for (int i = 0; i < 2; i++)
        world_run(&(struct world_plan){
            .size = 2, .body = private_memory_body, .kernel = 1, .arg = &flavors[i]});
}

/* ---- nodes ---- */

static void other_node(struct world *world)
{
    int alone = *(const int *)world->arg;

    setenv("PROA_NODE_ID", world->rank == alone ? "another" : "here", 1);
    setenv("PROA_LOG", "0", 1);
}

static void elsewhere_body(struct world *world)
{
    void *before = next_block();

    for (int flavor = PROA_FLAVOR_CREATE; flavor <= PROA_FLAVOR_SHARED; flavor++) {
        struct proa_create_args args = {.flavor = (enum proa_flavor)flavor, .disp_unit = 1};
        struct proa_win *win = NULL;
        CHECK_EQUAL(proa_win_create(&args, &world->group, &win),
                    flavor == PROA_FLAVOR_SHARED ? PROA_ERR_RMA_SHARED : PROA_ELSEWHERE);
        CHECK(strstr(proa_failure(), "different nodes"));
        CHECK(!win);
        CHECK_EQUAL(next_block(), before);
        /* A wrong argument is one on any number of nodes. */
        args.error = world->rank == 0 ? PROA_ERR_DISP : 0;
        CHECK_EQUAL(proa_win_create(&args, &world->group, &win), PROA_ERR_DISP);
        CHECK(!win);
    }
}

static void elsewhere(void **state)
{
    (void)state;
    for (int size = 2; size <= 5; size++)
        for (int alone = 0; alone < size; alone += size - 1)
            world_run(&(struct world_plan){.size = size,
                                           .before = other_node,
                                           .body = elsewhere_body,
                                           .kernel = 1,
                                           .arg = &alone});
}

/* The exchange of a world of three whose last process has a processor of another byte order. */
static struct proa_group sound;

static int exchange_with_stranger(void *context, const void *mine, void *all, size_t bytes)
{
    int error = sound.allgather(context, mine, all, bytes);
    struct proa_card *cards = all;

    if (!error && bytes == sizeof *cards)
        cards[2].order = __builtin_bswap64(cards[2].order);
    return error;
}

static void byte_orders_body(struct world *world)
{
    struct proa_group group = world->group;
    struct proa_create_args args = {.flavor = PROA_FLAVOR_ALLOCATE, .bytes = 8, .disp_unit = 1};
    struct proa_win *win = NULL;
    void *before = next_block();

    sound = world->group;
    group.allgather = exchange_with_stranger;
    CHECK_EQUAL(proa_win_create(&args, &group, &win), PROA_ELSEWHERE);
    CHECK(strstr(proa_failure(), "ranks 0 and 2 have processors of different byte orders"));
    CHECK(!win);
    CHECK_EQUAL(next_block(), before);
}

WORLD_TEST(byte_orders, 3)

static void same_node(struct world *world)
{
    (void)world;
    setenv("PROA_NODE_ID", "one and the same", 1);
}

static void one_node_body(struct world *world)
{
    window_free(window_of_words(world, 4));
}

WORLD_TEST(one_node, 3, .before = same_node)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes),        cmocka_unit_test(empty),
        cmocka_unit_test(alignment),     cmocka_unit_test(contiguous),
        cmocka_unit_test(other_order),   cmocka_unit_test(further_segments),
        cmocka_unit_test(small),         cmocka_unit_test(many_windows),
        cmocka_unit_test(asked_by_some), cmocka_unit_test(private_memory),
        cmocka_unit_test(lent),          cmocka_unit_test(elsewhere),
        cmocka_unit_test(byte_orders),   cmocka_unit_test(one_node),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
