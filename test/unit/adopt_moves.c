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
    enum { BYTES = 5 * MIB + 3 * PAGE };
    char *memory = map_pages(BYTES), *side;
    struct proa_hold h, part;

    (void)world;
    fill(memory, BYTES, 1);
    hold(&h, memory + 100, BYTES - 200);
    CHECK_EQUAL(proa_adopt_bytes(&h), BYTES - 200);
    CHECK_EQUAL(h.count, 1);
    check_filled(memory, BYTES, 1);
    side = other_side(memory, BYTES);
    check_filled(side, BYTES, 1);
    memory[70000] ^= 1;
    CHECK_EQUAL(side[70000], memory[70000]);
    memory[70000] ^= 1;

    hold(&part, memory + 3 * PAGE, PAGE); /* a second user of some of it */
    CHECK_EQUAL(part.count, 1);
    proa_adopt_drop(&h);
    check_filled(memory, BYTES, 1);
    side[3 * PAGE + 5] ^= 1;
    CHECK_EQUAL(side[3 * PAGE + 5], memory[3 * PAGE + 5]);
    side[3 * PAGE + 5] ^= 1;
    side[2 * PAGE] ^= 1;
    CHECK(side[2 * PAGE] != memory[2 * PAGE]);
    side[2 * PAGE] ^= 1;
    proa_adopt_drop(&part);
    check_filled(memory, BYTES, 1);
    munmap(side, BYTES);
    munmap(memory, BYTES);
}
WORLD_TEST(whole, 1, .kernel = 1)

/* By default a page moves only if every byte of it is the window's, or a header of malloc's and
 * then the window. */
static void own_pages_body(struct world *world)
{
    char *memory = map_pages(8 * PAGE);
    uint64_t *words = (uint64_t *)(void *)memory, at = (uint64_t)(uintptr_t)memory;
    struct proa_hold h;

    (void)world;
    fill(memory, 8 * PAGE, 1);
    CHECK_OK(proa_adopt_hold(&h, memory + 16, 4 * PAGE, PROA_ADOPT_AUTO));
    CHECK_EQUAL(h.count, 3);
    CHECK_EQUAL(h.piece[0].end, at + PAGE);
    CHECK_EQUAL(h.piece[1].end, at + 4 * PAGE);
    CHECK_EQUAL(h.piece[2].end, at + 4 * PAGE + 16);
    CHECK_EQUAL(proa_adopt_bytes(&h), 3 * PAGE);
    proa_adopt_drop(&h);

    CHECK_OK(proa_adopt_hold(&h, memory + 5, PAGE, PROA_ADOPT_AUTO)); /* no page of its own */
    CHECK_EQUAL(proa_adopt_bytes(&h), 0);
    CHECK(h.why);
    proa_adopt_drop(&h);

    words[0] = 0; /* as malloc has it */
    words[1] = 8 * PAGE | 2;
    CHECK_OK(proa_adopt_hold(&h, memory + 16, 4 * PAGE, PROA_ADOPT_AUTO));
    CHECK_EQUAL(h.count, 2);
    CHECK_EQUAL(h.piece[0].end, at + 4 * PAGE);
    CHECK_EQUAL(words[1], 8 * PAGE | 2);
    proa_adopt_drop(&h);
    munmap(memory, 8 * PAGE);
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
    CHECK(madvise(memory + PAGE, PAGE, MADV_DONTFORK) == 0);
    CHECK(madvise(memory + 3 * PAGE, PAGE, MADV_DONTDUMP) == 0);
    hold(&h, memory, BYTES);
    CHECK_EQUAL(proa_adopt_bytes(&h), BYTES);
    CHECK_EQUAL(h.count, 1);
    CHECK(mprotect(memory + 5 * PAGE, PAGE, PROT_READ) == 0);
    proa_adopt_drop(&h);
    check_filled(memory, BYTES, 1);
    CHECK_EQUAL(world_flags(memory + PAGE, "dc"), 1);
    CHECK_EQUAL(world_flags(memory + 2 * PAGE, "dc"), 0);
    CHECK_EQUAL(world_flags(memory + 3 * PAGE, "dd"), 1);
    CHECK_EQUAL(world_flags(memory + 4 * PAGE, "dd"), 0);
    CHECK_EQUAL(world_flags(memory + 5 * PAGE, "wr"), 0);
    CHECK_EQUAL(world_flags(memory + 6 * PAGE, "wr"), 1);
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
    memory[10 * MIB] = 5;
    memset(memory + 12 * MIB, 0, MIB); /* touched, with nothing in them */
    hold(&h, memory, BYTES);
    CHECK_EQUAL(h.count, 1);
    CHECK(file_blocks() <= 2 * PAGE / 512);
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
    enum { BYTES = 16 * PAGE };
    char *memory = map_pages(BYTES), *side;
    struct proa_hold old, new;

    (void)world;
    fill(memory, BYTES, 1);
    hold(&old, memory, BYTES);
    munmap(memory, BYTES);
    CHECK(mmap(memory, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
               0) == memory);
    fill(memory, BYTES, 2);
    hold(&new, memory, BYTES);
    CHECK_EQUAL(proa_adopt_bytes(&new), BYTES);
    check_filled(memory, BYTES, 2);
    side = other_side(memory, BYTES);
    check_filled(side, BYTES, 2);
    munmap(side, BYTES);
    proa_adopt_drop(&new);
    check_filled(memory, BYTES, 2);
    munmap(memory, BYTES);
    CHECK(mmap(memory, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
               0) == memory);
    fill(memory, BYTES, 3);
    proa_adopt_drop(&old); /* it has no business with the memory that is there now */
    check_filled(memory, BYTES, 3);
    munmap(memory, BYTES);
}
WORLD_TEST(again, 1, .kernel = 1)

