/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Wrong arguments of the operations. One mistake concerns many calls; so each call of the chapter
 * is a form, which takes its arguments from one struct, and each row sets something wrong there and
 * hands it to all forms that it concerns.
 */
#include "wrong.h"
#include <limits.h>

/* ---- the forms ---- */

struct arguments {
    const void *origin, *compare;
    void *result;
    MPI_Count count, result_count, target_count;
    MPI_Datatype type, result_type, target_type;
    int rank;
    MPI_Aint at;
    MPI_Op op;
};

typedef int form_call(const struct arguments *x, MPI_Win win, MPI_Request *request);

#define NEAR(x) x->origin, (int)x->count, x->type
#define NEAR_RESULT(x) x->result, (int)x->result_count, x->result_type
#define FAR(x) x->rank, x->at, (int)x->target_count, x->target_type
#define NEAR_C(x) x->origin, x->count, x->type
#define NEAR_RESULT_C(x) x->result, x->result_count, x->result_type
#define FAR_C(x) x->rank, x->at, x->target_count, x->target_type

#define FORM(name, list)                                                               \
    static int do_##name(const struct arguments *x, MPI_Win win, MPI_Request *request) \
    {                                                                                  \
        (void)request;                                                                 \
        return name list;                                                              \
    }
FORM(MPI_Put, (NEAR(x), FAR(x), win))
FORM(MPI_Get, (NEAR_RESULT(x), FAR(x), win))
FORM(MPI_Accumulate, (NEAR(x), FAR(x), x->op, win))
FORM(MPI_Get_accumulate, (NEAR(x), NEAR_RESULT(x), FAR(x), x->op, win))
FORM(MPI_Rput, (NEAR(x), FAR(x), win, request))
FORM(MPI_Rget, (NEAR_RESULT(x), FAR(x), win, request))
FORM(MPI_Raccumulate, (NEAR(x), FAR(x), x->op, win, request))
FORM(MPI_Rget_accumulate, (NEAR(x), NEAR_RESULT(x), FAR(x), x->op, win, request))
FORM(MPI_Fetch_and_op, (x->origin, x->result, x->type, x->rank, x->at, x->op, win))
FORM(MPI_Compare_and_swap, (x->origin, x->compare, x->result, x->type, x->rank, x->at, win))
#if MPI_VERSION >= 4
FORM(MPI_Put_c, (NEAR_C(x), FAR_C(x), win))
FORM(MPI_Get_c, (NEAR_RESULT_C(x), FAR_C(x), win))
FORM(MPI_Accumulate_c, (NEAR_C(x), FAR_C(x), x->op, win))
FORM(MPI_Get_accumulate_c, (NEAR_C(x), NEAR_RESULT_C(x), FAR_C(x), x->op, win))
FORM(MPI_Rput_c, (NEAR_C(x), FAR_C(x), win, request))
FORM(MPI_Rget_c, (NEAR_RESULT_C(x), FAR_C(x), win, request))
FORM(MPI_Raccumulate_c, (NEAR_C(x), FAR_C(x), x->op, win, request))
FORM(MPI_Rget_accumulate_c, (NEAR_C(x), NEAR_RESULT_C(x), FAR_C(x), x->op, win, request))
#endif

/* What a form takes. */
enum {
    has_origin = 1,
    has_result = 2,
    has_op = 4,
    has_request = 8,
    has_counts = 16,
    has_compare = 32,
    is_accumulate = 64
};

