/* SPDX-License-Identifier: BSD-3-Clause */
/* See poll.h. */
#include "poll.h"

/* Bytes: distance of a loop's start from the branch, after its initial code; size of a loop; size
 * of a jump. */
enum { BEGINS_WITHIN = 32, LOOP_MOST = 256, JUMP_MOST = 6 };

/* ---- the code around the branch ---- */

/* A block that ends in a branch. */
struct branch {
    Addr begin, at, sides[2];
};

/* Returns the target of a jump, or of a branch by equality, at that address; 0 if there is none. */
static Addr jump_at(const UChar *code, Bool *is_branch)
{
    const Bool is_wide_branch = code[0] == 0x0f && (code[1] & 0xfe) == 0x84;
    Int distance = (signed char)code[1], bytes = 2;

    *is_branch = is_wide_branch || (code[0] & 0xfe) == 0x74;
    if (is_wide_branch || code[0] == 0xe9) {
        bytes = is_wide_branch ? 6 : 5;
        VG_(memcpy)(&distance, code + bytes - sizeof distance, sizeof distance);
    } else if (!*is_branch && code[0] != 0xeb) {
        return 0;
    }
    return (Addr)code + (Addr)((Long)bytes + distance);
}

static Bool has_call(Addr from, Addr end)
{
    for (const UChar *code = (const UChar *)from; code < (const UChar *)end; code++)
        if (*code == 0xe8 || (code[0] == 0xff && (code[1] & 0xf8) == 0x10))
            return True;
    return False;
}

/* Returns true if there is a jump from [from, end) to [low, high]: a branch for a copy of the loop,
 * which has a call, otherwise a plain jump. Bytes that only look like a jump count as one: one load
 * too many then counts as a poll. */
static Bool jumps(Addr from, Addr end, Addr low, Addr high, Bool by_branch)
{
    if (!VG_(am_is_valid_for_client)(from, LOOP_MOST + JUMP_MOST, VKI_PROT_READ))
        return False;
    for (Addr at = from; at < end; at++) {
        Bool is_branch;
        const Addr to = jump_at((const UChar *)at, &is_branch);

        if (to >= low && to <= high && is_branch == by_branch && (!is_branch || has_call(to, at)))
            return True;
    }
    return False;
}

/* Returns true if the loop continues on that side, and ends on the other one. */
static Bool goes_on(const struct branch *branch, Addr side, Addr other)
{
    const Addr end = other > side && other - side < LOOP_MOST ? other : side + LOOP_MOST;

    if (side <= branch->at)
        return branch->at - side < LOOP_MOST &&
               !jumps(other, other + BEGINS_WITHIN, side, branch->at, False);
    return jumps(side, end, branch->begin, branch->at, False) ||
           jumps(side, end, side, side + BEGINS_WITHIN, True);
}

static Bool is_of_loop(const struct branch *branch)
{
    return goes_on(branch, branch->sides[0], branch->sides[1]) ||
           goes_on(branch, branch->sides[1], branch->sides[0]);
}

/* Returns the number of the block's last exit if it is a branch, or -1. */
static Int read_branch(const IRSB *block, struct branch *branch)
{
    Int last = -1;

    for (Int i = 0; i < block->stmts_used; i++) {
        const IRStmt *statement = block->stmts[i];

        if (statement->tag == Ist_IMark) {
            branch->at = statement->Ist.IMark.addr;
            branch->begin = branch->begin ? branch->begin : branch->at;
            last = -1;
        } else if (statement->tag == Ist_Exit && statement->Ist.Exit.jk == Ijk_Boring) {
            branch->sides[0] = statement->Ist.Exit.dst->Ico.U64;
            last = i;
        }
    }
    if (last < 0 || block->jumpkind != Ijk_Boring || block->next->tag != Iex_Const)
        return -1;
    branch->sides[1] = block->next->Iex.Const.con->Ico.U64;
    return last;
}

/* ---- values that the branch depends on ---- */

/* Flags of a temporary. DECIDES: the branch depends on it. EQUALS: it does so by whether the value
 * equals another one. MPI-4.1, 13.7 permits "polling on a location for a change from zero to
 * non-zero or for a particular value, but not polling and comparing the relative magnitude of
 * values". */
enum { DECIDES = 1, EQUALS = 2 };

static Bool is_equality(IROp op)
{
    return (op >= Iop_CmpEQ8 && op <= Iop_CmpNE64) || (op >= Iop_CmpNEZ8 && op <= Iop_CmpNEZ64);
}

static Bool is_order(IROp op)
{
    return op >= Iop_CmpLT32S && op <= Iop_CmpLE64U;
}

/* Flags by temporary, and by word of the guest's registers. */
struct marks {
    UChar *of, registers[sizeof(VexGuestAMD64State) / sizeof(ULong)];
};

static void mark(struct marks *marks, const IRExpr *value, UChar how)
{
    if (value->tag == Iex_RdTmp)
        marks->of[value->Iex.RdTmp.tmp] |= how;
}

static void mark_operands(struct marks *marks, const IRExpr *of, UChar how)
{
    if (!how)
        return;
    switch (of->tag) {
    case Iex_RdTmp:
        mark(marks, of, how);
        break;
    case Iex_Get:
        marks->registers[(UInt)of->Iex.Get.offset / sizeof(ULong)] |= how;
        break;
    case Iex_Unop:
        mark(marks, of->Iex.Unop.arg, is_equality(of->Iex.Unop.op) ? how | EQUALS : how);
        break;
    case Iex_Binop:
        if (is_order(of->Iex.Binop.op))
            break;
        how |= is_equality(of->Iex.Binop.op) ? EQUALS : 0;
        mark(marks, of->Iex.Binop.arg1, how);
        mark(marks, of->Iex.Binop.arg2, how);
        break;
    default:
        break;
    }
}

/* If the result of the statement is marked, marks its operands. */
static void mark_sources(struct marks *marks, const IRStmt *statement)
{
    UChar *how;

    if (statement->tag == Ist_WrTmp) {
        mark_operands(marks, statement->Ist.WrTmp.data, marks->of[statement->Ist.WrTmp.tmp]);
    } else if (statement->tag == Ist_Put) {
        how = &marks->registers[(UInt)statement->Ist.Put.offset / sizeof(ULong)];
        mark(marks, statement->Ist.Put.data, *how);
        *how = 0;
    }
}

UChar *proa_polls_of(const IRSB *block)
{
    struct branch branch = {0};
    const Int last = read_branch(block, &branch);
    struct marks marks = {0};

    if (last < 0 || !is_of_loop(&branch))
        return NULL;
    marks.of = VG_(calloc)("proa.polls", (SizeT)block->tyenv->types_used, 1);
    mark(&marks, block->stmts[last]->Ist.Exit.guard, DECIDES);
    for (Int i = last; i-- > 0;)
        mark_sources(&marks, block->stmts[i]);
    for (Int i = 0; i < block->tyenv->types_used; i++)
        marks.of[i] = (marks.of[i] & EQUALS) != 0;
    return marks.of;
}