/* Nothing grows with the number of windows. */
static void often_body(struct world *world)
{
    enum { PAGES = 64 };
    char *memory = map_pages(PAGES * PAGE), *heap = malloc(PAGES * PAGE);
    uint64_t seed = 1;
    long rounds = world_rounds(4000), mappings = 0, files = 0;

    (void)world;
    CHECK(heap);
    fill(memory, PAGES * PAGE, 1);
    for (long i = 0; i < rounds; i++) {
        uint64_t from = world_below(&seed, PAGES * PAGE - 1), bytes = 1 + world_below(&seed, PAGE);
        char *at = (i & 1 ? memory : heap) + from;
        struct proa_hold one, two;

        if (from + bytes > PAGES * PAGE)
            bytes = PAGES * PAGE - from;
        hold(&one, at, bytes);
        CHECK_EQUAL(proa_adopt_bytes(&one), bytes);
        hold(&two, memory + 5 * PAGE, 3);
        proa_adopt_drop(i & 2 ? &one : &two);
        proa_adopt_drop(i & 2 ? &two : &one);
        if (i == rounds / 2) {
            mappings = world_mappings("");
            files = world_open_files();
        }
    }
    check_filled(memory, PAGES * PAGE, 1);
    CHECK(world_mappings("") <= mappings + 2 * PAGES);
    CHECK_EQUAL(world_open_files(), files);
    CHECK_EQUAL(file_blocks(), 0);
    free(heap);
    munmap(memory, PAGES * PAGE);
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
    CHECK_EQUAL(world_flags(place + PAGE, "dd"), 1);
    CHECK_EQUAL(world_flags(place + 2 * PAGE, "dd"), 0);
}

/* The program moves memory that a window has, makes a window of the new place, and one of other
 * memory at the old place. */
static void elsewhere_body(struct world *world)
{
    enum { BYTES = 3 * MIB + PAGE };
    char *memory = map_pages(BYTES), *place;
    struct proa_hold old, new, other;

    (void)world;
    fill(memory, BYTES, 1);
    CHECK(madvise(memory + PAGE, PAGE, MADV_DONTDUMP) == 0);
    hold(&old, memory, BYTES);
    place = move_away(memory, BYTES);
    check_filled(place, BYTES, 1);
    hold(&new, place, BYTES);
    CHECK_EQUAL(proa_adopt_bytes(&new), 0); /* its offset in the file is the old place's */
    CHECK(new.why);
    fill(place, BYTES, 2);
    proa_adopt_drop(&new);
    check_filled(place, BYTES, 2);

    CHECK(mmap(memory, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
               0) == memory);
    fill(memory, BYTES, 3);
    hold(&other, memory, BYTES);
    CHECK_EQUAL(proa_adopt_bytes(&other), BYTES);
    fill(memory, BYTES, 4);
    check_private(place, BYTES, 2);
    proa_adopt_drop(&old);
    proa_adopt_drop(&other);
    check_filled(memory, BYTES, 4);
    check_private(place, BYTES, 2);
    CHECK_EQUAL(file_blocks(), 0);
    munmap(place, BYTES);
    munmap(memory, BYTES);
}
WORLD_TEST(elsewhere, 1, .kernel = 1)

/* Only some of the memory is moved, some is unmapped, and the window ends. */
static void torn_body(struct world *world)
{
    enum { BYTES = 4 * MIB, FIRST = MIB + PAGE, MOVED = 2 * MIB };
    char *memory = map_pages(BYTES), *place;
    long mappings = world_mappings("memfd:proa");
    struct proa_hold h;

    (void)world;
    fill(memory, FIRST, 1);
    fill(memory + FIRST, MOVED, 2);
    fill(memory + FIRST + MOVED, BYTES - FIRST - MOVED, 3);
    CHECK(madvise(memory + FIRST + PAGE, PAGE, MADV_DONTDUMP) == 0);
    hold(&h, memory, BYTES);
    CHECK_EQUAL(proa_adopt_bytes(&h), BYTES);
    place = move_away(memory + FIRST, MOVED);
    munmap(memory, PAGE);
    proa_adopt_drop(&h);
    check_private(place, MOVED, 2);
    check_filled(memory + FIRST + MOVED, BYTES - FIRST - MOVED, 3);
    CHECK_EQUAL(memory[PAGE], (char)(1 + PAGE * 7 + PAGE / 4093));
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
