/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `valgrind --tool=proa`: records the program's own loads and stores for check mode, without
 * changing the program. The program sets the watched bytes, and takes the accesses, by requests
 * (translator/requests.h).
 */
#include "instrument.h"
#include "refused.h"
#include "site.h"
#include "touched.h"
#include "watched.h"

enum { THREADS_MOST = 1 << 12 };

/* The map of each thread's code, while another one runs. NULL before its first run. */
static UChar *map_of[THREADS_MOST];

/* ---- threads ---- */

static void thread_runs(ThreadId thread, ULong blocks)
{
    (void)blocks;
    proa_map_now = thread < THREADS_MOST && map_of[thread] ? map_of[thread] : proa_map_empty;
}

static void thread_rests(ThreadId thread, ULong blocks)
{
    (void)blocks;
    if (thread < THREADS_MOST)
        map_of[thread] = proa_map_now;
}

static void thread_begins(ThreadId maker, ThreadId thread)
{
    (void)maker;
    if (thread < THREADS_MOST)
        map_of[thread] = NULL;
}

static void forked(ThreadId thread)
{
    (void)thread;
    proa_touched_forked();
}

/* ---- system calls ---- */

static void call_touches(CorePart part, ThreadId thread, Addr low, SizeT bytes, UWord what)
{
    if (part == Vg_CoreSysCall && thread < THREADS_MOST && map_of[thread] == proa_map)
        proa_touched_by_call(thread, low, bytes, what);
}

static void call_loads(CorePart part, ThreadId thread, const HChar *name, Addr low, SizeT bytes)
{
    (void)name;
    call_touches(part, thread, low, bytes, PROA_LOADS);
}

static void call_loads_text(CorePart part, ThreadId thread, const HChar *name, Addr low)
{
    (void)name;
    if (part == Vg_CoreSysCall && proa_watched_any)
        call_touches(part, thread, low, VG_(strlen)((const HChar *)low) + 1, PROA_LOADS);
}

static void call_stores(CorePart part, ThreadId thread, Addr low, SizeT bytes)
{
    call_touches(part, thread, low, bytes, PROA_STORES);
}

/* ---- requests ---- */

/* Code that was translated before is not instrumented. */
static void watch(Addr low, SizeT bytes, UWord what)
{
    const Bool is_first = !proa_watched_any;

    proa_watched_add(low, bytes, what);
    if (is_first)
        VG_(discard_translations_safely)(0x1000, ~(SizeT)0 - 0x2000, "proa");
}

struct frames {
    UWord *into, most, count;
};

static void add_frame(UInt number, DiEpoch epoch, Addr ip, void *arg)
{
    struct frames *frames = arg;

    (void)number, (void)epoch;
    if (frames->count < frames->most)
        frames->into[frames->count++] = ip + 1;
}

static UWord resolve(UInt stack, UWord *into, UWord most)
{
    ExeContext *context = VG_(is_plausible_ECU)(stack) ? VG_(get_ExeContext_from_ECU)(stack) : NULL;
    struct frames frames = {into, most, 0};

    if (context)
        VG_(apply_ExeContext)(add_frame, &frames, context);
    return frames.count;
}

static Bool answer(ThreadId thread, UWord *request, UWord *result)
{
    (void)thread;
    *result = 0;
    switch (request[0]) {
    case PROA_ASK_BEGIN:
        proa_touched_tell((UInt *)request[1]);
        *result = PROA_TRANSLATOR_VERSION;
        return True;
    case PROA_ASK_WATCH:
        watch(request[1], request[2], request[3]);
        return True;
    case PROA_ASK_UNWATCH:
        proa_watched_drop(request[1], request[2], request[3]);
        return True;
    case PROA_ASK_DRAIN:
        *result = proa_touched_drain((struct proa_touched *)request[1], request[2]);
        return True;
    case PROA_ASK_STACK:
        *result = resolve((UInt)request[1], (UWord *)request[2], request[3]);
        return True;
    case PROA_ASK_COUNTS:
        *(struct proa_touched_counts *)request[1] = proa_touched_counts;
        *result = 1;
        return True;
    default:
        return False;
    }
}

/* ---- begin ---- */

/* Replaces the core's reader of lines (LINKER:--wrap). It is not needed here, and aborts programs
 * with unknown debugging information, such as that of clang before Valgrind 3.20. */
void __wrap_vgModuleLocal_read_debuginfo_dwarf3(void);
void __wrap_vgModuleLocal_read_debuginfo_dwarf3(void)
{
}

static void begin(void)
{
}

static void end(Int status)
{
    (void)status;
}

static void introduce(void)
{
    VG_(clo_vex_control).guest_chase = False;     /* each block is of one function, */
    VG_(clo_vex_control).iropt_unroll_thresh = 0; /* and the instruction pointer is exact */
    VG_(details_name)("proa");
    VG_(details_version)(NULL);
    VG_(details_description)("loads and stores for Proa's check mode");
    VG_(details_copyright_author)("Copyright (C) the authors of Proa.");
    VG_(details_bug_reports_to)("the authors of Proa");
    VG_(details_avg_translation_sizeB)(500);
    VG_(basic_tool_funcs)(begin, proa_instrument, end);
    VG_(needs_client_requests)(answer);
    VG_(track_start_client_code)(thread_runs);
    VG_(track_stop_client_code)(thread_rests);
    VG_(track_pre_thread_ll_create)(thread_begins);
    VG_(track_pre_thread_ll_exit)(proa_site_thread_ends);
    VG_(track_pre_mem_read)(call_loads);
    VG_(track_pre_mem_read_asciiz)(call_loads_text);
    VG_(track_post_mem_write)(call_stores);
    VG_(atfork)(NULL, NULL, forked);
    proa_refused_begin();
}

VG_DETERMINE_INTERFACE_VERSION(introduce)
