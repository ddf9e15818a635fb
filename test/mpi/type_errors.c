/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Datatypes, operators and counts that an operation cannot take: the call gives the class of
 * RMA-RULES, nothing is written anywhere, and the window works as before.
 */
#include "window.h"

enum { ints = 64, pattern = 0x5a };

static struct area a;
static int target;
static int origin[ints], result[ints];
static MPI_Datatype uncommitted, pair_of_ints, mixed;
static MPI_Op user_op;

static const char *class_name(int class)
{
    static const struct {
        int class;
        const char *name;
    } names[] = {{MPI_SUCCESS, "MPI_SUCCESS"},       {MPI_ERR_TYPE, "MPI_ERR_TYPE"},
                 {MPI_ERR_OP, "MPI_ERR_OP"},         {MPI_ERR_COUNT, "MPI_ERR_COUNT"},
                 {MPI_ERR_BUFFER, "MPI_ERR_BUFFER"}, {MPI_ERR_RMA_SYNC, "MPI_ERR_RMA_SYNC"},
                 {MPI_ERR_RANK, "MPI_ERR_RANK"},     {MPI_ERR_RMA_RANGE, "MPI_ERR_RMA_RANGE"},
                 {MPI_ERR_ARG, "MPI_ERR_ARG"},       {MPI_ERR_OTHER, "MPI_ERR_OTHER"}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (names[i].class == class)
            return names[i].name;
    return "another class";
}

static long changed(const void *memory)
{
    const unsigned char *bytes = memory;
    long n = 0;
    for (size_t i = 0; i < ints * sizeof(int); i++)
        n += bytes[i] != pattern;
    return n;
}

static void refused(int line, const char *call, int code, int expected)
{
    int class = error_class(code);
    CHECK(class == expected, "line %d: %s: %s gives %s instead of %s", line, kind_names[a.kind],
          call, class_name(class), class_name(expected));
    CHECK(changed(origin) == 0 && changed(result) == 0, "line %d: %s: %s changed a buffer", line,
          kind_names[a.kind], call);
    memset(origin, pattern, sizeof origin);
    memset(result, pattern, sizeof result);
}

#define REFUSED(expected, call) refused(__LINE__, #call, call, expected)

/* ---- the wrong calls ---- */

static void no_type(MPI_Datatype t)
{
    MPI_Aint at = disp_at(&a, target, 0);
    REFUSED(MPI_ERR_TYPE, MPI_Put(origin, 1, t, target, at, 2, MPI_INT, a.win));
    REFUSED(MPI_ERR_TYPE, MPI_Put(origin, 2, MPI_INT, target, at, 1, t, a.win));
    REFUSED(MPI_ERR_TYPE, MPI_Get(origin, 1, t, target, at, 2, MPI_INT, a.win));
    REFUSED(MPI_ERR_TYPE, MPI_Get(origin, 2, MPI_INT, target, at, 1, t, a.win));
    REFUSED(MPI_ERR_TYPE, MPI_Accumulate(origin, 1, t, target, at, 2, MPI_INT, MPI_SUM, a.win));
    REFUSED(MPI_ERR_TYPE, MPI_Accumulate(origin, 2, MPI_INT, target, at, 1, t, MPI_SUM, a.win));
    REFUSED(MPI_ERR_TYPE, MPI_Accumulate(origin, 1, t, target, at, 1, t, MPI_REPLACE, a.win));
    REFUSED(MPI_ERR_TYPE, MPI_Get_accumulate(origin, 1, t, result, 2, MPI_INT, target, at, 2,
                                             MPI_INT, MPI_SUM, a.win));
    REFUSED(MPI_ERR_TYPE, MPI_Get_accumulate(origin, 2, MPI_INT, result, 1, t, target, at, 2,
                                             MPI_INT, MPI_SUM, a.win));
    REFUSED(MPI_ERR_TYPE, MPI_Get_accumulate(origin, 2, MPI_INT, result, 2, MPI_INT, target, at, 1,
                                             t, MPI_SUM, a.win));
    REFUSED(MPI_ERR_TYPE, MPI_Get_accumulate(NULL, 0, MPI_INT, result, 1, t, target, at, 2, MPI_INT,
                                             MPI_NO_OP, a.win));
    REFUSED(MPI_ERR_TYPE, MPI_Fetch_and_op(origin, result, t, target, at, MPI_SUM, a.win));
    REFUSED(MPI_ERR_TYPE, MPI_Compare_and_swap(origin, origin, result, t, target, at, a.win));
}

static void requests_without_type(MPI_Datatype t)
{
    MPI_Aint at = disp_at(&a, target, 0);
    MPI_Request request;
    REFUSED(MPI_ERR_TYPE, MPI_Rput(origin, 1, t, target, at, 2, MPI_INT, a.win, &request));
    REFUSED(MPI_ERR_TYPE, MPI_Rget(origin, 2, MPI_INT, target, at, 1, t, a.win, &request));
    REFUSED(MPI_ERR_TYPE,
            MPI_Raccumulate(origin, 1, t, target, at, 2, MPI_INT, MPI_SUM, a.win, &request));
    REFUSED(MPI_ERR_TYPE, MPI_Rget_accumulate(origin, 2, MPI_INT, result, 1, t, target, at, 2,
                                              MPI_INT, MPI_SUM, a.win, &request));
    REFUSED(MPI_ERR_COUNT, MPI_Rput(origin, -1, MPI_INT, target, at, 2, MPI_INT, a.win, &request));
    REFUSED(MPI_ERR_COUNT, MPI_Rget(origin, 2, MPI_INT, target, at, -1, MPI_INT, a.win, &request));
    REFUSED(MPI_ERR_OP,
            MPI_Raccumulate(origin, 2, MPI_INT, target, at, 2, MPI_INT, user_op, a.win, &request));
    REFUSED(MPI_ERR_OP, MPI_Raccumulate(origin, 2, MPI_INT, target, at, 2, MPI_INT, MPI_NO_OP,
                                        a.win, &request));
    REFUSED(MPI_ERR_OP, MPI_Rget_accumulate(origin, 1, MPI_DOUBLE, result, 1, MPI_DOUBLE, target,
                                            at, 1, MPI_DOUBLE, MPI_BXOR, a.win, &request));
}

static void other_basics(void)
{
    MPI_Aint at = disp_at(&a, target, 0);
    REFUSED(MPI_ERR_TYPE, MPI_Accumulate(origin, 1, mixed, target, at, 1, mixed, MPI_SUM, a.win));
    REFUSED(MPI_ERR_TYPE,
            MPI_Accumulate(origin, 1, mixed, target, at, 1, mixed, MPI_REPLACE, a.win));
    REFUSED(MPI_ERR_TYPE, MPI_Accumulate(origin, 1, mixed, target, at, 4, MPI_INT, MPI_SUM, a.win));
    REFUSED(MPI_ERR_TYPE,
            MPI_Accumulate(origin, 4, MPI_INT, target, at, 4, MPI_FLOAT, MPI_SUM, a.win));
    REFUSED(MPI_ERR_TYPE,
            MPI_Accumulate(origin, 4, MPI_FLOAT, target, at, 4, MPI_INT, MPI_REPLACE, a.win));
    REFUSED(MPI_ERR_TYPE,
            MPI_Accumulate(origin, 1, pair_of_ints, target, at, 1, MPI_DOUBLE, MPI_SUM, a.win));
    REFUSED(MPI_ERR_TYPE,
            MPI_Accumulate(origin, 2, MPI_FLOAT, target, at, 1, pair_of_ints, MPI_SUM, a.win));
    REFUSED(MPI_ERR_TYPE, MPI_Get_accumulate(origin, 4, MPI_INT, result, 4, MPI_FLOAT, target, at,
                                             4, MPI_INT, MPI_SUM, a.win));
    REFUSED(MPI_ERR_TYPE, MPI_Get_accumulate(origin, 1, mixed, result, 1, mixed, target, at, 1,
                                             mixed, MPI_REPLACE, a.win));
    REFUSED(MPI_ERR_TYPE, MPI_Get_accumulate(NULL, 0, MPI_INT, result, 2, MPI_FLOAT, target, at, 2,
                                             MPI_INT, MPI_NO_OP, a.win));
}

static void other_sizes(void)
{
    MPI_Aint at = disp_at(&a, target, 0);
    REFUSED(MPI_ERR_TYPE, MPI_Put(origin, 3, MPI_INT, target, at, 2, MPI_INT, a.win));
    REFUSED(MPI_ERR_TYPE, MPI_Get(origin, 2, MPI_INT, target, at, 3, MPI_INT, a.win));
    REFUSED(MPI_ERR_TYPE, MPI_Put(origin, 1, pair_of_ints, target, at, 3, MPI_INT, a.win));
    REFUSED(MPI_ERR_TYPE,
            MPI_Accumulate(origin, 1, MPI_INT, target, at, 2, MPI_INT, MPI_SUM, a.win));
    REFUSED(MPI_ERR_TYPE, MPI_Get_accumulate(origin, 2, MPI_INT, result, 1, MPI_INT, target, at, 2,
                                             MPI_INT, MPI_SUM, a.win));
    REFUSED(MPI_ERR_TYPE, MPI_Put(origin, 0, MPI_INT, target, at, 1, MPI_INT, a.win));
    REFUSED(MPI_ERR_TYPE, MPI_Get(origin, 1, MPI_INT, target, at, 0, MPI_INT, a.win));
}

static void operators(void)
{
    static const struct {
        MPI_Datatype type;
        MPI_Op op;
    } wrong[] = {{MPI_DOUBLE, MPI_BAND},
                 {MPI_FLOAT, MPI_LOR},
                 {MPI_INT, MPI_MAXLOC},
                 {MPI_LONG_INT, MPI_SUM},
                 {MPI_C_BOOL, MPI_SUM},
                 {MPI_C_DOUBLE_COMPLEX, MPI_MAX},
                 {MPI_C_FLOAT_COMPLEX, MPI_MIN},
                 {MPI_2INT, MPI_MIN},
                 {MPI_BYTE, MPI_SUM},
                 {MPI_BYTE, MPI_LAND},
                 {MPI_LONG_DOUBLE, MPI_BXOR},
                 {MPI_C_BOOL, MPI_BOR},
                 {MPI_AINT, MPI_MINLOC},
                 {MPI_WCHAR, MPI_PROD}};
    MPI_Aint at = disp_at(&a, target, 0);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        MPI_Datatype t = wrong[i].type;
        REFUSED(MPI_ERR_OP, MPI_Accumulate(origin, 1, t, target, at, 1, t, wrong[i].op, a.win));
        REFUSED(MPI_ERR_OP, MPI_Accumulate(origin, 3, t, target, at, 3, t, wrong[i].op, a.win));
        REFUSED(MPI_ERR_OP, MPI_Get_accumulate(origin, 1, t, result, 1, t, target, at, 1, t,
                                               wrong[i].op, a.win));
        REFUSED(MPI_ERR_OP, MPI_Fetch_and_op(origin, result, t, target, at, wrong[i].op, a.win));
    }
    const MPI_Op never[] = {MPI_OP_NULL, user_op};
    for (int i = 0; i < 2; i++) {
        REFUSED(MPI_ERR_OP,
                MPI_Accumulate(origin, 1, MPI_INT, target, at, 1, MPI_INT, never[i], a.win));
        REFUSED(MPI_ERR_OP, MPI_Get_accumulate(origin, 1, MPI_INT, result, 1, MPI_INT, target, at,
                                               1, MPI_INT, never[i], a.win));
        REFUSED(MPI_ERR_OP, MPI_Fetch_and_op(origin, result, MPI_INT, target, at, never[i], a.win));
    }
    REFUSED(MPI_ERR_OP,
            MPI_Accumulate(origin, 1, MPI_INT, target, at, 1, MPI_INT, MPI_NO_OP, a.win));
    REFUSED(MPI_ERR_OP, MPI_Accumulate(origin, 1, pair_of_ints, target, at, 1, pair_of_ints,
                                       MPI_MAXLOC, a.win));
}

