/* SPDX-License-Identifier: BSD-3-Clause */
/* The road through the kernel (shm/cma.h): calls that move fewer bytes than they are asked for, as
 * those over 2 GiB do, and calls that a signal interrupts. */
#include "move.h"

#include "shm/cma.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>

#include <cmocka.h>

/* ---- short calls (linked with --wrap) ---- */

/* Bytes that one call moves at most; 0: as many as it is asked for. Every third call of those is
 * interrupted. */
static uint64_t call_most;
static uint64_t calls;

typedef ssize_t cma_call(pid_t pid, const struct iovec *local, unsigned long local_count,
                         const struct iovec *remote, unsigned long remote_count,
                         unsigned long flags);

static int writes_refused;

/* The kernel stops where the local runs end. */
static ssize_t call_short(cma_call *call, pid_t pid, const struct iovec *local,
                          unsigned long local_count, const struct iovec *remote,
                          unsigned long remote_count)
{
    struct iovec cut[PROA_CMA_RUNS];
    uint64_t left = call_most;
    unsigned long count = 0;

    if (!call_most)
        return call(pid, local, local_count, remote, remote_count, 0);
    if (++calls % 3 == 0) {
        errno = EINTR;
        return -1;
    }
    for (; count < local_count && left; count++) {
        cut[count] = local[count];
        if (cut[count].iov_len > left)
            cut[count].iov_len = left;
        left -= cut[count].iov_len;
    }
    return call(pid, cut, count, remote, remote_count, 0);
}

cma_call __real_process_vm_readv, __wrap_process_vm_readv, __real_process_vm_writev,
    __wrap_process_vm_writev;
ssize_t __wrap_process_vm_readv(pid_t pid, const struct iovec *local, unsigned long local_count,
                                const struct iovec *remote, unsigned long remote_count,
                                unsigned long flags)
{
    (void)flags;
    return call_short(__real_process_vm_readv, pid, local, local_count, remote, remote_count);
}

ssize_t __wrap_process_vm_writev(pid_t pid, const struct iovec *local, unsigned long local_count,
                                 const struct iovec *remote, unsigned long remote_count,
                                 unsigned long flags)
{
    (void)flags;
    if (writes_refused) {
        errno = EPERM;
        return -1;
    }
    return call_short(__real_process_vm_writev, pid, local, local_count, remote, remote_count);
}

/* ---- operations ---- */

enum { WORDS = 6000, ROWS = 700, ROW = 3, STRIDE = 5 };

static int64_t memory[WORDS]; /* the window */

/* Rows of words, some apart. */
static void type_of_rows(struct proa_type *type)
{
    struct proa_part parts[ROWS];

    for (int i = 0; i < ROWS; i++)
        parts[i] = (struct proa_part)
        {
            .offset = 8 * (int64_t)STRIDE * i, .count = ROW
            , .type = basic_type(PROA_I64)
        };
    CHECK_OK(proa_type_list(parts, ROWS, type));
}

static int is_in_row(int word)
{
    return word < ROWS * STRIDE && word % STRIDE < ROW;
}

/* All of the window, and then rows of it, there and back; then sums on both. */
static void move_all(struct proa_win *win, const struct proa_type *rows)
{
    static int64_t sent[WORDS], got[WORDS];
    struct proa_buffer from =
    { sent,
      ROWS * ROW,
      basic_type(PROA_I64) },
                       to = {
                           got,
                           ROWS * ROW,
                           basic_type(PROA_I64)
                       };
    struct proa_there there = {0, 0, 1, rows, PROA_CALL_Put};

    for (int i = 0; i < WORDS; i++)
        sent[i] = i + 1;
    CHECK_OK(put_many(win, 0, 0, sent, WORDS, PROA_I64));
    CHECK_OK(get_many(win, 0, 0, got, WORDS, PROA_I64));
    CHECK(memcmp(sent, got, sizeof sent) == 0);
    for (int i = 0; i < WORDS; i++)
        sent[i] = -i;
    CHECK_OK(proa_put(win, &from, &there));
    memset(got, 0, sizeof got);
    CHECK_OK(proa_get(win, &to, &there));
    CHECK(memcmp(sent, got, 8ull * ROWS * ROW) == 0);
    CHECK_OK(proa_accumulate(win, &from, &there, PROA_OP_SUM));
    CHECK_OK(accumulate_many(win, 0, 0, sent, WORDS, PROA_I64, PROA_OP_SUM));
}

