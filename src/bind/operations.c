/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI_Put, Get, Accumulate, Get_accumulate, Fetch_and_op, Compare_and_swap (MPI-4.1, 13.3.1 to
 * 13.3.4) and their large-count forms; MPI_Win_flush, flush_all, flush_local and flush_local_all
 * (13.5.4), which complete them.
 *
 * Each call finds the window and does its work (operation.h). All calls have all forms (form.h).
 */
#define PROA_HAS_RULED_FORM
#include "bind/operation.h"
#include "sync/sync.h"

PROA_BODY do_fetch_and_op(struct proa_win *win, const void *origin, void *result,
                          MPI_Datatype datatype, int rank, MPI_Aint displacement, MPI_Op op)
{
    const struct proa_type *type;
    int outcome;

    proa_before_operation(win, PROA_CALL_Fetch_and_op, rank, displacement,
                          op == MPI_NO_OP ? NULL : origin, 1, datatype, result, 1, datatype, 1,
                          datatype, 0, 0);
    proa_origin(win, origin, op != MPI_NO_OP, datatype);
    proa_result(win, result, 1, datatype);
    if (proa_is_in(win, rank) && result &&
        (type = proa_type_find(datatype), proa_is_apart(origin, result, type->size)) &&
        proa_accumulates_plain(win, origin, result, 1, type, rank, displacement, op)) {
        proa_watch(win, PROA_CALL_Fetch_and_op, rank, PROA_STATS_PLAIN, type->size);
        return proa_checked(win, PROA_CALL_Fetch_and_op, rank, displacement, 1, datatype, op,
                            MPI_SUCCESS);
    }
    if (proa_is_left())
        return PROA_LEFT;
    outcome = proa_watch_slow(
        win, PROA_CALL_Fetch_and_op, rank, 1, datatype,
        proa_fetch_and_op_slow(win, origin, result, datatype, rank, displacement, op));
    return proa_checked(win, PROA_CALL_Fetch_and_op, rank, displacement, 1, datatype, op, outcome);
}

PROA_ENTRY(Fetch_and_op)
(const void *origin, void *result, MPI_Datatype datatype, int rank, MPI_Aint displacement,
 MPI_Op op, MPI_Win handle)
{
    struct proa_win *win = PROA_WIN_OF(handle);
    int outcome = PROA_RARELY(!win)
                      ? PROA_LEFT
                      : do_fetch_and_op(win, origin, result, datatype, rank, displacement, op);

    return PROA_RARELY(outcome == PROA_LEFT)
               ? PROA_NEXT_FORM(Fetch_and_op, handle, origin, result, datatype, rank, displacement,
                                op, handle)
               : outcome;
}

PROA_BODY do_compare_and_swap(struct proa_win *win, const void *origin, const void *compare,
                              void *result, MPI_Datatype datatype, int rank, MPI_Aint displacement)
{
    const struct proa_type *type;
    int outcome;

    proa_before_operation(win, PROA_CALL_Compare_and_swap, rank, displacement, origin, 1, datatype,
                          result, 1, datatype, 1, datatype, 0, 0);
    proa_origin(win, origin, 1, datatype);
    proa_origin(win, compare, 1, datatype);
    proa_result(win, result, 1, datatype);
    type = proa_type_find(datatype);
    if (proa_is_in(win, rank) && origin && compare && result &&
        proa_is_apart(origin, result, type->size) &&
        proa_basic_compares((enum proa_basic)type->basic) &&
        proa_accumulate_plain(win, origin, result, compare, 1, type, rank, displacement,
                              PROA_OP_REPLACE)) {
        proa_watch(win, PROA_CALL_Compare_and_swap, rank, PROA_STATS_PLAIN, type->size);
        return proa_checked(win, PROA_CALL_Compare_and_swap, rank, displacement, 1, datatype,
                            MPI_OP_NULL, MPI_SUCCESS);
    }
    if (proa_is_left())
        return PROA_LEFT;
    outcome = proa_watch_slow(
        win, PROA_CALL_Compare_and_swap, rank, 1, datatype,
        proa_compare_and_swap_slow(win, origin, compare, result, datatype, rank, displacement));
    return proa_checked(win, PROA_CALL_Compare_and_swap, rank, displacement, 1, datatype,
                        MPI_OP_NULL, outcome);
}

PROA_ENTRY(Compare_and_swap)
(const void *origin, const void *compare, void *result, MPI_Datatype datatype, int rank,
 MPI_Aint displacement, MPI_Win handle)
{
    struct proa_win *win = PROA_WIN_OF(handle);
    int outcome = PROA_RARELY(!win) ? PROA_LEFT
                                    : do_compare_and_swap(win, origin, compare, result, datatype,
                                                          rank, displacement);

    return PROA_RARELY(outcome == PROA_LEFT)
               ? PROA_NEXT_FORM(Compare_and_swap, handle, origin, compare, result, datatype, rank,
                                displacement, handle)
               : outcome;
}

/* ---- operations with counts, in two widths ---- */

#include "bind/operations_calls.h" /* with counts of int */
#if MPI_VERSION >= 4
#define PROA_LARGE
#include "bind/operations_calls.h" /* with counts of MPI_Count */
#endif

/* ---- flushes ---- */

PROA_ENTRY_AT_TARGET(Win_flush, proa_win_flush)
PROA_ENTRY_AT_TARGET(Win_flush_local, proa_win_flush_local)
PROA_ENTRY_ON_WINDOW(Win_flush_all, proa_win_flush_all)
PROA_ENTRY_ON_WINDOW(Win_flush_local_all, proa_win_flush_local_all)
