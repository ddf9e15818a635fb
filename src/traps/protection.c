/* SPDX-License-Identifier: BSD-3-Clause */
/* See protection.h. */
#include "traps/protection.h"
#include "base/atomic.h"
#include "traps/trap.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

enum { OPEN = UINT16_MAX /* the traps of a page that is left open */ };

/* A range. Handlers read it: `memory` is stored last, and cleared first. */
struct range {
    uintptr_t memory; /* 0: there is none */
    size_t pages;
    uint16_t *traps; /* of each page since it was protected last */
};

static struct range ranges[PROA_PROTECTIONS];
static struct sigaction segv_before, trap_before;
static uintptr_t page_bytes;
static int started;
static uint64_t left_open;
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

static const struct range *range_of(uintptr_t address)
{
    for (int i = 0; i < PROA_PROTECTIONS; i++) {
        const uintptr_t memory = proa_atomic_load(&ranges[i].memory, PROA_ACQUIRE);

        if (memory && address - memory < ranges[i].pages * page_bytes)
            return &ranges[i];
    }
    return NULL;
}

static uint16_t *traps_of(const struct range *range, uintptr_t address)
{
    return &range->traps[(address - range->memory) / page_bytes];
}

static void set_access(uintptr_t page, size_t pages, int access)
{
    mprotect((void *)page, pages * page_bytes, access); /* async-signal-safe on Linux */
}