/* The words as move_all leaves them. */
static void check_moved(void)
{
    int in_row = 0;

    for (int i = 0; i < WORDS; i++) {
        int64_t expected = is_in_row(i) ? -2 * in_row : i + 1;

        CHECK_EQUAL(memory[i], expected - i);
        in_row += is_in_row(i);
    }
}

static void short_calls_body(struct world *world)
{
    static const uint64_t most[] = {1001, 4096, 4099, 20000};
    struct proa_create_args args = {
        .flavor = PROA_FLAVOR_CREATE, .base = memory, .bytes = sizeof memory, .disp_unit = 8};
    struct proa_win *win = window_create(world, &args);
    struct proa_type rows;

    type_of_rows(&rows);
    for (size_t i = 0; i < sizeof most / sizeof *most; i++) {
        CHECK_OK(proa_win_lock_all(win, 0));
        if (world->rank == 1) {
            CHECK_EQUAL(win->targets[0].only.road, PROA_ROAD_CMA);
            calls = 0;
            call_most = most[i];
            move_all(win, &rows);
            call_most = 0;
            CHECK(calls > sizeof memory / most[i]);
        }
        CHECK_OK(proa_win_unlock_all(win));
        world_barrier(world);
        if (world->rank == 0)
            check_moved();
        world_barrier(world);
    }
    proa_type_release(&rows);
    window_free(win);
}

WORLD_TEST(short_calls, 2, .kernel = 1)

/* ---- memory that is gone ---- */

/* A run that ends in unmapped memory is an error, by itself and among others, whichever way it goes
 * and however far the first call gets. */
static void gone_body(struct world *world)
{
    const int64_t page = (int64_t)world_pages(1);
    char *pages =
        mmap(NULL, world_pages(2), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct proa_create_args args = {
        .flavor = PROA_FLAVOR_CREATE, .base = pages, .bytes = world_pages(2), .disp_unit = 1};
    struct proa_win *win;
    int64_t words[200] = {0};

    CHECK(pages != MAP_FAILED);
    win = window_create(world, &args);
    if (world->rank == 0)
        CHECK(munmap(pages + page, world_pages(1)) == 0);
    world_barrier(world);
    CHECK_OK(proa_win_lock_all(win, 0));
    for (call_most = 0; world->rank == 1 && call_most < 1000; call_most += 333) {
        CHECK_FAILS(put_many(win, 0, page - 800, words, 200, PROA_I64), PROA_ERR_RMA_RANGE);
        CHECK_FAILS(get_many(win, 0, page - 800, words, 200, PROA_I64), PROA_ERR_RMA_RANGE);
        CHECK_OK(put_many(win, 0, page - 800, words, 100, PROA_I64));
    }
    call_most = 0;
    CHECK_OK(proa_win_unlock_all(win));
    window_free(win);
}

WORLD_TEST(gone, 2, .kernel = 1)

/* ---- memory that can only be read ---- */

static void refuse_writes(struct world *world)
{
    (void)world;
    writes_refused = 1;
}

/* A kernel that reads a neighbour's memory, and does not write it, is no way to a window. */
static void unwritable_body(struct world *world)
{
    struct proa_win *win = window_of_words(world, 1);

    CHECK(proa_cma_works(proa_self));
    CHECK(!proa_cma_works(win->targets[1 - world->rank].peer));
    window_free(win);
}

WORLD_TEST(unwritable, 2, .before = refuse_writes)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(short_calls),
        cmocka_unit_test(gone),
        cmocka_unit_test(unwritable),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
