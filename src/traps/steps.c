/* SPDX-License-Identifier: BSD-3-Clause */
/* See steps.h. */
#include "traps/steps.h"

#ifdef __x86_64__

#include "base/atomic.h"
#include "traps/operand.h"
#include "traps/trap.h"

#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <ucontext.h>

enum { PLACES = 1024, TRAP_FLAG = 0x100 };

/* The handler changes the state between any two instructions. CUT: it has ended before the thread
 * ends it. ENDING: the next trap is the last. */
enum state { OFF, ON, CUT, ENDING };

static _Thread_local struct {
    volatile enum state state;
    proa_steps_matters *matters;
    uint32_t left, hits;
    uintptr_t last;    /* the instruction before */
    uint8_t *of_place; /* how often they began there */
} steps;

static uint32_t made; /* by all threads */

/* ---- the handler ---- */

/* Signals blocked by the C library itself, as while it makes a thread, would let the next trap end
 * the program. */
static int is_system_call_to_avoid(const greg_t *registers)
{
    const uint8_t *code = (const uint8_t *)(uintptr_t)registers[REG_RIP];

    if (code[0] != 0x0f || code[1] != 0x05)
        return 0;
    switch (registers[REG_RAX]) {
    case SYS_rt_sigprocmask:
    case SYS_clone:
    case SYS_clone3:
    case SYS_fork:
    case SYS_vfork:
    case SYS_execve:
    case SYS_exit:
        return 1;
    default:
        return 0;
    }
}

static void write_down(const void *context, const struct proa_operand *operand)
{
    struct proa_trap_hit hit = proa_trap_hit(context);

    hit.instruction = (const char *)hit.instruction + 1; /* the trap is at its start */
    hit.memory = (const void *)operand->address;
    hit.bytes = operand->bytes;
    hit.access = operand->stores ? PROA_TRAP_STORE : PROA_TRAP_LOAD;
    hit.is_step = 1;
    proa_trap_write_down(&hit);
    steps.hits++;
}

static void look(const void *context)
{
    struct proa_operand operands[PROA_OPERANDS];
    const int count = proa_operands(context, operands);

    for (int i = 0; i < count; i++)
        if (steps.matters((const void *)operands[i].address, operands[i].bytes, operands[i].stores))
            write_down(context, &operands[i]);
}

/* They may have ended since: code that a handler has interrupted goes on with the flag set, though
 * the handler's own steps have been cut. */
int proa_steps_have_begun(void)
{
    return steps.matters != NULL;
}

int proa_steps_go_on(const void *context)
{
    const greg_t *registers = ((const ucontext_t *)context)->uc_mcontext.gregs;
    const uintptr_t instruction = (uintptr_t)registers[REG_RIP];

    if (steps.state == ENDING)
        steps.state = OFF;
    if (steps.state != ON)
        return 0;
    if (steps.left-- == 0 || steps.hits >= PROA_STEPS_HITS || is_system_call_to_avoid(registers)) {
        steps.state = CUT;
        return 0;
    }
    if (instruction != steps.last) /* a string instruction, that was looked at as a whole */
        look(context);
    steps.last = instruction;
    return 1;
}

/* ---- begin and end ---- */

/* Places with the same number share a count. */
static int is_early(const void *place)
{
    static uint8_t of_place[PLACES];

    steps.of_place = &of_place[((uintptr_t)place * 2654435769U >> 16) % PLACES];
    return proa_atomic_load(steps.of_place, PROA_RELAXED) < PROA_STEPS_OF_PLACE &&
           proa_atomic_load(&made, PROA_RELAXED) < PROA_STEPS_MOST;
}

static int is_blocked(void)
{
    sigset_t blocked;

    return pthread_sigmask(SIG_BLOCK, NULL, &blocked) != 0 || sigismember(&blocked, SIGTRAP);
}

/* After a cut no steps begin until it is known to the thread. */
void proa_steps_begin(const void *place, proa_steps_matters *matters)
{
    if (steps.state != OFF || !is_early(place) || is_blocked())
        return;
    steps.matters = matters;
    steps.left = PROA_STEPS;
    steps.hits = 0;
    steps.last = 0;
    steps.state = ON;
    __builtin_ia32_writeeflags_u64(__builtin_ia32_readeflags_u64() | TRAP_FLAG);
}

int proa_steps_end(void)
{
    int is_whole;

    if (steps.state == OFF)
        return 0;
    is_whole = steps.state == ON;
    steps.state = is_whole ? ENDING : OFF;
    if (steps.state == ENDING) { /* it was cut in between, and traps no more */
        steps.state = OFF;
        is_whole = 0;
    }
    proa_atomic_fetch_add(&made, PROA_STEPS - steps.left, PROA_RELAXED);
    proa_atomic_fetch_add(steps.of_place, is_whole ? 1 : PROA_STEPS_EARLY, PROA_RELAXED);
    return is_whole;
}

#else

void proa_steps_begin(const void *place, proa_steps_matters *matters)
{
    (void)place, (void)matters;
}

int proa_steps_end(void)
{
    return 0;
}

int proa_steps_have_begun(void)
{
    return 0;
}

int proa_steps_go_on(const void *context)
{
    (void)context;
    return 0;
}

#endif
