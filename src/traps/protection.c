/* SPDX-License-Identifier: BSD-3-Clause */
/* See protection.h. */
#include "traps/protection.h"
#include "base/atomic.h"
#include "traps/operand.h"
#include "traps/steps.h"
#include "traps/trap.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

enum { OPEN = UINT16_MAX /* the traps of a page that is left open */ };

/* A range. Handlers read it: `memory` is stored last, and cleared first. */
struct range {
    uintptr_t memory; /* 0: there is none, or it is being dropped */
    uintptr_t start;  /* the same, until no handler uses it */
    size_t pages;
    uint16_t *traps;   /* of each page since it was protected last */
    int is_open;       /* as a whole, until it is renewed */
    size_t first, end; /* of the pages that have trapped, or are open, since then */
};

static struct range ranges[PROA_PROTECTIONS];
static int range_count; /* none beyond these */
static struct sigaction segv_before, trap_before;
static uintptr_t page_bytes;
static int started;
static uint64_t left_open;
/* Handlers and calls that read ranges now. They never wait, so a range that is dropped waits for
 * them, and nothing of it is used after that. */
static uint32_t readers;
static uint32_t drops, dropping; /* how many are over; under way */
/* System calls that pages are open for. Relaxed: a renewal that does not see a new one closes its
 * pages, and the call is tried again (traps/syscalls.c). */
static uint32_t lent;
static uint32_t trapped; /* of all pages since they were protected last */

/* The pages that this thread's next step protects again: an instruction touches several, such as
 * one that copies. */
enum { STEPS = 4 };
static _Thread_local struct {
    int pages;
    uintptr_t page[STEPS];
} step;

/* ---- pages ---- */

/* Sequentially consistent, as are the partners in proa_protection_drop: either the reader sees that
 * a range has gone, or the drop sees the reader. */
static void readers_enter(void)
{
    proa_atomic_fetch_add(&readers, 1, PROA_SEQ_CST);
}

static void readers_leave(void)
{
    proa_atomic_fetch_sub(&readers, 1, PROA_RELEASE);
}

static struct range *range_of(uintptr_t address)
{
    for (int i = 0; i < proa_atomic_load(&range_count, PROA_RELAXED); i++) {
        const uintptr_t memory = proa_atomic_load(&ranges[i].memory, PROA_SEQ_CST);

        if (memory && address - memory < ranges[i].pages * page_bytes)
            return &ranges[i];
    }
    return NULL;
}

static uint16_t *traps_of(const struct range *range, uintptr_t address)
{
    return &range->traps[(address - range->start) / page_bytes];
}

/* 0: there are too many mappings of the kernel's for it. */
static int set_access(uintptr_t page, size_t pages, int access)
{
    /* async-signal-safe on Linux */
    return mprotect((void *)page, pages * page_bytes, access) == 0;
}

static void range_open(struct range *range)
{
    proa_atomic_store(&range->is_open, 1, PROA_RELAXED);
    set_access(range->start, range->pages, PROT_READ | PROT_WRITE);
}

/* The pages from `first` on are to be protected again. */
static void range_note(struct range *range, size_t first, size_t pages)
{
    size_t from = proa_atomic_load(&range->first, PROA_RELAXED),
           end = proa_atomic_load(&range->end, PROA_RELAXED);

    while (first < from &&
           !proa_atomic_compare_exchange(&range->first, &from, first, PROA_RELAXED, PROA_RELAXED))
        continue;
    while (first + pages > end && !proa_atomic_compare_exchange(&range->end, &end, first + pages,
                                                                PROA_RELAXED, PROA_RELAXED))
        continue;
}

static void pages_open(struct range *range, uintptr_t page, size_t pages)
{
    const size_t first = (page - range->start) / page_bytes;

    for (size_t i = first; i < first + pages; i++)
        proa_atomic_store(&range->traps[i], OPEN, PROA_RELAXED);
    range_note(range, first, pages);
    if (!set_access(page, pages, PROT_READ | PROT_WRITE))
        range_open(range);
}