static void counts(void)
{
    MPI_Aint at = disp_at(&a, target, 0);
    REFUSED(MPI_ERR_COUNT, MPI_Put(origin, -1, MPI_INT, target, at, 1, MPI_INT, a.win));
    REFUSED(MPI_ERR_COUNT, MPI_Put(origin, 1, MPI_INT, target, at, -1, MPI_INT, a.win));
    REFUSED(MPI_ERR_COUNT, MPI_Put(origin, -1, MPI_INT, target, at, -1, MPI_INT, a.win));
    REFUSED(MPI_ERR_COUNT, MPI_Get(origin, -1, MPI_INT, target, at, 1, MPI_INT, a.win));
    REFUSED(MPI_ERR_COUNT, MPI_Get(origin, 1, pair_of_ints, target, at, -5, pair_of_ints, a.win));
    REFUSED(MPI_ERR_COUNT,
            MPI_Accumulate(origin, -1, MPI_INT, target, at, 1, MPI_INT, MPI_SUM, a.win));
    REFUSED(MPI_ERR_COUNT,
            MPI_Accumulate(origin, 1, MPI_INT, target, at, -1, MPI_INT, MPI_SUM, a.win));
    REFUSED(MPI_ERR_COUNT, MPI_Get_accumulate(origin, -1, MPI_INT, result, 1, MPI_INT, target, at,
                                              1, MPI_INT, MPI_SUM, a.win));
    REFUSED(MPI_ERR_COUNT, MPI_Get_accumulate(origin, 1, MPI_INT, result, -1, MPI_INT, target, at,
                                              1, MPI_INT, MPI_SUM, a.win));
    REFUSED(MPI_ERR_COUNT, MPI_Get_accumulate(origin, 1, MPI_INT, result, 1, MPI_INT, target, at,
                                              -1, MPI_INT, MPI_SUM, a.win));
}