static const struct form {
    const char *name;
    form_call *call;
    int takes;
} forms[] = {
    {"MPI_Put", do_MPI_Put, has_origin | has_counts},
    {"MPI_Get", do_MPI_Get, has_result | has_counts},
    {"MPI_Accumulate", do_MPI_Accumulate, has_origin | has_op | has_counts | is_accumulate},
    {"MPI_Get_accumulate", do_MPI_Get_accumulate,
     has_origin | has_result | has_op | has_counts | is_accumulate},
    {"MPI_Rput", do_MPI_Rput, has_origin | has_request | has_counts},
    {"MPI_Rget", do_MPI_Rget, has_result | has_request | has_counts},
    {"MPI_Raccumulate", do_MPI_Raccumulate,
     has_origin | has_op | has_request | has_counts | is_accumulate},
    {"MPI_Rget_accumulate", do_MPI_Rget_accumulate,
     has_origin | has_result | has_op | has_request | has_counts | is_accumulate},
    {"MPI_Fetch_and_op", do_MPI_Fetch_and_op, has_origin | has_result | has_op},
    {"MPI_Compare_and_swap", do_MPI_Compare_and_swap, has_origin | has_result | has_compare},
#if MPI_VERSION >= 4
    {"MPI_Put_c", do_MPI_Put_c, has_origin | has_counts},
    {"MPI_Get_c", do_MPI_Get_c, has_result | has_counts},
    {"MPI_Accumulate_c", do_MPI_Accumulate_c, has_origin | has_op | has_counts | is_accumulate},
    {"MPI_Get_accumulate_c", do_MPI_Get_accumulate_c,
     has_origin | has_result | has_op | has_counts | is_accumulate},
    {"MPI_Rput_c", do_MPI_Rput_c, has_origin | has_request | has_counts},
    {"MPI_Rget_c", do_MPI_Rget_c, has_result | has_request | has_counts},
    {"MPI_Raccumulate_c", do_MPI_Raccumulate_c,
     has_origin | has_op | has_request | has_counts | is_accumulate},
    {"MPI_Rget_accumulate_c", do_MPI_Rget_accumulate_c,
     has_origin | has_result | has_op | has_request | has_counts | is_accumulate},
#endif
};
enum { nforms = sizeof forms / sizeof forms[0] };

/* ---- right arguments, to be spoiled by the rows ---- */

enum { room = 64, untouched = -77 };

static int sent[room], seen[room], compared[room];

static void see_nothing(void)
{
    for (int i = 0; i < room; i++)
        seen[i] = untouched;
}

static struct arguments right_arguments(const struct area *a)
{
    see_nothing();
    for (int i = 0; i < room; i++) {
        sent[i] = 4711;
        compared[i] = pattern(right_of(), 0);
    }
    return (struct arguments){.origin = sent,
                              .compare = compared,
                              .result = seen,
                              .count = 2,
                              .result_count = 2,
                              .target_count = 2,
                              .type = MPI_INT,
                              .result_type = MPI_INT,
                              .target_type = MPI_INT,
                              .rank = right_of(),
                              .at = disp_at(a, right_of(), 0),
                              .op = MPI_SUM};
}

struct wrong {
    int error;
    const char *about;
    int forms; /* those that take all of this */
};

static void call_form(const struct area *a, const struct form *form, const struct arguments *x,
                      const struct wrong *wrong)
{
    MPI_Request request = MPI_REQUEST_NULL;
    WRONG_CALL(a, wrong->error, form->name, wrong->about, form->call(x, a->win, &request));
    CHECK(request == MPI_REQUEST_NULL, "%s: a wrong call gives a request", form->name);
    for (int i = 0; i < room; i++)
        CHECK(seen[i] == untouched && sent[i] == 4711, "%s: a wrong call changes buffers: %d %d",
              form->name, seen[i], sent[i]);
}

static void call_forms(const struct area *a, const struct arguments *x, const struct wrong *wrong,
                       int without)
{
    for (int i = 0; i < nforms; i++)
        if ((forms[i].takes & wrong->forms) == wrong->forms && !(forms[i].takes & without))
            call_form(a, &forms[i], x, wrong);
}

/* In a passive epoch, where all forms are legal; and after a fence, which is not followed by an
 * operation if all that follows is wrong. */
