/* SPDX-License-Identifier: BSD-3-Clause */
/* See trap.h. */
#include "traps/trap.h"
#include "base/atomic.h"

#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <link.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

enum { HITS = 1024, NUMBERS = SIGTRAP > SIGSEGV ? SIGTRAP + 1 : SIGSEGV + 1 };

/* A ring. Handlers take numbers at `written`, and fill their slots; `taken` are read. */
static struct {
    struct proa_trap_hit hit;
    uint32_t filled; /* 1 + its number: release, for proa_trap_next's acquire */
} ring[HITS];
static uint32_t written, taken;
static uint64_t lost;

static struct {
    uintptr_t first, end;
} c_library; /* its code */
static int (*is_watched)(uintptr_t word);
static struct sigaction *of_program[NUMBERS]; /* by number: what was there before the first take */

void proa_trap_write_down(const struct proa_trap_hit *hit)
{
    uint32_t at = proa_atomic_load(&written, PROA_RELAXED);

    do { /* an old `at` may lie behind `taken`, and is not stored */
        if ((int32_t)(at - proa_atomic_load(&taken, PROA_ACQUIRE)) >= HITS) {
            proa_atomic_fetch_add(&lost, 1, PROA_RELAXED);
            return;
        }
    } while (!proa_atomic_compare_exchange(&written, &at, at + 1, PROA_RELAXED, PROA_RELAXED));
    ring[at % HITS].hit = *hit;
    ring[at % HITS].hit.thread = (int)syscall(SYS_gettid);
    proa_atomic_store(&ring[at % HITS].filled, at + 1, PROA_RELEASE);
}

int proa_trap_next(struct proa_trap_hit *hit)
{
    const uint32_t at = proa_atomic_load(&taken, PROA_RELAXED);

    if (proa_atomic_load(&ring[at % HITS].filled, PROA_ACQUIRE) != at + 1)
        return 0;
    *hit = ring[at % HITS].hit;
    proa_atomic_store(&taken, at + 1, PROA_RELEASE); /* the slot may be filled anew */
    return 1;
}

uint64_t proa_trap_lost(void)
{
    return proa_atomic_load(&lost, PROA_RELAXED);
}

void proa_trap_spare(int (*watched)(uintptr_t word))
{
    proa_atomic_store(&is_watched, watched, PROA_RELAXED);
}

static int is_of_c_library(const void *instruction)
{
    return (uintptr_t)instruction >= c_library.first && (uintptr_t)instruction < c_library.end;
}

/* The return address to the caller of the C library, which is at that instruction. NULL: the stack
 * does not tell. Its words are return addresses and registers, which no watchpoint is on. */
static const void *caller_of_c_library(const void *instruction)
{
    enum { FRAMES = 64 };
    void *frames[FRAMES];
    const int count = backtrace(frames, FRAMES);
    int at = 0;

    while (at < count && frames[at] != instruction)
        at++;
    while (at < count && is_of_c_library(frames[at]))
        at++;
    return at < count ? frames[at] : NULL;
}

/* In a leaf function it is the return address. */
static const void *top_of(uintptr_t stack)
{
    int (*const watched)(uintptr_t) = proa_atomic_load(&is_watched, PROA_RELAXED);

    return watched && watched(stack) ? NULL : *(const void *const *)stack;
}

struct proa_trap_hit proa_trap_hit(const void *context)
{
    struct proa_trap_hit hit = {.access = PROA_TRAP_TOUCH};

#ifdef __x86_64__
    const greg_t *registers = ((const ucontext_t *)context)->uc_mcontext.gregs;

    hit.instruction = (const void *)(uintptr_t)registers[REG_RIP];
    if (is_of_c_library(hit.instruction))
        hit.caller = caller_of_c_library(hit.instruction);
    if (!hit.caller)
        hit.caller = top_of((uintptr_t)registers[REG_RSP]);
#else
    (void)context;
#endif
    return hit;
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* The name of the file that holds this code; "": none does. */
static const char *object_of(const void *instruction)
{
    Dl_info info;

    return dladdr(instruction, &info) && info.dli_fname ? last_part(info.dli_fname) : "";
}

static int is_of_mpi(const char *object)
{
    static const char *const names[] = {"libproa", "libmpi",    "libopen-",
                                        "libuc",   "libfabric", "libpmi"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(object, names[i], strlen(names[i])) == 0)
            return 1;
    return 0;
}

int proa_trap_is_program(const char *path)
{
    const char *object = last_part(path);

    return !is_of_mpi(object) && strncmp(object, "libc.so", 7) != 0 &&
           strncmp(object, "ld-linux", 8) != 0;
}

const void *proa_trap_place(const struct proa_trap_hit *hit)
{
    const void *place = hit->instruction;
    const char *object = object_of(place);

    if (strncmp(object, "libc.so", 7) == 0 && hit->caller && *object_of(hit->caller)) {
        place = hit->caller;
        object = object_of(place);
    }
    return is_of_mpi(object) ? NULL : place;
}

static int note_code(struct dl_phdr_info *info, size_t size, void *unused)
{
    const char *slash = strrchr(info->dlpi_name, '/');

    (void)size, (void)unused;
    if (!slash || strncmp(slash, "/libc.so", 8) != 0)
        return 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];

        if (part->p_type == PT_LOAD && part->p_flags & PF_X) {
            c_library.first = info->dlpi_addr + part->p_vaddr;
            c_library.end = c_library.first + part->p_memsz;
        }
    }
    return 1;
}

/* The first backtrace(3) loads a library, which a handler must not. */
static void know_c_library(void)
{
    void *frame;

    if (c_library.end)
        return;
    backtrace(&frame, 1);
    dl_iterate_phdr(note_code, NULL);
}

/* No other handler runs within ours: its own accesses would trap while traps are blocked. */
int proa_trap_take(int number, void (*handler)(int, siginfo_t *, void *), struct sigaction *before)
{
    struct sigaction ours = {.sa_sigaction = handler,
                             .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK};

    know_c_library();
    sigfillset(&ours.sa_mask);
    if (sigaction(number, &ours, before) != 0)
        return errno;
    if (!of_program[number])
        of_program[number] = before;
    return 0;
}

void proa_trap_give_back(int number, const struct sigaction *before)
{
    sigaction(number, before, NULL);
    if (of_program[number] == before)
        of_program[number] = NULL;
}

struct sigaction *proa_trap_action(int number)
{
    return number > 0 && number < NUMBERS ? of_program[number] : NULL;
}

/* As the kernel does before it calls the program's handler. */
static void set_mask(const struct sigaction *before, int number, const ucontext_t *context)
{
    sigset_t blocked;

    sigorset(&blocked, &context->uc_sigmask, &before->sa_mask);
    if (!(before->sa_flags & SA_NODEFER))
        sigaddset(&blocked, number);
    pthread_sigmask(SIG_SETMASK, &blocked, NULL);
}

void proa_trap_hand_on(const struct sigaction *before, int number, siginfo_t *info, void *context)
{
    set_mask(before, number, context);
    if (before->sa_flags & SA_SIGINFO) {
        before->sa_sigaction(number, info, context);
    } else if (before->sa_handler == SIG_DFL) {
        sigaction(number, before, NULL);
        if (info->si_code <= 0)
            raise(number); /* sent, and blocked until this handler returns; else it comes again */
    } else if (before->sa_handler != SIG_IGN) {
        before->sa_handler(number);
    }
}
