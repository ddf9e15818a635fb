/* SPDX-License-Identifier: BSD-3-Clause */
/* See pages.h. Sources: mm/mremap.c and fs/userfaultfd.c of Linux. */
#include "pages.h"
#include "core.h"
#include "base/atomic.h"

#include <errno.h>
#include <linux/userfaultfd.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef MREMAP_DONTUNMAP
#define MREMAP_DONTUNMAP 4
#endif
#ifndef UFFDIO_REGISTER_MODE_MINOR
#define UFFDIO_REGISTER_MODE_MINOR ((uint64_t)1 << 2)
#endif

enum kind { NOTHING, PRIVATE, OF_FILE };

/* A page of address space. */
static struct page {
    enum kind kind;
    int is_there;
    uint64_t registered;
} pages[2 * PAGES]; /* in place, then aside */

static struct {
    uint64_t word[PAGE_WORDS];
    int is_there;
} file[PAGES];

/* Of private pages; the addresses of all. */
static uint64_t memory[2 * PAGES][PAGE_WORDS] __attribute__((aligned(2 * PAGES * PAGE_BYTES)));

static uint32_t *steps; /* all steps meet here */
static int map_lock;
static long refused;

/* Threads in a fault: the page that each waits for. */
static uint32_t asleep[EXPLORE_THREADS];
static const struct page *awaited[EXPLORE_THREADS];

static void step(void)
{
    proa_atomic_fetch_add(steps, 1, PROA_RELAXED);
}

static int index_of(uint64_t address)
{
    uint64_t at = address - (uint64_t)(uintptr_t)memory;

    if (at >= sizeof memory)
        explore_fail("an address that is not of these pages");
    return (int)(at / PAGE_BYTES);
}

static int is_of(const struct page *page, uint64_t first, uint64_t bytes)
{
    uint64_t address = (uint64_t)(uintptr_t)memory[page - pages];

    return address >= first && address < first + bytes;
}

#define FOR_PAGES(i, first, bytes) \
    for (int i = index_of(first), end_ = i + (int)((bytes) / PAGE_BYTES); i < end_; i++)

static void page_drop(int i)
{
    pages[i].is_there = 0;
    memset(memory[i], 0, sizeof memory[i]);
}

static void page_unmap(int i)
{
    page_drop(i);
    pages[i].kind = NOTHING;
    pages[i].registered = 0;
}

/* ---- the program's loads and stores ---- */

static uint64_t *words_of(int i)
{
    return pages[i].kind == OF_FILE ? file[i].word : memory[i];
}

/* The page comes, or the thread waits for its mover. */
static void fault(int i)
{
    struct page *page = &pages[i];
    int t = explore_thread(), is_minor = page->kind == OF_FILE && file[i].is_there, waits;

    explore_lock(&map_lock);
    if (page->kind == NOTHING)
        explore_fail("an access to a page that is not mapped");
    is_minor = page->kind == OF_FILE && file[i].is_there;
    waits = !page->is_there && page->registered & (is_minor ? UFFDIO_REGISTER_MODE_MINOR
                                                            : UFFDIO_REGISTER_MODE_MISSING);
    if (waits) {
        awaited[t] = page;
        asleep[t] = 1;
    } else {
        page->is_there = 1;
        if (page->kind == OF_FILE)
            file[i].is_there = 1;
    }
    explore_unlock(&map_lock);
    if (waits)
        explore_sleep(&asleep[t], 1, 0);
}

static uint64_t *reach(int i, int word)
{
    for (step(); !pages[i].is_there; step())
        fault(i);
    return &words_of(i)[word];
}

void pages_store(int page, int word, uint64_t value)
{
    *reach(page, word) = value;
}

uint64_t pages_load(int page, int word)
{
    return *reach(page, word);
}

void pages_store_beside(int page, int word, uint64_t value)
{
    step();
    file[page].is_there = 1;
    file[page].word[word] = value;
}

uint64_t pages_now(int page, int word)
{
    return words_of(page)[word];
}

static void wake(uint64_t first, uint64_t bytes)
{
    for (int t = 0; t < EXPLORE_THREADS; t++)
        if (asleep[t] && is_of(awaited[t], first, bytes)) {
            asleep[t] = 0;
            explore_wake(&asleep[t]);
        }
}

/* ---- calls ---- */

int pages_size(void)
{
    return PAGE_BYTES;
}

static int is_refused(long number)
{
    int yes = refused == number;

    if (yes) {
        refused = 0;
        errno = ENOMEM;
    }
    return yes;
}

static long move(uint64_t from, uint64_t bytes, int flags, uint64_t to)
{
    int other = index_of(to);

    explore_lock(&map_lock);
    FOR_PAGES(i, to, bytes)
    page_unmap(i);
    FOR_PAGES(i, from, bytes)
    {
        step();
        if (pages[i].kind != PRIVATE)
            explore_fail("a page that is moved is not private");
        pages[other].kind = PRIVATE;
        pages[other].is_there = pages[i].is_there;
        memcpy(memory[other++], memory[i], sizeof memory[i]);
        if (flags & MREMAP_DONTUNMAP)
            page_drop(i);
        else
            page_unmap(i);
    }
    explore_unlock(&map_lock);
    return (long)to;
}

