/* SPDX-License-Identifier: BSD-3-Clause */
/* A program maps memory of its own into the midst of adopted pages, and forks: the child has that,
 * and the window's pages on both sides (adopt/remap.c). */
#include "world.h"
#include "adopt_pages.h"

#include "adopt/adopt.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { PAGES = 8, REPLACED = 3 };

static void check_pages(const char *memory)
{
    const uint64_t page = world_pages(1);

    for (uint64_t i = 0; i < PAGES * page; i++)
        CHECK_EQUAL(memory[i], i / page == REPLACED ? 100 : (int)(i / page) + 1);
}

static char *pages(void)
{
    char *memory = map_pages(world_pages(PAGES));

    for (int i = 0; i < PAGES; i++)
        memset(memory + world_pages((uint64_t)i), i + 1, world_pages(1));
    return memory;
}

static void replace(char *memory)
{
    char *page = memory + world_pages(REPLACED);

    CHECK(mmap(page, world_pages(1), PROT_READ | PROT_WRITE,
               MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == page);
    memset(page, 100, world_pages(1));
}

static void replaced_body(struct world *world)
{
    char *memory = pages();
    struct proa_hold hold;
    int status = -1;
    pid_t child;

    (void)world;
    CHECK_OK(proa_adopt_hold(&hold, memory, world_pages(PAGES), PROA_ADOPT_AUTO));
    CHECK_EQUAL(proa_adopt_bytes(&hold), world_pages(PAGES));
    replace(memory);
    child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        check_pages(memory);
        _exit(0);
    }
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    check_pages(memory);
}
WORLD_TEST(replaced, 1, .kernel = 1)

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(replaced)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
