/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory that consists of more pieces than a hold can have (adopt/adopt.h). */
#include "world.h"

#include "adopt/adopt.h"
#include "shm/peer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cmocka.h>

enum { PAGES = 300 };

static long file_pages(void)
{
    struct stat file;

    CHECK(fstat(proa_self->ctl->adopted.fd, &file) == 0);
    return (long)file.st_blocks * 512 / (long)world_pages(1);
}

/* Every second page cannot be stored to, so it stays. */
static char *striped(void)
{
    char *memory =
        mmap(NULL, world_pages(PAGES), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    CHECK(memory != MAP_FAILED);
    for (int i = 0; i < PAGES; i++)
        memset(memory + world_pages((uint64_t)i), i % 100 + 1, world_pages(1));
    for (int i = 1; i < PAGES; i += 2)
        CHECK(mprotect(memory + world_pages((uint64_t)i), world_pages(1), PROT_READ) == 0);
    return memory;
}

static void check_content(const char *memory)
{
    const uint64_t page = world_pages(1);

    for (uint64_t i = 0; i < PAGES * page; i++)
        CHECK_EQUAL(memory[i], i / page % 100 + 1);
}

/* The pieces lie side by side and take turns; the last one is all that stays for want of more. */
static void check_pieces(const struct proa_hold *hold)
{
    uint64_t at = hold->first;

    for (uint32_t i = 0; i < hold->count; at = hold->piece[i++].end) {
        CHECK(hold->piece[i].end > at);
        CHECK_EQUAL(hold->piece[i].adopted, i % 2 == 0);
        CHECK(i == hold->count - 1 || hold->piece[i].end == at + world_pages(1));
    }
    CHECK_EQUAL(at, hold->end);
    CHECK_EQUAL(hold->piece[hold->count - 1].adopted, 0);
}

static void too_many_body(struct world *world)
{
    char *memory = striped();
    struct proa_hold hold, all, few;

    (void)world;
    CHECK_OK(proa_adopt_hold(&hold, memory, world_pages(PAGES), PROA_ADOPT_AUTO));
    CHECK(hold.is_rough && hold.why && strstr(hold.why, "pieces"));
    CHECK(hold.count > 32 && hold.count <= 66);
    check_pieces(&hold);
    CHECK_EQUAL(file_pages(), proa_adopt_bytes(&hold) / world_pages(1));
    check_content(memory);

    CHECK_OK(
        proa_adopt_hold(&all, memory, world_pages(PAGES), PROA_ADOPT_AUTO)); /* the same again */
    CHECK_EQUAL(all.count, hold.count);
    CHECK_EQUAL(proa_adopt_bytes(&all), proa_adopt_bytes(&hold));
    CHECK_OK(proa_adopt_hold(&few, memory + world_pages(2), world_pages(3), PROA_ADOPT_AUTO));
    CHECK(few.count == 3 && !few.is_rough);
    proa_adopt_drop(&hold);
    CHECK_EQUAL(file_pages(), proa_adopt_bytes(&all) / world_pages(1));
    proa_adopt_drop(&all);
    CHECK_EQUAL(file_pages(), 2);
    proa_adopt_drop(&few);
    CHECK_EQUAL(file_pages(), 0);
    check_content(memory);
    munmap(memory, world_pages(PAGES));
}
WORLD_TEST(too_many, 1, .kernel = 1)

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(too_many)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
