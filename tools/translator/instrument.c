/* SPDX-License-Identifier: BSD-3-Clause */
/* See instrument.h. */
#include "instrument.h"
#include "code.h"
#include "poll.h"
#include "refused.h"
#include "touched.h"
#include "watched.h"

/* ---- expressions ---- */

static IRExpr *tmp_of(IRSB *out, IRType type, IRExpr *value)
{
    const IRTemp tmp = newIRTemp(out->tyenv, type);

    addStmtToIRSB(out, IRStmt_WrTmp(tmp, value));
    return IRExpr_RdTmp(tmp);
}

static IRExpr *word(UWord value)
{
    return IRExpr_Const(IRConst_U64(value));
}

static IRExpr *both(IRSB *out, IROp op, IRType type, IRExpr *one, IRExpr *other)
{
    return tmp_of(out, type, IRExpr_Binop(op, one, other));
}

/* Returns an expression: true if bytes at that address may be watched for one of these accesses. */
static IRExpr *may_be_watched(IRSB *out, IRExpr *address, UWord what)
{
    IRExpr *line =
        both(out, Iop_Shr64, Ity_I64, address, IRExpr_Const(IRConst_U8(PROA_LINE_SHIFT)));
    IRExpr *map = tmp_of(out, Ity_I64, IRExpr_Load(Iend_LE, Ity_I64, word((Addr)&proa_map_now)));
    IRExpr *at;

    line = both(out, Iop_And64, Ity_I64, line, word(PROA_MAP_LINES - 1));
    at = both(out, Iop_Add64, Ity_I64, map, line);
    at = tmp_of(out, Ity_I8, IRExpr_Load(Iend_LE, Ity_I8, at));
    at = both(out, Iop_And8, Ity_I8, at, IRExpr_Const(IRConst_U8((UChar)what)));
    return both(out, Iop_CmpNE8, Ity_I1, at, IRExpr_Const(IRConst_U8(0)));
}

/* ---- one access ---- */

/* kind: atom. guard: the access's own guard, or NULL. */
static void call_tool(IRSB *out, IRExpr *address, IRExpr *kind, IRExpr *guard)
{
    IRDirty *call =
        unsafeIRDirty_0_N(3, "proa_touched_by_code", VG_(fnptr_to_fnentry)(&proa_touched_by_code),
                          mkIRExprVec_3(IRExpr_GSPTR(), address, kind));

    if (guard)
        call->guard = guard;
    call->nFxState = 2;
    VG_(memset)(&call->fxState, 0, sizeof call->fxState);
    call->fxState[0].fx = call->fxState[1].fx = Ifx_Read;
    call->fxState[0].offset = offsetof(VexGuestAMD64State, guest_RIP);
    call->fxState[1].offset = offsetof(VexGuestAMD64State, guest_RSP);
    call->fxState[0].size = call->fxState[1].size = sizeof(ULong);
    addStmtToIRSB(out, IRStmt_Dirty(call));
}

/* kind: as in proa_touched_kind. */
static void see_kind(IRSB *out, IRExpr *address, UWord bytes, UWord kind, IRExpr *own_guard)
{
    IRExpr *guard = own_guard;

    if (bytes <= PROA_ACCESS_MOST)
        guard = may_be_watched(out, address, kind & PROA_LOADS_AND_STORES);
    if (own_guard && guard != own_guard)
        guard = both(out, Iop_And1, Ity_I1, guard, own_guard);
    call_tool(out, address, word(kind), guard);
}

static void see(IRSB *out, IRExpr *address, UWord bytes, UWord what, IRExpr *own_guard)
{
    see_kind(out, address, bytes, proa_touched_kind(bytes, what), own_guard);
}

static UWord size_of(const IRSB *in, const IRExpr *value)
{
    return (UWord)sizeofIRType(typeOfIRExpr(in->tyenv, value));
}

/* ---- compare and swap ---- */

static IRExpr *is_same(IRSB *out, const IRExpr *expected, IRTemp old)
{
    IRExpr *one = IRExpr_RdTmp(old), *other = (IRExpr *)expected;

    switch (typeOfIRTemp(out->tyenv, old)) {
    case Ity_I8:
        return both(out, Iop_CmpEQ8, Ity_I1, one, other);
    case Ity_I16:
        return both(out, Iop_CmpEQ16, Ity_I1, one, other);
    case Ity_I32:
        return both(out, Iop_CmpEQ32, Ity_I1, one, other);
    default:
        return both(out, Iop_CmpEQ64, Ity_I1, one, other);
    }
}

/* A failed swap is a load. */
static void see_swap(IRSB *out, const IRCAS *swap)
{
    const UWord half = size_of(out, swap->dataLo), bytes = swap->dataHi ? 2 * half : half;
    IRExpr *guard = may_be_watched(out, swap->addr, PROA_LOADS_AND_STORES);
    IRExpr *succeeds = is_same(out, swap->expdLo, swap->oldLo), *kind;

    if (swap->dataHi)
        succeeds = both(out, Iop_And1, Ity_I1, succeeds, is_same(out, swap->expdHi, swap->oldHi));
    kind = tmp_of(out, Ity_I64,
                  IRExpr_ITE(succeeds, word(proa_touched_kind(bytes, PROA_LOADS_AND_STORES)),
                             word(proa_touched_kind(bytes, PROA_LOADS))));
    call_tool(out, swap->addr, kind, guard);
}