static void spoiled(const struct area *a, const struct arguments *x, int error, const char *about,
                    int takes)
{
    struct wrong wrong = {error, about, takes};
    /* regions of another node are known there, so it is the flush that fails: error_object.c */
    if (a->kind == kind_dynamic && error == MPI_ERR_RMA_RANGE && !shares_memory())
        return;
    RIGHT(MPI_Win_lock_all(0, a->win));
    call_forms(a, x, &wrong, 0);
    RIGHT(MPI_Win_unlock_all(a->win));
    RIGHT(MPI_Win_lock(MPI_LOCK_SHARED, right_of(), 0, a->win));
    call_forms(a, x, &wrong, 0);
    RIGHT(MPI_Win_unlock(right_of(), a->win));
    RIGHT(MPI_Win_fence(0, a->win));
    call_forms(a, x, &wrong, has_request);
    RIGHT(MPI_Win_lock(MPI_LOCK_SHARED, right_of(), 0, a->win));
    RIGHT(MPI_Win_unlock(right_of(), a->win));
}

/* ---- what is wrong, and served ---- */

/* Calls all forms that take all of this, and none of `without`, in a passive epoch. None may fail;
 * each must leave its target's `n` words, whose pattern is put back, with `want`, and bring (forms
 * with a result) what was there. */
struct right {
    int takes, without;
    int want[2];
};

static void put_pattern_back(const struct area *a)
{
    int before[2] = {pattern(right_of(), 0), pattern(right_of(), 1)};
    RIGHT(MPI_Put(before, 2, MPI_INT, right_of(), disp_at(a, right_of(), 0), 2, MPI_INT, a->win));
    RIGHT(MPI_Win_flush(right_of(), a->win));
}

static void check_effect(const struct area *a, const struct form *form, const struct right *right)
{
    int there[2] = {0, 0};
    RIGHT(MPI_Win_flush(right_of(), a->win));
    RIGHT(MPI_Get(there, 2, MPI_INT, right_of(), disp_at(a, right_of(), 0), 2, MPI_INT, a->win));
    RIGHT(MPI_Win_flush(right_of(), a->win));
    for (int i = 0; i < 2; i++) {
        CHECK(there[i] == right->want[i], "%s, %s: word %d is %d, not %d", kind_names[a->kind],
              form->name, i, there[i], right->want[i]);
        CHECK(!(form->takes & has_result) || seen[i] == pattern(right_of(), i),
              "%s, %s: brings %d in word %d", kind_names[a->kind], form->name, seen[i], i);
    }
    CHECK(seen[2] == untouched, "%s, %s: brings too much", kind_names[a->kind], form->name);
}

static void serve_form(const struct area *a, const struct form *form, const struct arguments *x,
                       const struct right *right)
{
    MPI_Request request = MPI_REQUEST_NULL;
    put_pattern_back(a);
    RIGHT(form->call(x, a->win, &request));
    CHECK((request != MPI_REQUEST_NULL) == !!(form->takes & has_request), "%s: a request, or none",
          form->name);
    if (request != MPI_REQUEST_NULL)
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    check_effect(a, form, right);
    see_nothing();
    put_pattern_back(a);
}

static void served(const struct area *a, const struct arguments *x, struct right right)
{
    RIGHT(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, right_of(), 0, a->win));
    for (int i = 0; i < nforms; i++)
        if ((forms[i].takes & right.takes) == right.takes && !(forms[i].takes & right.without))
            serve_form(a, &forms[i], x, &right);
    RIGHT(MPI_Win_unlock(right_of(), a->win));
}

/* ---- the target ---- */

static void run_rank(struct area *a)
{
    struct arguments x = right_arguments(a);
    const int ranks[] = {nranks, nranks + 1000, -77, INT_MAX, INT_MIN};
    for (int i = 0; i < 5; i++) {
        char about[40];
        snprintf(about, sizeof about, "target rank %d is not in the window", ranks[i]);
        x.rank = ranks[i];
        spoiled(a, &x, MPI_ERR_RANK, about, 0);
        WRONG(a, MPI_ERR_RANK, about, MPI_Win_lock, (MPI_LOCK_SHARED, ranks[i], 0, a->win));
        WRONG(a, MPI_ERR_RANK, about, MPI_Win_unlock, (ranks[i], a->win));
        WRONG(a, MPI_ERR_RANK, about, MPI_Win_flush, (ranks[i], a->win));
        WRONG(a, MPI_ERR_RANK, about, MPI_Win_flush_local, (ranks[i], a->win));
    }
}