static void one_element(void)
{
    const MPI_Datatype not_comparable[] = {MPI_DOUBLE,   MPI_FLOAT,       MPI_C_DOUBLE_COMPLEX,
                                           MPI_LONG_INT, MPI_LONG_DOUBLE, pair_of_ints,
                                           mixed};
    MPI_Aint at = disp_at(&a, target, 0);
    REFUSED(MPI_ERR_TYPE,
            MPI_Fetch_and_op(origin, result, pair_of_ints, target, at, MPI_SUM, a.win));
    REFUSED(MPI_ERR_TYPE, MPI_Fetch_and_op(origin, result, mixed, target, at, MPI_REPLACE, a.win));
    for (size_t i = 0; i < sizeof not_comparable / sizeof not_comparable[0]; i++)
        REFUSED(MPI_ERR_TYPE,
                MPI_Compare_and_swap(origin, origin, result, not_comparable[i], target, at, a.win));
}

static void no_buffer(void)
{
    MPI_Aint at = disp_at(&a, target, 0);
    REFUSED(MPI_ERR_BUFFER, MPI_Put(NULL, 1, MPI_INT, target, at, 1, MPI_INT, a.win));
    REFUSED(MPI_ERR_BUFFER, MPI_Get(NULL, 1, pair_of_ints, target, at, 2, MPI_INT, a.win));
    REFUSED(MPI_ERR_BUFFER,
            MPI_Accumulate(NULL, 1, MPI_INT, target, at, 1, MPI_INT, MPI_SUM, a.win));
    REFUSED(MPI_ERR_BUFFER, MPI_Get_accumulate(NULL, 1, MPI_INT, result, 1, MPI_INT, target, at, 1,
                                               MPI_INT, MPI_SUM, a.win));
    REFUSED(MPI_ERR_BUFFER, MPI_Get_accumulate(origin, 1, MPI_INT, NULL, 1, MPI_INT, target, at, 1,
                                               MPI_INT, MPI_SUM, a.win));
    REFUSED(MPI_ERR_BUFFER, MPI_Fetch_and_op(NULL, result, MPI_INT, target, at, MPI_SUM, a.win));
    REFUSED(MPI_ERR_BUFFER, MPI_Fetch_and_op(origin, NULL, MPI_INT, target, at, MPI_SUM, a.win));
    REFUSED(MPI_ERR_BUFFER, MPI_Compare_and_swap(NULL, origin, result, MPI_INT, target, at, a.win));
    REFUSED(MPI_ERR_BUFFER, MPI_Compare_and_swap(origin, NULL, result, MPI_INT, target, at, a.win));
    REFUSED(MPI_ERR_BUFFER, MPI_Compare_and_swap(origin, origin, NULL, MPI_INT, target, at, a.win));
}

