/* SPDX-License-Identifier: BSD-3-Clause */
/* See stack.h. */
#include "findings/stack.h"
#include "base/atomic.h"
#include "base/hash.h"
#include "base/hidden.h"
#include "base/settings.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unwind.h>
#include <uthash.h>

enum {
    STACKS_MOST = 1 << 16, /* stacks of this process */
    ENTRIES_BITS = 7,      /* entries of a thread's cache, as a power of two */
    BEYOND = 4             /* extra frames: of a binding, and below main */
};

const char *proa_stack_binding_name(unsigned binding)
{
    static const char *const names[] = {"", "Fortran", "C++"};

    return names[binding];
}

/* ---- owners of frames ---- */

/* SYSTEM: the C library. From MPI on: Proa, and libraries of an MPI, with PROA_BINDING_* added. */
enum owner { UNKNOWN, PROGRAM, SYSTEM, MPI };

static int starts(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static int is_fortran(const char *library)
{
    static const char *const names[] = {"libmpifort", "libmpichfort", "libmpi_mpifh",
                                        "libmpi_usempi"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (starts(library, names[i]))
            return 1;
    return 0;
}

/* Returns true for MPI::Win::Put and the like, of MPI-2's C++ binding. Its headers define them
 * inside the program. */
static int is_cpp(const char *symbol)
{
    return symbol && (starts(symbol, "_ZN3MPI") || starts(symbol, "_ZNK3MPI"));
}

static unsigned look_at(const void *address)
{
    Dl_info info;
    const char *name;

    if (!dladdr(address, &info) || !info.dli_fname)
        return PROGRAM; /* code that was compiled at run time */
    name = basename(info.dli_fname);
    if (is_cpp(info.dli_sname))
        return MPI + PROA_BINDING_CPP;
    if (is_fortran(name))
        return MPI + PROA_BINDING_FORTRAN;
    if (starts(name, "libproa") || starts(name, "libmpi") || starts(name, "libpmpi") ||
        starts(name, "libopen-"))
        return MPI;
    return starts(name, "libc.so") || starts(name, "libpthread.so") ? SYSTEM : PROGRAM;
}

/* Finding the file of an address takes a microsecond. Owners of return addresses are therefore
 * cached, in the upper bits. */
static unsigned owner_of(const void *pc)
{
    enum { KNOWN_BITS = 10, ADDRESS_BITS = 56 };
    static uint64_t known[1 << KNOWN_BITS];
    const uint64_t address = (uintptr_t)pc & (((uint64_t)1 << ADDRESS_BITS) - 1);
    uint64_t *slot = &known[proa_hash_number(address, KNOWN_BITS)];
    const uint64_t kept = proa_atomic_load(slot, PROA_RELAXED);
    unsigned owner;

    if ((kept & (((uint64_t)1 << ADDRESS_BITS) - 1)) == address && kept >> ADDRESS_BITS)
        return (unsigned)(kept >> ADDRESS_BITS);
    owner = look_at((const char *)pc - 1);
    proa_atomic_store(slot, (uint64_t)owner << ADDRESS_BITS | address, PROA_RELAXED);
    return owner;
}

/* ---- kept stacks ---- */

struct kept {
    UT_hash_handle hh;
    struct proa_stack stack;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct kept *all;

/* The caller holds the mutex. */
static struct kept *keep(const void *const *frames, unsigned count, unsigned binding)
{
    const size_t bytes = count * sizeof *frames;
    struct kept *kept;

    HASH_FIND(hh, all, frames, bytes, kept);
    if (kept || HASH_COUNT(all) >= STACKS_MOST)
        return kept;
    kept = calloc(1, sizeof *kept + bytes);
    if (!kept)
        return NULL;
    kept->stack.count = (uint16_t)count;
    kept->stack.binding = (uint16_t)binding;
    memcpy(kept->stack.frames, frames, bytes);
    HASH_ADD_KEYPTR(hh, all, kept->stack.frames, bytes, kept);
    return kept;
}

const void *proa_stack_keep(const void *const *frames, unsigned count, unsigned binding)
{
    struct kept *kept;

    pthread_mutex_lock(&mutex);
    kept = keep(frames, count, binding);
    pthread_mutex_unlock(&mutex);
    return kept ? proa_stack_caller(&kept->stack) : frames[0];
}

/* ---- unwinding ---- */

/* The unwinder of the C compiler's library, which the C library loads as well. */
static struct {
    __typeof__(&_Unwind_Backtrace) backtrace;
    __typeof__(&_Unwind_GetCFA) cfa;
    __typeof__(&_Unwind_GetIP) ip;
} unwinder;

static void find_unwinder(void)
{
    void *library = dlopen("libgcc_s.so.1", RTLD_LAZY | RTLD_LOCAL);

    if (!library)
        return;
    *(void **)&unwinder.cfa = dlsym(library, "_Unwind_GetCFA");
    *(void **)&unwinder.ip = dlsym(library, "_Unwind_GetIP");
    if (unwinder.cfa && unwinder.ip)
        *(void **)&unwinder.backtrace = dlsym(library, "_Unwind_Backtrace");
}

/* Frames from the one at `caller` on: their return addresses, and the stack words that hold
 * these. */
struct walk {
    const void *caller;
    const char *low; /* end of the previous frame */
    unsigned count, most;
    unsigned used; /* frames down to the last one in a report */
    struct {
        const void *pc;
        const void *const *word; /* NULL if unknown */
    } frame[PROA_STACK_MOST + BEYOND];
};

/* Returns the word of the frame [low, high) that holds its return address: the last one on x86, the
 * one after the frame pointer on arm64. Returns NULL if neither holds it. */
static const void *const *word_with(const void *pc, const char *low, const char *high)
{
    const void *const *last = (const void *const *)(const void *)high - 1;
    const void *const *second = (const void *const *)(const void *)low + 1;

    if (*last == pc)
        return last;
    return (const char *)(second + 1) <= high && *second == pc ? second : NULL;
}

static _Unwind_Reason_Code visit(struct _Unwind_Context *context, void *arg)
{
    struct walk *walk = arg;
    const void *pc = (const void *)unwinder.ip(context);
    const char *high = (const char *)unwinder.cfa(context);
    const int is_due = walk->count || (walk->caller ? pc == walk->caller : owner_of(pc) < MPI);

    if (!pc || (is_due && walk->count == walk->most))
        return _URC_END_OF_STACK;
    if (is_due) {
        walk->frame[walk->count].pc = pc;
        walk->frame[walk->count].word = walk->count ? word_with(pc, walk->low, high) : NULL;
        walk->count++;
    }
    walk->low = high;
    return _URC_NO_REASON;
}

static unsigned frames_most(void)
{
    return (unsigned)proa_settings()->check_stack;
}

static void unwind(struct walk *walk, const void *caller)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    walk->caller = caller;
    walk->low = NULL;
    walk->count = walk->used = 0;
    walk->most = frames_most() + BEYOND;
    pthread_once(&once, find_unwinder);
    if (unwinder.backtrace)
        unwinder.backtrace(visit, walk);
}

/* Excludes frames below main: the C library calls main and the functions of threads, and _start of
 * the program calls it. */
static unsigned without_start(const struct walk *walk)
{
    unsigned count = walk->count;

    if (count > 2 && owner_of(walk->frame[count - 2].pc) == SYSTEM)
        count--;
    while (count > 1 && owner_of(walk->frame[count - 1].pc) == SYSTEM)
        count--;
    return count;
}

/* Returns NULL if no frame is the program's. */
static const void *place_of(struct walk *walk)
{
    const unsigned end = without_start(walk);
    const void *frames[PROA_STACK_MOST];
    unsigned count = 0, binding = PROA_BINDING_NONE;

    for (unsigned i = 0; i < end && count < frames_most(); i++) {
        const unsigned owner = owner_of(walk->frame[i].pc);

        if (owner < MPI) {
            frames[count++] = walk->frame[i].pc;
            walk->used = i + 1;
        } else if (owner > MPI && !count) {
            binding = owner - MPI;
        }
    }
    return count ? proa_stack_keep(frames, count, binding) : NULL;
}

/* ---- cached stacks ---- */

/* A stack for this return address when proa_stack_here is called at this stack height. */
struct entry {
    const void *caller, *place;
    const char *height;
    unsigned count;
    struct {
        const void *const *word;
        const void *pc;
    } slot[];
};

/* Cache of this thread; NULL before the first use. */
static _Thread_local struct {
    char *memory;
    size_t bytes; /* size of one */
} entries PROA_INITIAL_EXEC;
static pthread_key_t at_end;

static void drop_entries(void *memory)
{
    entries.memory = NULL;
    free(memory);
}

static void make_key(void)
{
    pthread_key_create(&at_end, drop_entries);
}

static void make_entries(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, make_key);
    entries.bytes =
        sizeof(struct entry) + (frames_most() + BEYOND) * sizeof((struct entry *)NULL)->slot[0];
    entries.memory = calloc((size_t)1 << ENTRIES_BITS, entries.bytes);
    pthread_setspecific(at_end, entries.memory);
}

static struct entry *entry_of(const void *caller, const char *height)
{
    const uint64_t number = (uintptr_t)caller ^ (uint64_t)(uintptr_t)height << 20;

    if (!entries.memory)
        make_entries();
    return entries.memory ? (struct entry *)(void *)&entries
                                .memory[proa_hash_number(number, ENTRIES_BITS) * entries.bytes]
                          : NULL;
}

/* If a word still holds its return address, its frame and the next one are live. */
static int holds(const struct entry *entry)
{
    for (unsigned i = 0; i < entry->count; i++)
        if (*entry->slot[i].word != entry->slot[i].pc)
            return 0;
    return 1;
}

static void note(struct entry *entry, const struct walk *walk, const char *height,
                 const void *place)
{
    entry->caller = NULL;
    entry->height = height;
    entry->place = place;
    entry->count = walk->used - 1;
    for (unsigned i = 0; i < entry->count; i++) {
        entry->slot[i].word = walk->frame[i + 1].word;
        entry->slot[i].pc = walk->frame[i + 1].pc;
        if (!entry->slot[i].word)
            return;
    }
    entry->caller = walk->caller;
}

static __attribute__((noinline)) const void *look(struct entry *entry, const void *caller,
                                                  const char *height)
{
    struct walk walk;
    const void *place;

    unwind(&walk, caller);
    if (!walk.count) /* no frame has that address, as after a jump in place of a call */
        unwind(&walk, NULL);
    place = place_of(&walk);
    if (place && entry && walk.caller)
        note(entry, &walk, height, place);
    return place ? place : caller;
}

__attribute__((noinline)) const void *proa_stack_here(const void *caller)
{
    const char *height = __builtin_frame_address(0);
    struct entry *entry = caller ? entry_of(caller, height) : NULL;

    if (entry && entry->caller == caller && entry->height == height && holds(entry))
        return entry->place;
    return look(entry, caller, height);
}
