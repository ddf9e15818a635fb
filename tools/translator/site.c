/* SPDX-License-Identifier: BSD-3-Clause */
/* See site.h. */
#include "site.h"
#include "code.h"

enum { SLOTS = 1 << 12, SITES_MOST = 1 << 16, FRAMES = 48, THREADS_MOST = 1 << 12 };

static struct proa_site *table[SLOTS];
static UInt site_count, epoch;
static UInt numbers[THREADS_MOST]; /* kernel ids of threads; 0 if unknown */

/* The tool runs in the kernel thread of that thread. */
static UInt number_of(ThreadId thread)
{
    if (thread >= THREADS_MOST)
        return (UInt)VG_(gettid)();
    if (numbers[thread] == 0)
        numbers[thread] = (UInt)VG_(gettid)();
    return numbers[thread];
}

static UInt slot_of(Addr ip, Addr sp)
{
    return (UInt)((ip ^ ip >> 12 ^ sp >> 3) % SLOTS);
}

static Bool has_same_callers(const struct proa_site *site)
{
    for (UInt i = 0; i < site->callers; i++)
        if (*site->slot[i] != site->caller[i])
            return False;
    return True;
}

/* ---- create ---- */

struct stack {
    Addr ips[FRAMES], sps[FRAMES];
    UInt depth;
};

static ULong mix(ULong hash, ULong word)
{
    return (hash ^ word) * 0x100000001b3ULL;
}

/* Records the stack positions of the nearest callers' return addresses: right below the caller's
 * stack pointer after the return. */
static void note_callers(struct proa_site *site, const struct stack *stack)
{
    for (UInt i = 1; i < stack->depth && site->callers < PROA_SITE_CALLERS; i++) {
        const Addr *slot = (const Addr *)(stack->sps[i] - sizeof(Addr));

        if (stack->sps[i] <= site->sp || (Addr)slot - site->sp > (1 << 20) ||
            *slot != stack->ips[i] + 1)
            return;
        site->slot[site->callers] = slot;
        site->caller[site->callers++] = *slot;
    }
}

/* Returns the frame that the access is attributed to: for the C library its caller. */
static UInt frame_of_program(const struct stack *stack)
{
    for (UInt i = 0; i < stack->depth; i++)
        if (proa_code_at(stack->ips[i]) != PROA_CODE_COMMON)
            return i;
    return 0;
}

static void place(struct proa_site *site, const struct stack *stack)
{
    const UInt frame = frame_of_program(stack);

    note_callers(site, stack);
    site->is_left_out = proa_code_at(stack->ips[frame]) == PROA_CODE_MPI;
    if (site->is_left_out)
        return;
    site->place = stack->ips[frame] + 1;
    for (UInt i = frame; i < stack->depth; i++)
        site->chain = mix(site->chain, stack->ips[i]);
    site->stack = VG_(get_ECU_from_ExeContext)(
        VG_(make_ExeContext_from_StackTrace)(stack->ips + frame, stack->depth - frame));
}

/* The core keeps no longer stacks. */
static UInt frames_most(void)
{
    return VG_(clo_backtrace_size) < FRAMES ? (UInt)VG_(clo_backtrace_size) : FRAMES;
}

static void make(struct proa_site *site, const struct proa_access *access)
{
    struct stack stack;

    site->ip = access->ip;
    site->sp = access->sp;
    site->thread = number_of(access->thread);
    site->what = (UChar)access->what;
    site->polls = access->polls;
    site->is_of_call = access->is_of_call;
    stack.depth = VG_(get_StackTrace)(access->thread, stack.ips, frames_most(), stack.sps, NULL, 0);
    place(site, &stack);
}

/* ---- find ---- */

static Bool is_of(const struct proa_site *site, const struct proa_access *access, UInt thread)
{
    return site->ip == access->ip && site->sp == access->sp && site->what == access->what &&
           site->thread == thread && site->is_of_call == access->is_of_call &&
           has_same_callers(site);
}

struct proa_site *proa_site_known(const struct proa_access *access)
{
    struct proa_site *site = table[slot_of(access->ip, access->sp)];
    const UInt thread = number_of(access->thread);

    while (site && !is_of(site, access, thread))
        site = site->next;
    return site;
}

struct proa_site *proa_site_of(const struct proa_access *access)
{
    struct proa_site **slot = &table[slot_of(access->ip, access->sp)];
    struct proa_site *site = proa_site_known(access);

    if (site || site_count == SITES_MOST)
        return site;
    site_count++;
    site = VG_(calloc)("proa.site", 1, sizeof *site);
    make(site, access);
    site->next = *slot;
    *slot = site;
    return site;
}

/* ---- forget ---- */

static void clear(void)
{
    for (UInt i = 0; i < SLOTS; i++) {
        while (table[i]) {
            struct proa_site *next = table[i]->next;

            VG_(free)(table[i]);
            table[i] = next;
        }
    }
    site_count = 0;
}

void proa_site_rest(void)
{
    const UInt now = VG_(current_DiEpoch)().n;

    if (now != epoch || site_count > SITES_MOST / 2)
        clear();
    epoch = now;
}

void proa_site_thread_ends(ThreadId thread)
{
    if (thread < THREADS_MOST)
        numbers[thread] = 0;
}

void proa_site_forked(void)
{
    VG_(memset)(numbers, 0, sizeof numbers);
    clear();
}