static void page_open(const struct range *range, uintptr_t page)
{
    proa_atomic_store(traps_of(range, page), OPEN, PROA_RELAXED);
    set_access(page, 1, PROT_READ | PROT_WRITE);
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
static void let_pass(const struct range *range, uintptr_t page, ucontext_t *context)
{
    uint16_t *traps = traps_of(range, page);

    if (step.pages == STEPS ||
        proa_atomic_fetch_add(&trapped, 1, PROA_RELAXED) >= PROA_PROTECTION_MOST ||
        proa_atomic_fetch_add(traps, 1, PROA_RELAXED) >= PROA_PROTECTION_TRAPS) {
        proa_atomic_fetch_add(&left_open, 1, PROA_RELAXED);
        page_open(range, page);
        return;
    }
    step.page[step.pages++] = page;
    set_access(page, 1, PROT_READ | PROT_WRITE);
    set_single_step(context, 1);
}

static void write_down(uintptr_t address, const ucontext_t *context)
{
    struct proa_trap_hit hit = proa_trap_hit(context);

    hit.instruction = (const char *)hit.instruction + 1; /* the fault is at its start */
    hit.memory = (const void *)address;
    hit.access = access_of(context);
    proa_trap_write_down(&hit);
}

static void on_fault(int number, siginfo_t *info, void *context)
{
    const uintptr_t address = (uintptr_t)info->si_addr;
    const struct range *range = info->si_code == SEGV_ACCERR ? range_of(address) : NULL;
    int error = errno;

    if (!range) {
        proa_trap_hand_on(&segv_before, number, info, context);
        return;
    }
    write_down(address, context);
    let_pass(range, address & ~(page_bytes - 1), context);
    errno = error;
}

/* The instruction is done. Pages that were left open, or are in no range any more, stay. */
static void on_step(int number, siginfo_t *info, void *context)
{
    int error = errno;

    if (info->si_code != TRAP_TRACE || step.pages == 0) {
        proa_trap_hand_on(&trap_before, number, info, context);
        return;
    }
    for (int i = 0; i < step.pages; i++) {
        const struct range *range = range_of(step.page[i]);

        if (range && proa_atomic_load(traps_of(range, step.page[i]), PROA_RELAXED) < OPEN)
            set_access(step.page[i], 1, PROT_NONE);
    }
    step.pages = 0;
    set_single_step(context, 0);
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
    for (int i = 0; i < PROA_PROTECTIONS; i++)
        proa_protection_drop((void *)ranges[i].memory);
    sigaction(SIGSEGV, &segv_before, NULL);
    sigaction(SIGTRAP, &trap_before, NULL);
    started = 0;
}

int proa_protection_is_on(void)
{
    return started;
}

/* ---- ranges ---- */

int proa_protection_add(void *memory, size_t bytes)
{
    struct range *range = ranges;

    while (range < ranges + PROA_PROTECTIONS && range->memory)
        range++;
    if (!started || range == ranges + PROA_PROTECTIONS)
        return ENOSPC;
    free(range->traps); /* of a range before: a handler may have read it until now */
    range->pages = bytes / page_bytes;
    range->traps = calloc(range->pages, sizeof *range->traps);
    if (!range->traps)
        return ENOMEM;
    proa_atomic_store(&range->memory, (uintptr_t)memory, PROA_RELEASE);
    if (mprotect(memory, bytes, PROT_NONE) == 0)
        return 0;
    proa_atomic_store(&range->memory, 0, PROA_RELAXED);
    return errno;
}

static struct range *range_at(uintptr_t memory)
{
    for (int i = 0; i < PROA_PROTECTIONS; i++)
        if (memory && ranges[i].memory == memory)
            return &ranges[i];
    return NULL;
}

int proa_protection_has(const void *memory)
{
    return started && range_of((uintptr_t)memory) != NULL;
}

void proa_protection_drop(void *memory)
{
    struct range *range = range_at((uintptr_t)memory);

    if (!range)
        return;
    for (size_t i = 0; i < range->pages; i++)
        proa_atomic_store(&range->traps[i], OPEN, PROA_RELAXED);
    set_access(range->memory, range->pages, PROT_READ | PROT_WRITE);
    proa_atomic_store(&range->memory, 0, PROA_RELAXED);
}

void proa_protection_open(const void *memory, size_t bytes)
{
    const uintptr_t end = (uintptr_t)memory + bytes;

    for (uintptr_t page = (uintptr_t)memory & ~(page_bytes - 1); page < end; page += page_bytes) {
        const struct range *range = range_of(page);

        if (range)
            page_open(range, page);
    }
}

int proa_protection_lend(const void *memory, size_t bytes)
{
    if (!started || bytes == 0 ||
        (!range_of((uintptr_t)memory) && !range_of((uintptr_t)memory + bytes - 1)))
        return 0;
    proa_atomic_fetch_add(&lent, 1, PROA_RELAXED);
    proa_protection_open(memory, bytes);
    return 1;
}

/* Of pages that are lent twice the second to come back protects them; what is left open until then
 * is proa_protection_renew's. */
void proa_protection_take_back(const void *memory, size_t bytes)
{
    const uintptr_t end = (uintptr_t)memory + bytes;

    if (proa_atomic_fetch_sub(&lent, 1, PROA_RELAXED) > 1)
        return;
    for (uintptr_t page = (uintptr_t)memory & ~(page_bytes - 1); page < end; page += page_bytes) {
        const struct range *range = range_of(page);

        if (range) {
            proa_atomic_store(traps_of(range, page), 0, PROA_RELAXED);
            set_access(page, 1, PROT_NONE);
        }
    }
}

/* Protects the open pages of a range, a run of them at a time. */
static void range_renew(struct range *range)
{
    size_t from = 0;

    for (size_t i = 0; i <= range->pages; i++) {
        if (i < range->pages && proa_atomic_exchange(&range->traps[i], 0, PROA_RELAXED) == OPEN)
            continue;
        if (i > from)
            set_access(range->memory + from * page_bytes, i - from, PROT_NONE);
        from = i + 1;
    }
}

void proa_protection_renew(void)
{
    if (proa_atomic_load(&lent, PROA_RELAXED) > 0)
        return;
    proa_atomic_store(&trapped, 0, PROA_RELAXED);
    for (int i = 0; i < PROA_PROTECTIONS; i++)
        if (ranges[i].memory)
            range_renew(&ranges[i]);
}

uint64_t proa_protection_left_open(void)
{
    return proa_atomic_load(&left_open, PROA_RELAXED);
}