static long map(uint64_t first, uint64_t bytes)
{
    explore_lock(&map_lock);
    FOR_PAGES(i, first, bytes)
    {
        step();
        page_unmap(i);
        pages[i].kind = OF_FILE;
    }
    explore_unlock(&map_lock);
    return (long)first;
}

static long file_write(uint64_t from, uint64_t bytes, uint64_t position)
{
    int to = index_of(position);

    FOR_PAGES(i, from, bytes)
    {
        step();
        memcpy(file[to].word, memory[i], sizeof memory[i]);
        file[to++].is_there = 1;
    }
    return (long)bytes;
}

static long file_read(uint64_t to, uint64_t bytes, uint64_t position)
{
    int from = index_of(position);

    FOR_PAGES(i, to, bytes)
    {
        step();
        memcpy(memory[i], file[from++].word, sizeof memory[i]);
        pages[i].is_there = 1;
    }
    return (long)bytes;
}

long pages_syscall(long number, ...)
{
    va_list arguments;
    uint64_t first, second, third;
    int number_of;
    long result = 0;

    va_start(arguments, number);
    step();
    if (is_refused(number)) {
        result = -1;
    } else if (number == SYS_mremap) {
        first = va_arg(arguments, uint64_t);
        second = va_arg(arguments, uint64_t);
        va_arg(arguments, uint64_t);
        number_of = va_arg(arguments, int);
        result = move(first, second, number_of, va_arg(arguments, uint64_t));
    } else if (number == SYS_mmap) {
        first = va_arg(arguments, uint64_t);
        result = map(first, va_arg(arguments, uint64_t));
    } else if (number == SYS_pwrite64 || number == SYS_pread64) {
        va_arg(arguments, int);
        first = va_arg(arguments, uint64_t);
        second = va_arg(arguments, uint64_t);
        third = va_arg(arguments, uint64_t);
        result = number == SYS_pwrite64 ? file_write(first, second, third)
                                        : file_read(first, second, third);
    } else {
        explore_fail("system call %ld", number);
    }
    va_end(arguments);
    return result;
}

/* The range stands first in what each request has. */
int pages_ioctl(int fd, unsigned long request, ...)
{
    const struct uffdio_register *range;
    uint64_t first, bytes;
    va_list arguments;

    (void)fd;
    va_start(arguments, request);
    range = va_arg(arguments, const struct uffdio_register *);
    va_end(arguments);
    first = range->range.start;
    bytes = range->range.len;
    step();
    if (request != UFFDIO_WAKE) {
        explore_lock(&map_lock);
        FOR_PAGES(i, first, bytes)
        pages[i].registered = request == UFFDIO_REGISTER ? range->mode : 0;
        explore_unlock(&map_lock);
    }
    if (request != UFFDIO_REGISTER)
        wake(first, bytes);
    return 0;
}

int pages_madvise(void *address, size_t bytes, int advice)
{
    if (advice == MADV_DONTNEED)
        FOR_PAGES(i, (uint64_t)(uintptr_t)address, bytes)
        {
            step();
            page_drop(i);
        }
    return 0;
}

int pages_mincore(void *address, size_t bytes, unsigned char *are_there)
{
    step();
    FOR_PAGES(i, (uint64_t)(uintptr_t)address, bytes)
    {
        if (pages[i].kind == NOTHING) {
            errno = ENOMEM;
            return -1;
        }
        *are_there++ = (unsigned char)pages[i].is_there;
    }
    return 0;
}

off_t pages_lseek(int fd, off_t position, int whence)
{
    int i = index_of((uint64_t)position);

    (void)fd;
    step();
    while (i < PAGES && file[i].is_there != (whence == SEEK_DATA))
        i++;
    if (i == PAGES && whence == SEEK_DATA) {
        errno = ENXIO;
        return -1;
    }
    return (off_t)(uintptr_t)memory[i];
}

int pages_fallocate(int fd, int mode, off_t position, off_t bytes)
{
    (void)fd, (void)mode;
    FOR_PAGES(i, (uint64_t)position, bytes)
    {
        step();
        memset(&file[i], 0, sizeof file[i]);
        if (pages[i].kind == OF_FILE)
            pages[i].is_there = 0;
    }
    return 0;
}

/* ---- for setup ---- */

void pages_make(int have_moved)
{
    steps = explore_new(sizeof *steps, sizeof *steps);
    memset(pages, 0, sizeof pages);
    memset(file, 0, sizeof file);
    memset(memory, 0, sizeof memory);
    memset(asleep, 0, sizeof asleep);
    refused = -1;
    for (int i = 0; i < PAGES; i++) {
        pages[i].kind = have_moved ? OF_FILE : PRIVATE;
        pages[PAGES + i].kind = have_moved ? PRIVATE : NOTHING;
    }
    pages[0].is_there = 1;
    file[0].is_there = have_moved;
    words_of(0)[PAGE_WORDS - 1] = 7;
}

uint64_t pages_first(void)
{
    return (uint64_t)(uintptr_t)memory[0];
}

uint64_t pages_aside(void)
{
    return (uint64_t)(uintptr_t)memory[PAGES];
}

void pages_refuse(long number)
{
    refused = number;
}
