/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads derived datatypes from the host: the results of MPI_Type_get_envelope and get_contents
 * become a recipe (type/recipe.h).
 *
 * A type is read at its first use by an operation, and kept in the table of types under its handle
 * until the user frees it. An attribute of ours on the datatype has its delete function called
 * then. Types inside it are taken from the table, or read for this one use.
 */
#include "base/fail.h"
#include "type/recipe.h"
#include "host/kind.h"
#include "host/private_comm.h"
#include "host/pmpi.h"
#include "host/types.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t read_mutex = PTHREAD_MUTEX_INITIALIZER;
static int type_keyval = MPI_KEYVAL_INVALID;

/* ---- the host's description ---- */

/* The calls with large counts, of a host that has them. They return one number more, that of large
 * counts. */
#if MPI_VERSION >= 4
typedef MPI_Count number, extent;
#define LARGE(name) name##_c
#define COUNTS_AND(counts, types) counts, types
#else
typedef int number;
typedef MPI_Aint extent;
#define LARGE(name) name
#define COUNTS_AND(counts, types) types
#endif

struct contents {
    int combiner;
    number integers, addresses, counts, types; /* number of elements of each */
    int *integer;
    MPI_Aint *address;
    MPI_Count *count;
    MPI_Datatype *type;
};

static void *array_of(number count, size_t size)
{
    return calloc(count ? (size_t)count : 1, size);
}

static int no_memory(void)
{
    return proa_fail(PROA_ERR_NO_MEM, "out of memory for a datatype");
}

static int unreadable(void)
{
    return proa_fail(PROA_ERR_TYPE, "the host MPI does not describe the datatype");
}

static int envelope_read(MPI_Datatype datatype, struct contents *c)
{
    memset(c, 0, sizeof *c);
    return proa_pmpi()->LARGE(Type_get_envelope)(datatype, &c->integers, &c->addresses,
                                                 COUNTS_AND(&c->counts, &c->types),
                                                 &c->combiner) == MPI_SUCCESS
               ? PROA_OK
               : unreadable();
}

static int64_t extent_of(MPI_Datatype datatype)
{
    extent lower = 0, bytes = 0;

    proa_pmpi()->LARGE(Type_get_extent)(datatype, &lower, &bytes);
    return bytes;
}

static void contents_free(struct contents *c)
{
    free(c->integer);
    free(c->address);
    free(c->count);
    free(c->type);
}

static int contents_read(MPI_Datatype datatype, struct contents *c)
{
    int error;

    c->integer = array_of(c->integers, sizeof *c->integer);
    c->address = array_of(c->addresses, sizeof *c->address);
    c->count = array_of(c->counts, sizeof *c->count);
    c->type = array_of(c->types, sizeof *c->type);
    if (!c->integer || !c->address || !c->count || !c->type)
        error = no_memory();
    else if (proa_pmpi()->LARGE(Type_get_contents)(
                 datatype, c->integers, c->addresses, COUNTS_AND(c->counts, c->types), c->integer,
                 c->address, COUNTS_AND(c->count, c->type)) != MPI_SUCCESS)
        error = unreadable();
    else
        return PROA_OK;
    contents_free(c);
    return error;
}

/* ---- from contents to numbers ---- */

/* Puts the numbers into the order of recipe.h. head: number of integers before the counts of a
 * large-count constructor, which the host returns apart from the integers. */
static size_t numbers_merge(const struct contents *c, number head, int64_t *numbers)
{
    size_t n = 0;

    for (number i = 0; i < head; i++)
        numbers[n++] = c->integer[i];
    for (number i = 0; i < c->counts; i++)
        numbers[n++] = c->count[i];
    for (number i = head; i < c->integers; i++)
        numbers[n++] = c->integer[i];
    for (number i = 0; i < c->addresses; i++)
        numbers[n++] = c->address[i];
    return n;
}

/* Returns the constants in force in contents with that order, which is their last number. */
static const struct proa_contents_numbers *numbers_with(int64_t order)
{
    static const struct proa_contents_numbers header = {
        .order_c = MPI_ORDER_C,
        .order_fortran = MPI_ORDER_FORTRAN,
        .distribute_block = MPI_DISTRIBUTE_BLOCK,
        .distribute_cyclic = MPI_DISTRIBUTE_CYCLIC,
        .default_argument = MPI_DISTRIBUTE_DFLT_DARG,
    };
    const struct proa_contents_numbers *others = proa_host_kind()->contents;

    return others && (order == others->order_c || order == others->order_fortran) ? others
                                                                                  : &header;
}

