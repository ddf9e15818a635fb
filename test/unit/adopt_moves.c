/* SPDX-License-Identifier: BSD-3-Clause */
/* Adoption (adopt/adopt.h): memory that is moved, used, moved back and moved again. */
#include "world.h"
#include "adopt_pages.h"

#include "adopt/adopt.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

/* ---- memory comes, stays, goes ---- */

static void whole_body(struct world *world)
{
    const uint64_t bytes = 5 * MIB + world_pages(3);
    char *memory = map_pages(bytes), *side;
    struct proa_hold h, part;

    (void)world;
    fill(memory, bytes, 1);
    hold(&h, memory + 100, bytes - 200);
    CHECK_EQUAL(proa_adopt_bytes(&h), bytes - 200);
    CHECK_EQUAL(h.count, 1);
    check_filled(memory, bytes, 1);
    side = other_side(memory, bytes);
    check_filled(side, bytes, 1);
    memory[70000] ^= 1;
    CHECK_EQUAL(side[70000], memory[70000]);
    memory[70000] ^= 1;

    hold(&part, memory + world_pages(3), world_pages(1)); /* a second user of some of it */
    CHECK_EQUAL(part.count, 1);
    proa_adopt_drop(&h);
    check_filled(memory, bytes, 1);
    side[world_pages(3) + 5] ^= 1;
    CHECK_EQUAL(side[world_pages(3) + 5], memory[world_pages(3) + 5]);
    side[world_pages(3) + 5] ^= 1;
    side[world_pages(2)] ^= 1;
    CHECK(side[world_pages(2)] != memory[world_pages(2)]);
    side[world_pages(2)] ^= 1;
    proa_adopt_drop(&part);
    check_filled(memory, bytes, 1);
    munmap(side, bytes);
    munmap(memory, bytes);
}
WORLD_TEST(whole, 1, .kernel = 1)

/* By default a page moves only if every byte of it is the window's, or a header of malloc's and
 * then the window. */
static void own_pages_body(struct world *world)
{
    char *memory = map_pages(world_pages(8));
    uint64_t *words = (uint64_t *)(void *)memory, at = (uint64_t)(uintptr_t)memory;
    struct proa_hold h;

    (void)world;
    fill(memory, world_pages(8), 1);
    CHECK_OK(proa_adopt_hold(&h, memory + 16, world_pages(4), PROA_ADOPT_AUTO));
    CHECK_EQUAL(h.count, 3);
    CHECK_EQUAL(h.piece[0].end, at + world_pages(1));
    CHECK_EQUAL(h.piece[1].end, at + world_pages(4));
    CHECK_EQUAL(h.piece[2].end, at + world_pages(4) + 16);
    CHECK_EQUAL(proa_adopt_bytes(&h), world_pages(3));
    proa_adopt_drop(&h);

    CHECK_OK(
        proa_adopt_hold(&h, memory + 5, world_pages(1), PROA_ADOPT_AUTO)); /* no page of its own */
    CHECK_EQUAL(proa_adopt_bytes(&h), 0);
    CHECK(h.why);
    proa_adopt_drop(&h);

    words[0] = 0; /* as malloc has it */
    words[1] = world_pages(8) | 2;
    CHECK_OK(proa_adopt_hold(&h, memory + 16, world_pages(4), PROA_ADOPT_AUTO));
    CHECK_EQUAL(h.count, 2);
    CHECK_EQUAL(h.piece[0].end, at + world_pages(4));
    CHECK_EQUAL(words[1], world_pages(8) | 2);
    proa_adopt_drop(&h);
    munmap(memory, world_pages(8));
}
WORLD_TEST(own_pages, 1, .kernel = 1)

/* The program's advice to the kernel, before and while a window has its memory, holds after.
 */
static void told_body(struct world *world)
{
    enum { BYTES = 4 * MIB };
    char *memory = map_pages(BYTES);
    struct proa_hold h;

    (void)world;
    fill(memory, BYTES, 1);
    CHECK(madvise(memory + world_pages(1), world_pages(1), MADV_DONTFORK) == 0);
    CHECK(madvise(memory + world_pages(3), world_pages(1), MADV_DONTDUMP) == 0);
    hold(&h, memory, BYTES);
    CHECK_EQUAL(proa_adopt_bytes(&h), BYTES);
    CHECK_EQUAL(h.count, 1);
    CHECK(mprotect(memory + world_pages(5), world_pages(1), PROT_READ) == 0);
    proa_adopt_drop(&h);
    check_filled(memory, BYTES, 1);
    CHECK_EQUAL(world_flags(memory + world_pages(1), "dc"), 1);
    CHECK_EQUAL(world_flags(memory + world_pages(2), "dc"), 0);
    CHECK_EQUAL(world_flags(memory + world_pages(3), "dd"), 1);
    CHECK_EQUAL(world_flags(memory + world_pages(4), "dd"), 0);
    CHECK_EQUAL(world_flags(memory + world_pages(5), "wr"), 0);
    CHECK_EQUAL(world_flags(memory + world_pages(6), "wr"), 1);
    munmap(memory, BYTES);
}
WORLD_TEST(told, 1, .kernel = 1)