static void query_rank(const struct area *a)
{
    MPI_Aint size = untouched;
    int unit = untouched;
    void *base = sent;
    WRONG(a, MPI_ERR_RANK, "is not in the window", MPI_Win_shared_query,
          (a->win, nranks, &size, &unit, &base));
    WRONG(a, MPI_ERR_RANK, "is not in the window", MPI_Win_shared_query,
          (a->win, -77, &size, &unit, &base));
    CHECK(size == untouched && unit == untouched && base == sent, "a wrong query gave values");
}

static void run_rank_and_query(struct area *a)
{
    run_rank(a);
    if (a->kind != kind_dynamic)
        query_rank(a);
}

static void run_count(struct area *a)
{
    const int counts[] = {-1, INT_MIN};
    for (int i = 0; i < 2; i++) {
        struct arguments x = right_arguments(a);
        x.count = counts[i];
        spoiled(a, &x, MPI_ERR_COUNT, "origin count", has_origin | has_counts);
        x = right_arguments(a);
        x.target_count = counts[i];
        spoiled(a, &x, MPI_ERR_COUNT, "target count", has_counts);
        x = right_arguments(a);
        x.result_count = counts[i];
        spoiled(a, &x, MPI_ERR_COUNT, "count", has_result | has_counts);
    }
}

static void run_displacement(struct area *a)
{
    struct arguments x = right_arguments(a);
    if (a->kind == kind_dynamic)
        return; /* there a displacement is an address */
    x.at = -1;
    spoiled(a, &x, MPI_ERR_DISP, "displacement -1 is negative", 0);
    x.at = PTRDIFF_MIN;
    spoiled(a, &x, MPI_ERR_DISP, "is negative", 0);
}

/* ---- range ---- */

static void too_far(struct area *a)
{
    struct arguments x = right_arguments(a);
    const char *about =
        a->kind == kind_dynamic ? "not in a region" : "not inside the window of target rank";
    x.at = disp_at(a, right_of(), words); /* behind the end */
    spoiled(a, &x, MPI_ERR_RMA_RANGE, about, 0);
    x.at = disp_at(a, right_of(), words - 1); /* across it */
    spoiled(a, &x, MPI_ERR_RMA_RANGE, about, has_counts);
    if (a->kind == kind_dynamic) {
        x.at = disp_at(a, right_of(), -1);
        spoiled(a, &x, MPI_ERR_RMA_RANGE, about, 0);
        x.at = 0;
    } else {
        x.at = PTRDIFF_MAX / 2; /* times the displacement unit: no number */
    }
    spoiled(a, &x, MPI_ERR_RMA_RANGE, about, 0);
}

/* Types that reach farther than their size. */
static void too_far_by_type(struct area *a)
{
    struct arguments x = right_arguments(a);
    const char *about =
        a->kind == kind_dynamic ? "not in a region" : "not inside the window of target rank";
    MPI_Datatype wide, backward;
    MPI_Type_vector(2, 1, words, MPI_INT, &wide); /* words 0 and `words` */
    MPI_Type_commit(&wide);
    MPI_Type_vector(2, 1, -1, MPI_INT, &backward); /* words 0 and -1 */
    MPI_Type_commit(&backward);
    x.target_count = 1;
    x.target_type = wide;
    spoiled(a, &x, MPI_ERR_RMA_RANGE, about, has_counts);
    x.target_type = backward;
    spoiled(a, &x, MPI_ERR_RMA_RANGE, about, has_counts);
    MPI_Type_free(&wide);
    MPI_Type_free(&backward);
}

