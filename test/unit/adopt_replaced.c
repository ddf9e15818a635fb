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

enum { PAGES = 8, REPLACED = 3, BYTES = PAGES * PAGE };

static void check_pages(const char *memory)
{
    for (int i = 0; i < PAGES; i++)
        for (int byte = 0; byte < PAGE; byte++)
            CHECK_EQUAL(memory[i * PAGE + byte], i == REPLACED ? 100 : i + 1);
}

static char *pages(void)
{
    char *memory = map_pages(BYTES);

    for (int i = 0; i < PAGES; i++)
        memset(memory + i * PAGE, i + 1, PAGE);
    return memory;
}

static void replace(char *memory)
{
    char *page = memory + REPLACED * PAGE;

    CHECK(mmap(page, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
               0) == page);
    memset(page, 100, PAGE);
}

static void replaced_body(struct world *world)
{
    char *memory = pages();
    struct proa_hold hold;
    int status = -1;
    pid_t child;

    (void)world;
    CHECK_OK(proa_adopt_hold(&hold, memory, BYTES, PROA_ADOPT_AUTO));
    CHECK_EQUAL(proa_adopt_bytes(&hold), BYTES);
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