/* Where malloc would have the head of a heap is a number that is no address: it moves like all. */
static void no_heap_body(struct world *world)
{
    const uint64_t heap = 64 * MIB;
    char *memory = map_pages(heap);
    uint64_t border = ((uint64_t)(uintptr_t)memory + heap - 1) / heap * heap;
    struct proa_hold h;

    (void)world;
    *(uint64_t *)(uintptr_t)border = 5;
    hold(&h, memory, heap);
    CHECK_EQUAL(h.count, 1);
    CHECK_EQUAL(*(uint64_t *)(uintptr_t)border, 5);
    proa_adopt_drop(&h);
    munmap(memory, heap);
}
WORLD_TEST(no_heap, 1)

/* Memory that was never touched takes none in the file, and is there when it is. */
static void untouched_body(struct world *world)
{
    enum { BYTES = 64 * MIB };
    char *memory = map_pages(BYTES);
    struct proa_hold h;

    (void)world;
    madvise(memory, BYTES, MADV_NOHUGEPAGE); /* a large page is one in the file too */
    memory[10 * MIB] = 5;
    memset(memory + 12 * MIB, 0, MIB); /* touched, with nothing in them */
    hold(&h, memory, BYTES);
    CHECK_EQUAL(h.count, 1);
    CHECK(file_blocks() <= (long)world_pages(2) / 512);
    CHECK_EQUAL(memory[10 * MIB], 5);
    CHECK_EQUAL(memory[30 * MIB], 0);
    memory[20 * MIB] = 6;
    proa_adopt_drop(&h);
    CHECK_EQUAL(file_blocks(), 0);
    CHECK_EQUAL(memory[10 * MIB], 5);
    CHECK_EQUAL(memory[20 * MIB], 6);
    munmap(memory, BYTES);
}
WORLD_TEST(untouched, 1)

/* The program unmaps memory that a window still has, and gets other memory there. */
static void again_body(struct world *world)
{
    const uint64_t bytes = world_pages(16);
    char *memory = map_pages(bytes), *side;
    struct proa_hold old, new;

    (void)world;
    fill(memory, bytes, 1);
    hold(&old, memory, bytes);
    munmap(memory, bytes);
    CHECK(mmap(memory, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
               0) == memory);
    fill(memory, bytes, 2);
    hold(&new, memory, bytes);
    CHECK_EQUAL(proa_adopt_bytes(&new), bytes);
    check_filled(memory, bytes, 2);
    side = other_side(memory, bytes);
    check_filled(side, bytes, 2);
    munmap(side, bytes);
    proa_adopt_drop(&new);
    check_filled(memory, bytes, 2);
    munmap(memory, bytes);
    CHECK(mmap(memory, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
               0) == memory);
    fill(memory, bytes, 3);
    proa_adopt_drop(&old); /* it has no business with the memory that is there now */
    check_filled(memory, bytes, 3);
    munmap(memory, bytes);
}
WORLD_TEST(again, 1, .kernel = 1)

/* Nothing grows with the number of windows. */
static void often_body(struct world *world)
{
    enum { PAGES = 64 };
    const uint64_t all = world_pages(PAGES);
    char *memory = map_pages(all), *heap = malloc(all);
    uint64_t seed = 1;
    long rounds = world_rounds(4000), mappings = 0, files = 0;

    (void)world;
    CHECK(heap);
    fill(memory, all, 1);
    for (long i = 0; i < rounds; i++) {
        uint64_t from = world_below(&seed, all - 1), bytes = 1 + world_below(&seed, world_pages(1));
        char *at = (i & 1 ? memory : heap) + from;
        struct proa_hold one, two;

        if (from + bytes > all)
            bytes = all - from;
        hold(&one, at, bytes);
        CHECK_EQUAL(proa_adopt_bytes(&one), bytes);
        hold(&two, memory + world_pages(5), 3);
        proa_adopt_drop(i & 2 ? &one : &two);
        proa_adopt_drop(i & 2 ? &two : &one);
        if (i == rounds / 2) {
            mappings = world_mappings("");
            files = world_open_files();
        }
    }
    check_filled(memory, all, 1);
    CHECK(world_mappings("") <= mappings + 2 * PAGES);
    CHECK_EQUAL(world_open_files(), files);
    CHECK_EQUAL(file_blocks(), 0);
    free(heap);
    munmap(memory, all);
}
WORLD_TEST(often, 1, .kernel = 1, .limit_s = 120)