/* Detached memory is as if it had never been attached. */
static void detached(struct area *a)
{
    static int more[4];
    struct arguments x = right_arguments(a);
    MPI_Aint mine;
    RIGHT(MPI_Win_attach(a->win, more, sizeof more));
    MPI_Get_address(more, &mine);
    MPI_Sendrecv(&mine, 1, MPI_AINT, left_of(), 0, &x.at, 1, MPI_AINT, right_of(), 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    /* so that the region is known to this process */
    RIGHT(MPI_Win_lock(MPI_LOCK_SHARED, right_of(), 0, a->win));
    RIGHT(MPI_Get(seen, 1, MPI_INT, right_of(), x.at, 1, MPI_INT, a->win));
    RIGHT(MPI_Win_unlock(right_of(), a->win));
    seen[0] = untouched;
    MPI_Barrier(MPI_COMM_WORLD);
    RIGHT(MPI_Win_detach(a->win, more));
    MPI_Barrier(MPI_COMM_WORLD);
    spoiled(a, &x, MPI_ERR_RMA_RANGE, "not in a region", 0);
}

static void run_range(struct area *a)
{
    too_far(a);
    too_far_by_type(a);
    if (a->kind == kind_dynamic)
        detached(a);
}

/* ---- datatypes ---- */

static void wrong_type(struct area *a, MPI_Datatype type, const char *about)
{
    struct arguments x = right_arguments(a);
    x.type = type;
    spoiled(a, &x, MPI_ERR_TYPE, about, has_origin);
    x = right_arguments(a);
    x.target_type = type;
    spoiled(a, &x, MPI_ERR_TYPE, about, has_counts);
    x = right_arguments(a);
    x.result_type = type;
    spoiled(a, &x, MPI_ERR_TYPE, about, has_result | has_counts);
}

static void run_datatype(struct area *a)
{
    MPI_Datatype open;
    wrong_type(a, MPI_DATATYPE_NULL, "MPI_DATATYPE_NULL");
    MPI_Type_contiguous(1, MPI_INT, &open);
    wrong_type(a, open, "not committed");
    MPI_Type_free(&open);
}

/* MPI_REPLACE, and results: data that is only copied may be called by any name. (With MPI_NO_OP
 * too, where the origin's does not matter at all.) */
static void other_names(struct area *a)
{
    const MPI_Datatype names[] = {MPI_FLOAT, MPI_UNSIGNED, MPI_BYTE};
    for (int i = 0; i < 3; i++) {
        struct arguments x = right_arguments(a);
        int n = i == 2 ? 2 * sizeof(int) : 2,
            was[2] = {pattern(right_of(), 0), pattern(right_of(), 1)};
        struct right replaced = {is_accumulate, 0, {4711, 4711}},
                     summed = {is_accumulate | has_result, 0, {was[0] + 4711, was[1] + 4711}};
        struct right nothing = {is_accumulate | has_result, 0, {was[0], was[1]}};
        x.result_type = names[i];
        x.result_count = n;
        if (is_strict())
            spoiled(a, &x, MPI_ERR_TYPE, "basic type", is_accumulate | has_result);
        else
            served(a, &x, summed);
        x.op = MPI_NO_OP;
        if (!is_strict())
            served(a, &x, nothing);
        x.type = names[i];
        x.count = n;
        x.op = MPI_REPLACE;
        if (is_strict())
            spoiled(a, &x, MPI_ERR_TYPE, "basic type", is_accumulate);
        else
            served(a, &x, replaced);
        x.op = MPI_SUM; /* computes, so it has to know of which type */
        spoiled(a, &x, MPI_ERR_TYPE, "basic type", is_accumulate);
    }
}

/* Not where they lie apart at the origin, and not for pairs with padding. */
static void other_names_apart(struct area *a)
{
    struct arguments x = right_arguments(a);
    MPI_Datatype apart;
    MPI_Type_vector(2, 1, 2, MPI_FLOAT, &apart);
    MPI_Type_commit(&apart);
    x.type = apart;
    x.count = 1;
    x.op = MPI_REPLACE;
    spoiled(a, &x, MPI_ERR_TYPE, "basic type", is_accumulate);
    MPI_Type_free(&apart);
    x = right_arguments(a);
    x.type = MPI_SHORT_INT;
    x.count = 2;
    x.target_count = x.result_count = 3; /* 12 bytes on each side */
    x.op = MPI_REPLACE;
    spoiled(a, &x, MPI_ERR_TYPE, "basic type", is_accumulate);
}

static void run_basic_types(struct area *a)
{
    struct arguments x = right_arguments(a);
    const int lengths[] = {1, 1};
    const MPI_Aint offsets[] = {0, sizeof(int)};
    const MPI_Datatype parts[] = {MPI_INT, MPI_FLOAT};
    MPI_Datatype mixed;
    MPI_Type_create_struct(2, lengths, offsets, parts, &mixed);
    MPI_Type_commit(&mixed);
    x.count = x.result_count = x.target_count = 1;
    x.type = x.result_type = x.target_type = mixed;
    spoiled(a, &x, MPI_ERR_TYPE, "mixes basic types", is_accumulate);
    MPI_Type_free(&mixed);
    x = right_arguments(a);
    x.type = MPI_FLOAT;
    spoiled(a, &x, MPI_ERR_TYPE, "basic type", is_accumulate);
    x = right_arguments(a);
    x.target_type = MPI_UNSIGNED;
    spoiled(a, &x, MPI_ERR_TYPE, "basic type", is_accumulate);
    other_names(a);
    other_names_apart(a);
}

/* ---- sides of different size ---- */

/* A put takes what the origin has, a get brings nothing to an origin that has nothing; if strict,
 * both are errors. */
static void shorter_origin(struct area *a, struct arguments *x, int forms_of, int without,
                           const int *want)
{
    if (is_strict())
        spoiled(a, x, MPI_ERR_TYPE, "the target side", forms_of | has_counts);
    else
        served(a, x, (struct right){forms_of | has_counts, without, {want[0], want[1]}});
}

static void get_to_nothing(struct area *a)
{
    struct arguments x = right_arguments(a);
    x.result_count = 0;
    RIGHT(MPI_Win_lock(MPI_LOCK_SHARED, right_of(), 0, a->win));
    if (is_strict())
        WRONG_CALL(a, MPI_ERR_TYPE, "MPI_Get", "the target side", do_MPI_Get(&x, a->win, NULL));
    else
        RIGHT(do_MPI_Get(&x, a->win, NULL));
    RIGHT(MPI_Win_unlock(right_of(), a->win));
    CHECK(seen[0] == untouched, "%s: a get of nothing brings %d", kind_names[a->kind], seen[0]);
}

static void run_size_differs(struct area *a)
{
    const int was[2] = {pattern(right_of(), 0), pattern(right_of(), 1)}, first[2] = {4711, was[1]};
    struct arguments x = right_arguments(a);
    x.count = x.result_count = 3;
    spoiled(a, &x, MPI_ERR_TYPE, "the target side", has_counts);
    x.count = x.result_count = 1;
    spoiled(a, &x, MPI_ERR_TYPE, "the target side", is_accumulate);
    shorter_origin(a, &x, has_origin, is_accumulate, first);
    x.count = 6; /* not a whole number of the target's elements */
    x.type = MPI_BYTE;
    struct wrong odd = {MPI_ERR_TYPE, "the target side", has_origin | has_counts};
    RIGHT(MPI_Win_lock_all(0, a->win));
    call_forms(a, &x, &odd, is_accumulate);
    RIGHT(MPI_Win_unlock_all(a->win));
    x = right_arguments(a);
    x.count = 0;
    shorter_origin(a, &x, has_origin, is_accumulate, was);
    get_to_nothing(a);
}

static void run_atomic_types(struct area *a)
{
    static const MPI_Datatype no_integers[] = {MPI_DOUBLE, MPI_FLOAT, MPI_2INT,
                                               MPI_C_DOUBLE_COMPLEX};
    struct arguments x = right_arguments(a);
    MPI_Datatype derived;
    for (int i = 0; i < 4; i++) {
        x.type = no_integers[i];
        spoiled(a, &x, MPI_ERR_TYPE, "integer, logical or byte", has_compare);
    }
    MPI_Type_contiguous(1, MPI_INT, &derived);
    MPI_Type_commit(&derived);
    x.type = derived;
    for (int i = 0; i < nforms; i++)
        if (!(forms[i].takes & has_counts)) {
            struct wrong wrong = {MPI_ERR_TYPE, "derived", 0};
            RIGHT(MPI_Win_lock_all(0, a->win));
            call_form(a, &forms[i], &x, &wrong);
            RIGHT(MPI_Win_unlock_all(a->win));
        }
    MPI_Type_free(&derived);
}

/* ---- buffers ---- */

/* NULL is right where nothing is moved, and where the type has the addresses. */
static void null_is_right(const struct area *a)
{
    struct arguments x = right_arguments(a);
    MPI_Datatype absolute;
    MPI_Aint at;
    const int two = 2;
    MPI_Get_address(seen, &at);
    MPI_Type_create_hindexed(1, &two, &at, MPI_INT, &absolute);
    MPI_Type_commit(&absolute);
    RIGHT(MPI_Win_lock(MPI_LOCK_SHARED, right_of(), 0, a->win));
    RIGHT(MPI_Put(NULL, 0, MPI_INT, x.rank, x.at, 0, MPI_INT, a->win));
    RIGHT(MPI_Get(NULL, 0, MPI_INT, x.rank, x.at, 0, MPI_INT, a->win));
    RIGHT(MPI_Accumulate(NULL, 0, MPI_INT, x.rank, x.at, 0, MPI_INT, MPI_SUM, a->win));
    RIGHT(MPI_Get_accumulate(NULL, 0, MPI_INT, NULL, 0, MPI_INT, x.rank, x.at, 0, MPI_INT, MPI_SUM,
                             a->win));
    RIGHT(MPI_Get(MPI_BOTTOM, 1, absolute, x.rank, x.at, 2, MPI_INT, a->win));
    RIGHT(MPI_Win_flush(right_of(), a->win));
    CHECK(seen[0] == pattern(right_of(), 0) && seen[1] == pattern(right_of(), 1),
          "a get to MPI_BOTTOM brings %d %d", seen[0], seen[1]);
    /* already there */
    RIGHT(MPI_Put(MPI_BOTTOM, 1, absolute, x.rank, x.at, 2, MPI_INT, a->win));
    RIGHT(MPI_Accumulate(MPI_BOTTOM, 1, absolute, x.rank, x.at, 2, MPI_INT, MPI_REPLACE, a->win));
    RIGHT(MPI_Get_accumulate(NULL, 0, MPI_INT, MPI_BOTTOM, 1, absolute, x.rank, x.at, 2, MPI_INT,
                             MPI_NO_OP, a->win));
    RIGHT(MPI_Win_unlock(right_of(), a->win));
    MPI_Type_free(&absolute);
}

static void run_buffer(struct area *a)
{
    struct arguments x = right_arguments(a);
    x.origin = NULL;
    spoiled(a, &x, MPI_ERR_BUFFER, "origin buffer is NULL", has_origin);
    x = right_arguments(a);
    x.result = NULL;
    spoiled(a, &x, MPI_ERR_BUFFER, "buffer is NULL", has_result);
    x = right_arguments(a);
    x.compare = NULL;
    spoiled(a, &x, MPI_ERR_BUFFER, "compare buffer is NULL", has_compare);
    null_is_right(a);
}

/* ---- operations ---- */

static void own_operation(void *in, void *inout, int *n, MPI_Datatype *type)
{
    (void)in, (void)inout, (void)n, (void)type;
}

static void run_op(struct area *a)
{
    struct arguments x = right_arguments(a);
    MPI_Op own;
    x.op = MPI_OP_NULL;
    spoiled(a, &x, MPI_ERR_OP, "MPI_OP_NULL", has_op);
    MPI_Op_create(own_operation, 1, &own);
    x.op = own;
    spoiled(a, &x, MPI_ERR_OP, "not a predefined one", has_op);
    MPI_Op_free(&own);
    x.op = MPI_NO_OP; /* where there is no result, it is no operation */
    struct wrong no_op = {MPI_ERR_OP, "MPI_NO_OP", is_accumulate};
    RIGHT(MPI_Win_lock_all(0, a->win));
    call_forms(a, &x, &no_op, has_result);
    RIGHT(MPI_Win_unlock_all(a->win));
}

static int of_bytes(MPI_Op op, int x, int y)
{
    int result = 0;
    for (int i = 0; i < 32; i += 8) {
        unsigned p = (unsigned)x >> i & 255, q = (unsigned)y >> i & 255;
        result |= (int)(((op == MPI_SUM    ? p + q
                          : op == MPI_PROD ? p * q
                          : op == MPI_LAND ? (p && q)
                                           : (p || q)) &
                         255u)
                        << i);
    }
    return result;
}

/* Bytes as numbers. Operators that depend on their sign are refused (above). */
static void arithmetic_on_bytes(struct area *a)
{
    const MPI_Op ops[] = {MPI_SUM, MPI_PROD, MPI_LAND, MPI_LOR};
    struct arguments x = right_arguments(a);
    x.type = x.result_type = x.target_type = MPI_BYTE;
    x.count = x.result_count = x.target_count = 2 * sizeof(int);
    for (int i = 0; i < 4; i++) {
        x.op = ops[i];
        if (is_strict())
            spoiled(a, &x, MPI_ERR_OP, "is not defined", has_op);
        else
            served(a, &x,
                   (struct right){is_accumulate,
                                  0,
                                  {of_bytes(x.op, pattern(right_of(), 0), 4711),
                                   of_bytes(x.op, pattern(right_of(), 1), 4711)}});
    }
}

static void run_op_type(struct area *a)
{
    static const struct {
        MPI_Op op;
        MPI_Datatype type;
        const char *name;
    } pairs[] = {{MPI_BAND, MPI_FLOAT, "MPI_BAND"},         {MPI_LXOR, MPI_DOUBLE, "MPI_LXOR"},
                 {MPI_MAX, MPI_C_FLOAT_COMPLEX, "MPI_MAX"}, {MPI_SUM, MPI_2INT, "MPI_SUM"},
                 {MPI_MAXLOC, MPI_INT, "MPI_MAXLOC"},       {MPI_MINLOC, MPI_FLOAT, "MPI_MINLOC"},
                 {MPI_SUM, MPI_C_BOOL, "MPI_SUM"},          {MPI_MAX, MPI_BYTE, "MPI_MAX"},
                 {MPI_PROD, MPI_WCHAR, "MPI_PROD"},         {MPI_MIN, MPI_BYTE, "MPI_MIN"}};
    struct arguments x = right_arguments(a);
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        x.op = pairs[i].op;
        x.type = x.result_type = x.target_type = pairs[i].type;
        spoiled(a, &x, MPI_ERR_OP, pairs[i].name, has_op);
    }
    arithmetic_on_bytes(a);
}

static const struct row rows[] = {{"rank", run_rank_and_query, nkinds},
                                  {"count", run_count, nkinds},
                                  {"displacement", run_displacement, nkinds},
                                  {"range", run_range, nkinds},
                                  {"datatype", run_datatype, nkinds},
                                  {"basic_types", run_basic_types, nkinds},
                                  {"atomic_types", run_atomic_types, nkinds},
                                  {"buffer", run_buffer, nkinds},
                                  {"op", run_op, nkinds},
                                  {"op_type", run_op_type, nkinds},
                                  {"size_differs", run_size_differs, nkinds}};

int main(int argc, char **argv)
{
    start_listening(&argc, &argv);
    run_row(argc, argv, rows, sizeof rows / sizeof rows[0]);
    return finish_listening("error_operation");
}