#if MPI_VERSION >= 4
static void large_forms(void)
{
    MPI_Aint at = disp_at(&a, target, 0);
    MPI_Request request;
    REFUSED(MPI_ERR_COUNT, MPI_Put_c(origin, -1, MPI_INT, target, at, 1, MPI_INT, a.win));
    REFUSED(MPI_ERR_COUNT, MPI_Get_c(origin, 1, MPI_INT, target, at, -1, MPI_INT, a.win));
    REFUSED(MPI_ERR_TYPE, MPI_Put_c(origin, 1, uncommitted, target, at, 2, MPI_INT, a.win));
    REFUSED(MPI_ERR_TYPE, MPI_Accumulate_c(origin, 1, mixed, target, at, 1, mixed, MPI_SUM, a.win));
    REFUSED(MPI_ERR_OP, MPI_Get_accumulate_c(origin, 1, MPI_DOUBLE, result, 1, MPI_DOUBLE, target,
                                             at, 1, MPI_DOUBLE, MPI_BAND, a.win));
    REFUSED(MPI_ERR_COUNT,
            MPI_Rput_c(origin, -1, MPI_INT, target, at, 1, MPI_INT, a.win, &request));
    /* attached memory on another node, or where an agent serves, is known there, once all has been
     * sent */
    if (a.kind != kind_dynamic || (shares_memory() && !getenv("PROA_TEST_SERVED")))
        REFUSED(MPI_ERR_RMA_RANGE, MPI_Put_c(origin, (MPI_Count)1 << 40, MPI_INT, target, at,
                                             (MPI_Count)1 << 40, MPI_INT, a.win));
    int class = error_class(MPI_Put_c(origin, (MPI_Count)1 << 62, MPI_INT, target, at,
                                      (MPI_Count)1 << 62, MPI_INT, a.win));
    CHECK(class == MPI_ERR_COUNT || class == MPI_ERR_RMA_RANGE,
          "%s: a count beyond all memory gives %s", kind_names[a.kind], class_name(class));
}
#else
static void large_forms(void)
{
}
#endif