/* Translates MPI's constants in the numbers of a darray into those of recipe.h. */
static void darray_translate(const struct proa_contents_numbers *mpi, int64_t *numbers,
                             size_t count)
{
    int64_t ndims = count > 2 ? numbers[2] : 0;

    if (ndims < 1 || (size_t)ndims > (count - 4) / 4)
        return;
    for (int64_t i = 0; i < ndims; i++) {
        int64_t *distribution = &numbers[3 + ndims + i], *argument = &numbers[3 + 2 * ndims + i];

        *distribution = *distribution == mpi->distribute_block    ? PROA_DISTRIBUTE_BLOCK
                        : *distribution == mpi->distribute_cyclic ? PROA_DISTRIBUTE_CYCLIC
                                                                  : PROA_DISTRIBUTE_NONE;
        if (*argument == mpi->default_argument)
            *argument = -1;
    }
}

/* The same, also for subarrays, where only the order is such a constant. */
static void constants_translate(struct proa_recipe *recipe, int64_t *numbers)
{
    size_t count = recipe->number_count;
    int is_darray = recipe->constructor == PROA_MAKE_DARRAY;
    const struct proa_contents_numbers *mpi;

    if (count == 0 || (!is_darray && recipe->constructor != PROA_MAKE_SUBARRAY))
        return;
    mpi = numbers_with(numbers[count - 1]);
    if (is_darray)
        darray_translate(mpi, numbers, count);
    numbers[count - 1] = numbers[count - 1] == mpi->order_fortran;
}

/* Returns the constructor. head: result, number of integers before the large counts. */
static int constructor_of(int combiner, number *head)
{
    static const struct {
        int combiner;
        enum proa_constructor constructor;
        number head;
    } rows[] = {
        {MPI_COMBINER_CONTIGUOUS, PROA_MAKE_CONTIGUOUS, 0},
        {MPI_COMBINER_VECTOR, PROA_MAKE_VECTOR, 0},
        {MPI_COMBINER_HVECTOR, PROA_MAKE_HVECTOR, 0},
        {MPI_COMBINER_INDEXED, PROA_MAKE_INDEXED, 0},
        {MPI_COMBINER_HINDEXED, PROA_MAKE_HINDEXED, 0},
        {MPI_COMBINER_INDEXED_BLOCK, PROA_MAKE_INDEXED_BLOCK, 0},
        {MPI_COMBINER_HINDEXED_BLOCK, PROA_MAKE_HINDEXED_BLOCK, 0},
        {MPI_COMBINER_STRUCT, PROA_MAKE_STRUCT, 0},
        {MPI_COMBINER_SUBARRAY, PROA_MAKE_SUBARRAY, 1},
        {MPI_COMBINER_DARRAY, PROA_MAKE_DARRAY, 3},
        {MPI_COMBINER_DUP, PROA_MAKE_DUP, 0},
        {MPI_COMBINER_RESIZED, PROA_MAKE_RESIZED, 0},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].combiner == combiner) {
            *head = rows[i].head;
            return (int)rows[i].constructor;
        }
    return proa_fail(PROA_ERR_TYPE, "the datatype has an unknown combiner (%d)", combiner);
}

static int numbers_of(const struct contents *c, struct proa_recipe *recipe, int64_t **numbers)
{
    number head;
    int constructor = constructor_of(c->combiner, &head);

    *numbers = NULL;
    if (constructor < 0)
        return constructor;
    *numbers = array_of(c->integers + c->counts + c->addresses, sizeof **numbers);
    if (!*numbers)
        return no_memory();
    recipe->constructor = (enum proa_constructor)constructor;
    recipe->number_count = numbers_merge(c, head <= c->integers ? head : c->integers, *numbers);
    constants_translate(recipe, *numbers);
    recipe->numbers = *numbers;
    return PROA_OK;
}

/* ---- reading ---- */

static int read_type(MPI_Datatype datatype, struct proa_type *type);

/* Returns the type from the table, or NULL. A missing predefined type is entered. Called under the
 * mutex. */
static const struct proa_type *find_known(MPI_Datatype datatype)
{
    const struct proa_type *known = proa_table_find(&proa_types, PROA_TABLE_KEY(datatype));

    return known ? known : proa_types_predefined(datatype);
}

/* Reads a type inside another one. type: result; room only if the caller has to release it. */
static int read_inner(MPI_Datatype datatype, struct proa_type *room, const struct proa_type **type)
{
    int error = PROA_OK;

    *type = find_known(datatype);
    if (!*type) {
        error = read_type(datatype, room);
        *type = error ? NULL : room;
    }
    return error;
}

static int is_f90(int combiner)
{
    return combiner == MPI_COMBINER_F90_REAL || combiner == MPI_COMBINER_F90_COMPLEX ||
           combiner == MPI_COMBINER_F90_INTEGER;
}

/* MPI_Type_get_contents returns handles of its own for all but predefined types. */
static void free_inner(MPI_Datatype *datatype)
{
    struct contents c;

    if (envelope_read(*datatype, &c) == PROA_OK && c.combiner != MPI_COMBINER_NAMED &&
        !is_f90(c.combiner))
        proa_pmpi()->Type_free(datatype);
}