/* ---- memory that the program moves by itself ---- */

/* Moves it to an address where nothing is mapped (mremap). */
static char *move_away(char *memory, uint64_t bytes)
{
    char *place = map_pages(bytes);

    CHECK(munmap(place, bytes) == 0);
    CHECK(mremap(memory, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, place) == place);
    return place;
}

/* Memory that has come back where the program has moved it, with the advice that was given. */
static void check_private(const char *place, uint64_t bytes, uint64_t seed)
{
    check_filled(place, bytes, seed);
    CHECK_EQUAL(world_flags(place, "sh"), 0);
    CHECK_EQUAL(world_flags(place + world_pages(1), "dd"), 1);
    CHECK_EQUAL(world_flags(place + world_pages(2), "dd"), 0);
}

/* The program moves memory that a window has, makes a window of the new place, and one of other
 * memory at the old place. */
static void elsewhere_body(struct world *world)
{
    const uint64_t bytes = 3 * MIB + world_pages(1);
    char *memory = map_pages(bytes), *place;
    struct proa_hold old, new, other;

    (void)world;
    fill(memory, bytes, 1);
    CHECK(madvise(memory + world_pages(1), world_pages(1), MADV_DONTDUMP) == 0);
    hold(&old, memory, bytes);
    place = move_away(memory, bytes);
    check_filled(place, bytes, 1);
    hold(&new, place, bytes);
    CHECK_EQUAL(proa_adopt_bytes(&new), 0); /* its offset in the file is the old place's */
    CHECK(new.why);
    fill(place, bytes, 2);
    proa_adopt_drop(&new);
    check_filled(place, bytes, 2);

    CHECK(mmap(memory, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
               0) == memory);
    fill(memory, bytes, 3);
    hold(&other, memory, bytes);
    CHECK_EQUAL(proa_adopt_bytes(&other), bytes);
    fill(memory, bytes, 4);
    check_private(place, bytes, 2);
    proa_adopt_drop(&old);
    proa_adopt_drop(&other);
    check_filled(memory, bytes, 4);
    check_private(place, bytes, 2);
    CHECK_EQUAL(file_blocks(), 0);
    munmap(place, bytes);
    munmap(memory, bytes);
}
WORLD_TEST(elsewhere, 1, .kernel = 1)

/* Only some of the memory is moved, some is unmapped, and the window ends. */
static void torn_body(struct world *world)
{
    enum { BYTES = 4 * MIB, MOVED = 2 * MIB };
    const uint64_t first = MIB + world_pages(1);
    char *memory = map_pages(BYTES), *place;
    long mappings = world_mappings("memfd:proa");
    struct proa_hold h;

    (void)world;
    fill(memory, first, 1);
    fill(memory + first, MOVED, 2);
    fill(memory + first + MOVED, BYTES - first - MOVED, 3);
    CHECK(madvise(memory + first + world_pages(1), world_pages(1), MADV_DONTDUMP) == 0);
    hold(&h, memory, BYTES);
    CHECK_EQUAL(proa_adopt_bytes(&h), BYTES);
    place = move_away(memory + first, MOVED);
    munmap(memory, world_pages(1));
    proa_adopt_drop(&h);
    check_private(place, MOVED, 2);
    check_filled(memory + first + MOVED, BYTES - first - MOVED, 3);
    CHECK_EQUAL(memory[world_pages(1)], (char)(1 + world_pages(1) * 7 + world_pages(1) / 4093));
    CHECK_EQUAL(file_blocks(), 0);
    CHECK_EQUAL(world_mappings("memfd:proa"), mappings);
    munmap(place, MOVED);
    munmap(memory, BYTES);
}
WORLD_TEST(torn, 1, .kernel = 1)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole),   cmocka_unit_test(own_pages), cmocka_unit_test(told),
        cmocka_unit_test(no_heap), cmocka_unit_test(untouched), cmocka_unit_test(again),
        cmocka_unit_test(often),   cmocka_unit_test(elsewhere), cmocka_unit_test(torn),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