static void requests_outside(void)
{
    MPI_Aint at = disp_at(&a, target, 0);
    MPI_Request request;
    REFUSED(MPI_ERR_RMA_SYNC,
            MPI_Rput(origin, 1, MPI_INT, target, at, 1, MPI_INT, a.win, &request));
    REFUSED(MPI_ERR_RMA_SYNC,
            MPI_Rget(origin, 1, MPI_INT, target, at, 1, MPI_INT, a.win, &request));
    REFUSED(MPI_ERR_RMA_SYNC,
            MPI_Raccumulate(origin, 1, MPI_INT, target, at, 1, MPI_INT, MPI_SUM, a.win, &request));
    REFUSED(MPI_ERR_RMA_SYNC, MPI_Rget_accumulate(origin, 1, MPI_INT, result, 1, MPI_INT, target,
                                                  at, 1, MPI_INT, MPI_SUM, a.win, &request));
}

/* ---- around them ---- */

/* Nothing was written; a put and a get do what they should. */
static void still_works(const char *after)
{
    int value = 1000 + rank, got = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(changed(a.base) == 0, "%s: the window was written to by %s", kind_names[a.kind], after);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, a.win);
    int code = MPI_Put(&value, 1, MPI_INT, target, disp_at(&a, target, 5), 1, MPI_INT, a.win);
    MPI_Win_flush(target, a.win);
    if (code == MPI_SUCCESS)
        code = MPI_Get(&got, 1, MPI_INT, target, disp_at(&a, target, 5), 1, MPI_INT, a.win);
    MPI_Win_unlock(target, a.win);
    CHECK(code == MPI_SUCCESS && got == value, "%s: after %s a put and a get give class %d and %d",
          kind_names[a.kind], after, error_class(code), got);
    MPI_Barrier(MPI_COMM_WORLD);
    memset(a.base, pattern, ints * sizeof(int));
    MPI_Barrier(MPI_COMM_WORLD);
}