/* ---- the signals ---- */

#ifdef __x86_64__
enum { TRAP_FLAG = 0x100, FAULT_WRITES = 2 };

static void set_single_step(ucontext_t *context, int on)
{
    if (on)
        context->uc_mcontext.gregs[REG_EFL] |= TRAP_FLAG;
    else
        context->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)TRAP_FLAG;
}

static enum proa_trap_access access_of(const ucontext_t *context)
{
    return context->uc_mcontext.gregs[REG_ERR] & FAULT_WRITES ? PROA_TRAP_STORE : PROA_TRAP_LOAD;
}
#else
static void set_single_step(ucontext_t *context, int on)
{
    (void)context, (void)on;
}

static enum proa_trap_access access_of(const ucontext_t *context)
{
    (void)context;
    return PROA_TRAP_TOUCH;
}
#endif

/* Opens the page, for good or for this instruction. */
static void let_pass(struct range *range, uintptr_t page, ucontext_t *context)
{
    uint16_t *traps = traps_of(range, page);
    const uint32_t before = proa_atomic_fetch_add(&trapped, 1, PROA_RELAXED);

    if (step.pages == STEPS || before >= PROA_PROTECTION_MOST ||
        proa_atomic_fetch_add(traps, 1, PROA_RELAXED) >= PROA_PROTECTION_TRAPS) {
        proa_atomic_fetch_add(&left_open, 1, PROA_RELAXED);
        if (before < PROA_PROTECTION_PAGES)
            pages_open(range, page, 1);
        else
            range_open(range);
        return;
    }
    range_note(range, (page - range->start) / page_bytes, 1);
    step.page[step.pages++] = page;
    if (!set_access(page, 1, PROT_READ | PROT_WRITE))
        range_open(range);
    set_single_step(context, 1);
}

/* The bytes from `address` on that the instruction accesses. The operand may begin on the page
 * before. */
static uint64_t bytes_at(uintptr_t address, enum proa_trap_access access, const ucontext_t *context)
{
    struct proa_operand operands[PROA_OPERANDS];
    const int count = proa_operands(context, operands);

    for (int i = 0; i < count; i++) {
        const uintptr_t from = address - operands[i].address;

        if (from < operands[i].bytes && operands[i].stores == (access == PROA_TRAP_STORE))
            return operands[i].bytes - from;
    }
    return 1;
}

static void write_down(uintptr_t address, const ucontext_t *context)
{
    struct proa_trap_hit hit = proa_trap_hit(context);

    hit.instruction = (const char *)hit.instruction + 1; /* the fault is at its start */
    hit.memory = (const void *)address;
    hit.access = access_of(context);
    hit.bytes = bytes_at(address, hit.access, context);
    proa_trap_write_down(&hit);
}

/* Was the fault at memory of a range that has gone meanwhile? Then the access can be made again. */
static int is_late(void)
{
    static _Thread_local uint32_t drops_known;
    const uint32_t before = drops_known;

    if (proa_atomic_load(&dropping, PROA_SEQ_CST))
        return 1;
    drops_known = proa_atomic_load(&drops, PROA_SEQ_CST);
    return drops_known != before;
}

static void on_fault(int number, siginfo_t *info, void *context)
{
    const uintptr_t address = (uintptr_t)info->si_addr;
    const int is_refused = info->si_code == SEGV_ACCERR, error = errno;
    struct range *range;

    readers_enter();
    range = is_refused ? range_of(address) : NULL;
    if (range) {
        write_down(address, context);
        let_pass(range, address & ~(page_bytes - 1), context);
    }
    readers_leave();
    if (!range && !(is_refused && is_late()))
        proa_trap_hand_on(&segv_before, number, info, context);
    errno = error;
}

