/* SPDX-License-Identifier: BSD-3-Clause */
/* See refused.h. */
#include "refused.h"

#include <pub_tool_libcfile.h>
#include <pub_tool_vkiscnums.h>

enum { LARGE_GIB = 4, GIB_SHIFT = 30, LINE = 400, STANDARD_ERROR = 2 };

static void say(const HChar *line)
{
    VG_(write)(STANDARD_ERROR, line, (Int)VG_(strlen)(line));
}

/* ---- instructions ---- */

/* Instructions that raise SIGILL intentionally: UD0, UD1, UD2. */
static Bool is_meant(const UChar *code)
{
    return code[0] == 0x0f && (code[1] == 0x0b || code[1] == 0xb9 || code[1] == 0xff);
}

/* The first byte of all instructions of AVX-512 except those of masks (EVEX). */
static Bool is_avx512(const UChar *code)
{
    return code[0] == 0x62;
}

static VG_REGPARM(1) void name_code(Addr code)
{
    static Bool is_said;
    DebugInfo *file = VG_(find_DebugInfo)(VG_(current_DiEpoch)(), code);
    const UChar *bytes = (const UChar *)code;
    HChar line[LINE];

    if (is_said || is_meant(bytes))
        return;
    is_said = True;
    VG_(snprintf)
    (line, sizeof line, "proa: %.200s+0x%lx has %s, which --check=memory does not run: %s\n",
     file ? VG_(DebugInfo_get_filename)(file) : "code",
     code - (file ? (Addr)VG_(DebugInfo_get_text_bias)(file) : 0),
     is_avx512(bytes) ? "an instruction of AVX-512" : "an unknown instruction",
     is_avx512(bytes) ? "compile it without (gcc, clang: -mno-avx512f)"
                      : "compile it for an older processor");
    say(line);
}

void proa_refused_see(IRSB *out, const IRSB *block)
{
    addStmtToIRSB(out,
                  IRStmt_Dirty(unsafeIRDirty_0_N(1, "name_code", VG_(fnptr_to_fnentry)(&name_code),
                                                 mkIRExprVec_1(deepCopyIRExpr(block->next)))));
}

/* ---- mappings ---- */

static void call_begins(ThreadId thread, UInt number, UWord *words, UInt count)
{
    (void)thread, (void)number, (void)words, (void)count;
}

/* If no address range is free, the core returns EINVAL; without memory the kernel returns
 * ENOMEM. */
static Bool lacks_addresses(const UWord *words, SysRes result)
{
    return sr_isError(result) && words[1] >> GIB_SHIFT >= LARGE_GIB &&
           (sr_Err(result) == VKI_EINVAL || (words[3] & VKI_MAP_FIXED));
}

static void call_ends(ThreadId thread, UInt number, UWord *words, UInt count, SysRes result)
{
    static Bool is_said;
    HChar line[LINE];

    (void)thread, (void)count;
    if (number != __NR_mmap || is_said || !lacks_addresses(words, result))
        return;
    is_said = True;
    VG_(snprintf)
    (line, sizeof line,
     "proa: a mapping of %lu GiB fails, for which --check=memory has no addresses: run "
     "the program with less, or without --check=memory\n",
     words[1] >> GIB_SHIFT);
    say(line);
}

void proa_refused_begin(void)
{
    VG_(needs_syscall_wrapper)(call_begins, call_ends);
}