static void in_passive_epoch(void)
{
    MPI_Win_lock_all(0, a.win);
    no_type(MPI_DATATYPE_NULL);
    no_type(uncommitted);
    requests_without_type(MPI_DATATYPE_NULL);
    requests_without_type(uncommitted);
    other_basics();
    other_sizes();
    operators();
    counts();
    one_element();
    no_buffer();
    large_forms();
    MPI_Win_unlock_all(a.win);
    still_works("wrong arguments");
}

static void in_active_epochs(void)
{
    requests_outside(); /* no epoch at all */
    still_works("requests outside of an epoch");
    MPI_Win_fence(0, a.win);
    requests_outside();
    no_type(uncommitted);
    operators();
    MPI_Win_fence(MPI_MODE_NOSUCCEED, a.win);
    still_works("requests between fences");
    MPI_Group from = group_of_one((rank + nranks - 1) % nranks), to = group_of_one(target);
    MPI_Win_post(from, 0, a.win);
    MPI_Win_start(to, 0, a.win);
    requests_outside();
    counts();
    MPI_Win_complete(a.win);
    MPI_Win_wait(a.win);
    MPI_Group_free(&from);
    MPI_Group_free(&to);
    still_works("requests after start");
}

static void add_up(void *in, void *inout, int *n, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *n; i++)
        ((int *)inout)[i] += ((int *)in)[i];
}

static void make_types(void)
{
    int lengths[] = {2, 1};
    MPI_Aint at[] = {0, 2 * sizeof(int)};
    MPI_Datatype types[] = {MPI_INT, MPI_DOUBLE};
    MPI_Type_contiguous(2, MPI_INT, &uncommitted);
    MPI_Type_contiguous(2, MPI_INT, &pair_of_ints);
    MPI_Type_commit(&pair_of_ints);
    MPI_Type_create_struct(2, lengths, at, types, &mixed);
    MPI_Type_commit(&mixed);
    MPI_Op_create(add_up, 1, &user_op);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    target = (rank + 1) % nranks;
    make_types();
    memset(origin, pattern, sizeof origin);
    memset(result, pattern, sizeof result);
    for (int kind = 0; kind < nkinds; kind++) {
        a = open_area(kind, ints * sizeof(int), sizeof(int), MPI_COMM_WORLD);
        MPI_Win_set_errhandler(a.win, MPI_ERRORS_RETURN);
        MPI_Barrier(MPI_COMM_WORLD);
        memset(a.base, pattern, ints * sizeof(int));
        MPI_Barrier(MPI_COMM_WORLD);
        in_passive_epoch();
        in_active_epochs();
        close_area(&a);
    }
    MPI_Type_free(&uncommitted);
    MPI_Type_free(&pair_of_ints);
    MPI_Type_free(&mixed);
    MPI_Op_free(&user_op);
    return finish("type_errors");
}