/* Pages that were left open, or are in no range any more, stay. */
static void close_again(uintptr_t page)
{
    const struct range *range = range_of(page);

    if (range && !proa_atomic_load(&range->is_open, PROA_RELAXED) &&
        proa_atomic_load(traps_of(range, page), PROA_RELAXED) < OPEN)
        set_access(page, 1, PROT_NONE);
}

/* The instruction is done. */
static void on_step(int number, siginfo_t *info, void *context)
{
    int error = errno;

    if (info->si_code != TRAP_TRACE || (step.pages == 0 && !proa_steps_have_begun())) {
        proa_trap_hand_on(&trap_before, number, info, context);
        return;
    }
    readers_enter();
    for (int i = 0; i < step.pages; i++)
        close_again(step.page[i]);
    readers_leave();
    step.pages = 0;
    set_single_step(context, proa_steps_go_on(context));
    errno = error;
}

/* ---- start and stop ---- */

int proa_protection_start(void)
{
    int error;

#ifndef __x86_64__
    return ENOSYS;
#endif
    page_bytes = (uintptr_t)sysconf(_SC_PAGESIZE);
    error = proa_trap_take(SIGTRAP, on_step, &trap_before);
    if (error == 0)
        error = proa_trap_take(SIGSEGV, on_fault, &segv_before);
    started = error == 0;
    return error;
}

void proa_protection_stop(void)
{
    if (!started)
        return;
    for (int i = 0; i < range_count; i++)
        proa_protection_drop((void *)ranges[i].memory);
    proa_trap_give_back(SIGSEGV, &segv_before);
    proa_trap_give_back(SIGTRAP, &trap_before);
    started = 0;
}

int proa_protection_is_on(void)
{
    return started;
}

/* ---- ranges ---- */

/* A library that is loaded later, such as PSM below libfabric, may have put its handler there. */
static void retake_faults(void)
{
    struct sigaction now;

    if (sigaction(SIGSEGV, NULL, &now) == 0 && now.sa_sigaction != on_fault)
        proa_trap_take(SIGSEGV, on_fault, &segv_before);
}

static struct range *free_range(void)
{
    struct range *range = ranges;

    while (range < ranges + PROA_PROTECTIONS && range->memory)
        range++;
    return started && range < ranges + PROA_PROTECTIONS ? range : NULL;
}

int proa_protection_add(void *memory, size_t bytes)
{
    struct range *range = free_range();
    int error = 0;

    if (!range)
        return ENOSPC;
    range->start = (uintptr_t)memory; /* not range->memory, which handlers read now */
    range->pages = bytes / page_bytes;
    range->is_open = 0;
    range->first = SIZE_MAX;
    range->end = 0;
    range->traps = calloc(range->pages, sizeof *range->traps);
    if (!range->traps)
        return ENOMEM;
    retake_faults();
    if (range - ranges >= range_count)
        proa_atomic_store(&range_count, (int)(range - ranges) + 1, PROA_RELAXED);
    proa_atomic_store(&range->memory, (uintptr_t)memory, PROA_RELEASE);
    if (mprotect(memory, bytes, PROT_NONE) != 0) {
        error = errno;
        proa_protection_drop(memory);
    }
    return error;
}

int proa_protection_has(const void *memory)
{
    int found;

    if (!started)
        return 0;
    readers_enter();
    found = range_of((uintptr_t)memory) != NULL;
    readers_leave();
    return found;
}

/* A handler that has found the range protects a page of it at most once more. */
void proa_protection_drop(void *memory)
{
    struct range *range = ranges;

    while (range < ranges + range_count && (!memory || range->memory != (uintptr_t)memory))
        range++;
    if (range == ranges + range_count)
        return;
    proa_atomic_fetch_add(&dropping, 1, PROA_SEQ_CST);
    range_open(range);
    proa_atomic_store(&range->memory, 0, PROA_SEQ_CST);
    while (proa_atomic_load(&readers, PROA_SEQ_CST) > 0)
        sched_yield();
    set_access(range->start, range->pages, PROT_READ | PROT_WRITE);
    proa_atomic_fetch_add(&drops, 1, PROA_SEQ_CST);
    proa_atomic_fetch_sub(&dropping, 1, PROA_SEQ_CST);
    free(range->traps);
    range->traps = NULL;
}