static int read_parts(const struct contents *c, struct proa_recipe *recipe,
                      struct proa_type *result)
{
    struct proa_type *rooms = array_of(c->types, sizeof *rooms);
    const struct proa_type **types = array_of(c->types, sizeof *types);
    int error = rooms && types ? PROA_OK : no_memory();

    for (number i = 0; i < c->types && !error; i++)
        error = read_inner(c->type[i], &rooms[i], &types[i]);
    recipe->types = types;
    recipe->type_count = (size_t)c->types;
    if (!error)
        error = proa_recipe_make(recipe, result);
    for (number i = 0; types && i < c->types && types[i]; i++)
        if (types[i] == &rooms[i])
            proa_type_release(&rooms[i]);
    free(rooms);
    free(types);
    return error;
}

static int read_derived(MPI_Datatype datatype, struct contents *c, struct proa_type *type)
{
    struct proa_recipe recipe = {0};
    int64_t *numbers;
    int error = contents_read(datatype, c);

    if (error)
        return error;
    recipe.extent = extent_of(datatype);
    error = numbers_of(c, &recipe, &numbers);
    if (!error)
        error = read_parts(c, &recipe, type);
    for (number i = 0; i < c->types; i++)
        free_inner(&c->type[i]);
    free(numbers);
    contents_free(c);
    return error;
}

static int read_type(MPI_Datatype datatype, struct proa_type *type)
{
    struct contents c;
    int error = envelope_read(datatype, &c);

    if (error)
        return error;
    if (c.combiner == MPI_COMBINER_NAMED)
        return proa_fail(PROA_ERR_TYPE, "a predefined datatype is unknown to Proa");
    return is_f90(c.combiner) ? proa_types_f90(datatype, c.combiner, type)
                              : read_derived(datatype, &c, type);
}

/* ---- the table of types ---- */

static int forget(MPI_Datatype datatype, int keyval, void *value, void *extra)
{
    struct proa_type *type = value;

    (void)keyval;
    (void)extra;
    proa_table_remove(&proa_types, PROA_TABLE_KEY(datatype));
    proa_type_release(type);
    free(type);
    return MPI_SUCCESS;
}

static int keep(MPI_Datatype datatype, struct proa_type *type)
{
    if (type_keyval == MPI_KEYVAL_INVALID &&
        proa_pmpi()->Type_create_keyval(MPI_TYPE_NULL_COPY_FN, forget, &type_keyval, NULL) !=
            MPI_SUCCESS)
        return -1;
    if (proa_table_set(&proa_types, PROA_TABLE_KEY(datatype), type) != 0)
        return -1;
    if (proa_pmpi()->Type_set_attr(datatype, type_keyval, type) == MPI_SUCCESS)
        return 0;
    proa_table_remove(&proa_types, PROA_TABLE_KEY(datatype));
    return -1;
}

/* Sends to MPI_PROC_NULL. The host checks the datatype as for any send, and so reports whether it
 * is valid and committed. MPI has no call that returns this. */
static int is_committed(MPI_Datatype datatype)
{
    /* MPICH checks the datatype only if the count is not 0, and then requires a buffer */
    static char unread;

    return proa_pmpi()->Send(&unread, 1, datatype, MPI_PROC_NULL, 0, proa_private_comm()) ==
           MPI_SUCCESS;
}

/* Returns a type that operations cannot use, for a reason in two parts. */
static const struct proa_type *troubled(const char *trouble, const char *more)
{
    static _Thread_local struct proa_type type;
    static _Thread_local char text[300];

    snprintf(text, sizeof text, "%s%s", trouble, more);
    type = (struct proa_type){.basic = PROA_MIXED, .trouble = text};
    return &type;
}

static const struct proa_type *read_and_keep(MPI_Datatype datatype)
{
    struct proa_type *type = calloc(1, sizeof *type);

    if (!type)
        return troubled("cannot be read: out of memory", "");
    if (read_type(datatype, type) != PROA_OK) {
        free(type);
        return troubled("cannot be used: ", proa_failure());
    }
    if (keep(datatype, type) == 0)
        return type;
    proa_type_release(type);
    free(type);
    return troubled("cannot be kept: the host MPI refuses an attribute on it", "");
}

const struct proa_type *proa_type_unknown(MPI_Datatype datatype)
{
    const struct proa_type *type;

    if (datatype == MPI_DATATYPE_NULL)
        return troubled("is MPI_DATATYPE_NULL", "");
    pthread_mutex_lock(&read_mutex);
    type = find_known(datatype);
    if (!type) /* known types are not checked for commitment: markers cannot be communicated */
        type = is_committed(datatype) ? read_and_keep(datatype)
                                      : troubled("is not committed, or is no datatype", "");
    pthread_mutex_unlock(&read_mutex);
    return type;
}
