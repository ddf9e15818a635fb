/* SPDX-License-Identifier: BSD-3-Clause */
/* Pages that move while another thread stores there (adopt/remap.c): no store is lost, neither in
 * the program nor at a neighbour. */
#include "explore.h"
#include "pages.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The calls of the sources go to the pages. */
#define fallocate pages_fallocate
#define getpagesize pages_size
#define ioctl pages_ioctl
#define lseek pages_lseek
#define madvise pages_madvise
#define mincore pages_mincore
#define syscall pages_syscall
#include "adopt/content.c"
#include "adopt/remap.c"

#include "base/atomic.h"

enum { MOVER, PROGRAM, NEIGHBOUR, LAST = PAGE_WORDS - 1 };

static struct shared {
    uint32_t has_moved, is_free;
} * s;

static struct proa_segment segment;
static struct proa_relocation mover;

/* No thread is in a system call on the pages. */
int proa_threads_look(const struct proa_threads *threads, uint64_t first, uint64_t end,
                      void (*wake)(uint64_t word, void *context), void *context)
{
    (void)threads, (void)first, (void)end, (void)wake, (void)context;
    return 0;
}

/* Nor has it a userfaultfd of its own. */
int proa_fault_is_registered(uint64_t first, uint64_t end)
{
    (void)first, (void)end;
    return 0;
}

static void setup_of(int have_moved)
{
    pages_make(have_moved);
    s = explore_new(sizeof *s, 64);
    mover.segment = &segment;
    mover.touched.fd = -1;
    mover.fault_fd = 0;
}

static void setup_in(void)
{
    setup_of(0);
}

static void setup_out(void)
{
    setup_of(1);
}

static void setup_in_refused(void)
{
    setup_of(0);
    pages_refuse(SYS_mmap);
}

static void setup_out_refused(void)
{
    setup_of(1);
    pages_refuse(SYS_mremap);
}

static uint64_t end(void)
{
    return pages_first() + (uint64_t)PAGES * PAGE_BYTES;
}

static uint64_t move_in(void)
{
    return proa_remap_in(&mover, pages_first(), end(), pages_aside());
}

static uint64_t move_out(void)
{
    const struct proa_range moved = {.first = pages_first(), .end = end(), .aside = pages_aside()};

    return proa_remap_out(&mover, &moved, moved.first, PROT_READ | PROT_WRITE);
}

static void store(int page, uint64_t value)
{
    pages_store(page, 0, value);
    explore_check(pages_load(page, 0) == value);
}

static void work(void)
{
    store(0, 1);
    store(1, 1);
    store(0, 2);
}

static void in(int thread)
{
    if (thread)
        work();
    else
        explore_check(move_in() == end());
}

static void out(int thread)
{
    if (thread)
        work();
    else
        explore_check(move_out() == end());
}

static void in_refused(int thread)
{
    if (thread)
        work();
    else
        explore_check(move_in() == pages_first());
}

static void out_refused(int thread)
{
    if (thread)
        work();
    else
        explore_check(move_out() == pages_first());
}

/* A window is made, a neighbour works on it, and it is freed. */
static void there_and_back(int thread)
{
    if (thread == PROGRAM) {
        work();
    } else if (thread == NEIGHBOUR) {
        while (!proa_atomic_load(&s->has_moved, PROA_ACQUIRE))
            explore_yield();
        pages_store_beside(1, 1, 5);
        proa_atomic_store(&s->is_free, 1, PROA_RELEASE);
    } else {
        explore_check(move_in() == end());
        proa_atomic_store(&s->has_moved, 1, PROA_RELEASE);
        while (!proa_atomic_load(&s->is_free, PROA_ACQUIRE))
            explore_yield();
        explore_check(move_out() == end());
    }
}

static void kept(void)
{
    explore_check(pages_now(0, 0) == 2 && pages_now(1, 0) == 1 && pages_now(0, LAST) == 7);
}

static void kept_all(void)
{
    kept();
    explore_check(pages_now(1, 1) == 5);
}

const struct explore_scenario explore_adoption[] = {
    {.name = "adoption.in", .threads = 2, .setup = setup_in, .body = in, .finish = kept},
    {.name = "adoption.out", .threads = 2, .setup = setup_out, .body = out, .finish = kept},
    {.name = "adoption.in_refused",
     .threads = 2,
     .setup = setup_in_refused,
     .body = in_refused,
     .finish = kept},
    {.name = "adoption.out_refused",
     .threads = 2,
     .setup = setup_out_refused,
     .body = out_refused,
     .finish = kept},
    {.name = "adoption.there_and_back",
     .threads = 3,
     .setup = setup_in,
     .body = there_and_back,
     .finish = kept_all,
     .preemptions = 1},
    {0},
};