/* The pages of [from, end) in the range at `from`; returns where it ends, or the next page. */
static uintptr_t each_range(uintptr_t from, uintptr_t end,
                            void (*what)(struct range *, uintptr_t, size_t))
{
    struct range *range = range_of(from);
    uintptr_t last;

    if (!range)
        return from + page_bytes;
    last = range->start + range->pages * page_bytes;
    last = last < end ? last : end;
    what(range, from, (last - from + page_bytes - 1) / page_bytes);
    return last;
}

static void each_page(const void *memory, size_t bytes,
                      void (*what)(struct range *, uintptr_t, size_t))
{
    const uintptr_t end = (uintptr_t)memory + bytes;
    uintptr_t page = (uintptr_t)memory & ~(page_bytes - 1);

    while (page < end)
        page = each_range(page, end, what);
}

void proa_protection_open(const void *memory, size_t bytes)
{
    if (!started)
        return;
    readers_enter();
    each_page(memory, bytes, pages_open);
    readers_leave();
}

int proa_protection_lend(const void *memory, size_t bytes)
{
    if (!started || bytes == 0 ||
        (!proa_protection_has(memory) && !proa_protection_has((const char *)memory + bytes - 1)))
        return 0;
    proa_atomic_fetch_add(&lent, 1, PROA_RELAXED);
    proa_protection_open(memory, bytes);
    return 1;
}

static void pages_close(struct range *range, uintptr_t page, size_t pages)
{
    const size_t first = (page - range->start) / page_bytes;

    if (proa_atomic_load(&range->is_open, PROA_RELAXED))
        return;
    for (size_t i = first; i < first + pages; i++)
        proa_atomic_store(&range->traps[i], 0, PROA_RELAXED);
    set_access(page, pages, PROT_NONE);
}

/* Of pages that are lent twice the second to come back protects them; the pages left open until
 * then are proa_protection_renew's. */
void proa_protection_take_back(const void *memory, size_t bytes)
{
    if (proa_atomic_fetch_sub(&lent, 1, PROA_RELAXED) > 1)
        return;
    readers_enter();
    each_page(memory, bytes, pages_close);
    readers_leave();
}

/* Protects the open pages of [first, end), a run of them at a time. */
static void pages_renew(struct range *range, size_t first, size_t end)
{
    size_t from = first;

    for (size_t i = first; i <= end; i++) {
        if (i < end && proa_atomic_exchange(&range->traps[i], 0, PROA_RELAXED) == OPEN)
            continue;
        if (i > from)
            set_access(range->start + from * page_bytes, i - from, PROT_NONE);
        from = i + 1;
    }
}

/* Looks only at pages that have trapped. */
static void range_renew(struct range *range)
{
    const size_t first = proa_atomic_exchange(&range->first, SIZE_MAX, PROA_RELAXED),
                 end = proa_atomic_exchange(&range->end, 0, PROA_RELAXED);

    if (first < end)
        pages_renew(range, first, end);
    if (proa_atomic_exchange(&range->is_open, 0, PROA_RELAXED))
        set_access(range->start, range->pages, PROT_NONE);
}

void proa_protection_renew(void)
{
    if (!started || proa_atomic_load(&lent, PROA_RELAXED) > 0)
        return;
    readers_enter();
    proa_atomic_store(&trapped, 0, PROA_RELAXED);
    for (int i = 0; i < range_count; i++)
        if (proa_atomic_load(&ranges[i].memory, PROA_SEQ_CST))
            range_renew(&ranges[i]);
    readers_leave();
}

uint64_t proa_protection_left_open(void)
{
    return proa_atomic_load(&left_open, PROA_RELAXED);
}