/* Returns the swap of the instruction that starts there, which may load first; NULL if it has
 * none. */
static const IRCAS *swap_of_instruction(const IRSB *in, Int at)
{
    for (at++; at < in->stmts_used && in->stmts[at]->tag != Ist_IMark; at++)
        if (in->stmts[at]->tag == Ist_CAS)
            return in->stmts[at]->Ist.CAS.details;
    return NULL;
}

static Bool is_of_swap(const IRCAS *swap, const IRExpr *address)
{
    return swap && eqIRAtom(swap->addr, address);
}

/* ---- statements ---- */

static void see_load(IRSB *out, const IRExpr *load, const IRCAS *swap, Bool polls)
{
    const UWord bytes = load->tag == Iex_Load ? (UWord)sizeofIRType(load->Iex.Load.ty) : 0;

    if (bytes && !is_of_swap(swap, load->Iex.Load.addr))
        see_kind(out, load->Iex.Load.addr, bytes,
                 proa_touched_kind(bytes, PROA_LOADS) | (polls ? PROA_TOUCHED_POLLS : 0), NULL);
}

static void see_guarded_load(IRSB *out, const IRLoadG *load)
{
    IRType result, type;

    typeOfIRLoadGOp(load->cvt, &result, &type);
    see(out, load->addr, (UWord)sizeofIRType(type), PROA_LOADS, load->guard);
}

/* Instruments instructions that the core emulates by a function, such as those of 80-bit
 * numbers. */
static void see_dirty(IRSB *out, const IRDirty *dirty)
{
    const UWord what =
        (dirty->mFx != Ifx_Write ? PROA_LOADS : 0) | (dirty->mFx != Ifx_Read ? PROA_STORES : 0);

    if (dirty->mFx != Ifx_None)
        see(out, dirty->mAddr, (UWord)dirty->mSize, what, dirty->guard);
}

/* Adds the accesses of a statement after it. polls: flags by temporary. */
static void see_statement(IRSB *out, const IRStmt *statement, const IRCAS *swap, const UChar *polls)
{
    switch (statement->tag) {
    case Ist_WrTmp:
        see_load(out, statement->Ist.WrTmp.data, swap, polls && polls[statement->Ist.WrTmp.tmp]);
        break;
    case Ist_Store:
        see(out, statement->Ist.Store.addr, size_of(out, statement->Ist.Store.data), PROA_STORES,
            NULL);
        break;
    case Ist_LoadG:
        see_guarded_load(out, statement->Ist.LoadG.details);
        break;
    case Ist_StoreG:
        see(out, statement->Ist.StoreG.details->addr,
            size_of(out, statement->Ist.StoreG.details->data), PROA_STORES,
            statement->Ist.StoreG.details->guard);
        break;
    case Ist_CAS:
        see_swap(out, statement->Ist.CAS.details);
        break;
    case Ist_Dirty:
        see_dirty(out, statement->Ist.Dirty.details);
        break;
    default:
        break;
    }
}

/* ---- blocks ---- */

static void set_map(IRSB *out, UChar *map)
{
    addStmtToIRSB(out, IRStmt_Store(Iend_LE, word((Addr)&proa_map_now), word((Addr)map)));
}

static void translate(IRSB *out, const IRSB *in, Int at, enum proa_code code)
{
    UChar *polls = code == PROA_CODE_PROGRAM ? proa_polls_of(in) : NULL;
    const IRCAS *swap = NULL;

    for (; at < in->stmts_used; at++) {
        if (in->stmts[at]->tag == Ist_IMark)
            swap = swap_of_instruction(in, at);
        addStmtToIRSB(out, in->stmts[at]);
        if (code != PROA_CODE_MPI)
            see_statement(out, in->stmts[at], swap, polls);
    }
    if (polls)
        VG_(free)(polls);
}

IRSB *proa_instrument(VgCallbackClosure *closure, IRSB *in, const VexGuestLayout *layout,
                      const VexGuestExtents *extents, const VexArchInfo *machine, IRType guest_word,
                      IRType host_word)
{
    const enum proa_code code = proa_code_at(closure->readdr);
    IRSB *out;
    Int at = 0;

    (void)layout, (void)extents, (void)machine, (void)guest_word, (void)host_word;
    if (!proa_watched_any && !proa_refused_in(in))
        return in;
    out = deepCopyIRSBExceptStmts(in);
    for (; at < in->stmts_used && in->stmts[at]->tag != Ist_IMark; at++)
        addStmtToIRSB(out, in->stmts[at]);
    if (code != PROA_CODE_COMMON)
        set_map(out, code == PROA_CODE_MPI ? proa_map_empty : proa_map);
    translate(out, in, at, code);
    if (proa_refused_in(in))
        proa_refused_see(out, in);
    return out;
}
