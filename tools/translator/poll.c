/* SPDX-License-Identifier: BSD-3-Clause */
/* See poll.h. */
#include "poll.h"

/* Bytes: how far a loop begins behind the branch, behind what is done once for it; a loop; a jump.
 */
enum { BEGINS_WITHIN = 32, LOOP_MOST = 256, JUMP_MOST = 6 };

/* ---- the code around the branch ---- */

/* A block that ends by a branch. */
struct branch {
    Addr begin, at, sides[2];
};

/* Where a jump or a branch by equality leads that is there; 0: there is none. */
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

/* Is there a jump from [from, end) to [low, high]: of a copy of the loop, which has a call, by a
 * branch; of others without one? Bytes that only look like it are taken for it: a load too many
 * counts as a poll then. */
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

/* Does the loop go on by that side, and end by the other one? */
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

/* The last exit of the block, if it is a branch: its number, or -1. */
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

/* ---- the values that it depends on ---- */

/* Of a temporary: the branch depends on it, and by whether it equals another value. MPI-4.1, 13.7
 * permits "polling on a location for a change from zero to non-zero or for a particular value, but
 * not polling and comparing the relative magnitude of values". */
enum { DECIDES = 1, EQUALS = 2 };

static Bool is_equality(IROp op)
{
    return (op >= Iop_CmpEQ8 && op <= Iop_CmpNE64) || (op >= Iop_CmpNEZ8 && op <= Iop_CmpNEZ64);
}

static Bool is_order(IROp op)
{
    return op >= Iop_CmpLT32S && op <= Iop_CmpLE64U;
}

/* By temporary, and by word of the guest's registers. */
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

/* Where the result of the statement is marked, so is what it is made of. */
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
