/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Numbers for the calls of MPI's chapter on one-sided communication. The lists are the only source:
 * the numbers, the names and the table of the host's functions (host/pmpi.h) come from them.
 */
#ifndef PROA_BASE_CALLS_H
#define PROA_BASE_CALLS_H

#include <stddef.h>
#include <stdint.h>

#define PROA_CALLS(X)      \
    X(Win_create)          \
    X(Win_allocate)        \
    X(Win_allocate_shared) \
    X(Win_shared_query)    \
    X(Win_create_dynamic)  \
    X(Win_attach)          \
    X(Win_detach)          \
    X(Win_free)            \
    X(Win_get_group)       \
    X(Win_get_info)        \
    X(Win_set_info)        \
    X(Win_get_attr)        \
    X(Win_set_attr)        \
    X(Win_delete_attr)     \
    X(Win_set_name)        \
    X(Win_get_name)        \
    X(Win_set_errhandler)  \
    X(Win_get_errhandler)  \
    X(Win_call_errhandler) \
    X(Alloc_mem)           \
    X(Free_mem)            \
    X(Win_fence)           \
    X(Win_start)           \
    X(Win_complete)        \
    X(Win_post)            \
    X(Win_wait)            \
    X(Win_test)            \
    X(Win_lock)            \
    X(Win_unlock)          \
    X(Win_lock_all)        \
    X(Win_unlock_all)      \
    X(Win_flush)           \
    X(Win_flush_all)       \
    X(Win_flush_local)     \
    X(Win_flush_local_all) \
    X(Win_sync)            \
    X(Put)                 \
    X(Get)                 \
    X(Accumulate)          \
    X(Get_accumulate)      \
    X(Fetch_and_op)        \
    X(Compare_and_swap)    \
    X(Rput)                \
    X(Rget)                \
    X(Raccumulate)         \
    X(Rget_accumulate)

/* Calls with large counts, since MPI-4.0. An older host lacks these calls, but their numbers
 * exist. */
#define PROA_CALLS_LARGE(X)  \
    X(Win_create_c)          \
    X(Win_allocate_c)        \
    X(Win_allocate_shared_c) \
    X(Win_shared_query_c)    \
    X(Put_c)                 \
    X(Get_c)                 \
    X(Accumulate_c)          \
    X(Get_accumulate_c)      \
    X(Rput_c)                \
    X(Rget_c)                \
    X(Raccumulate_c)         \
    X(Rget_accumulate_c)

/* Notified communication (draft of MPI-5.1, 12.6), which hosts do not have yet. */
#define PROA_CALLS_NOTIFIED(X)  \
    X(Put_notify)               \
    X(Get_notify)               \
    X(Accumulate_notify)        \
    X(Get_accumulate_notify)    \
    X(Rput_notify)              \
    X(Rget_notify)              \
    X(Raccumulate_notify)       \
    X(Rget_accumulate_notify)   \
    X(Put_notify_c)             \
    X(Get_notify_c)             \
    X(Accumulate_notify_c)      \
    X(Get_accumulate_notify_c)  \
    X(Rput_notify_c)            \
    X(Rget_notify_c)            \
    X(Raccumulate_notify_c)     \
    X(Rget_accumulate_notify_c) \
    X(Win_set_num_notify)       \
    X(Win_get_num_notify)       \
    X(Win_get_notify_value)     \
    X(Win_reset_notify_value)   \
    X(Win_notify_ithreshold)

/* Calls beyond the draft, named PROA_Win_wait_notify and so on. */
#define PROA_CALLS_OWN(X)  \
    X(Win_wait_notify)     \
    X(Win_waitsome_notify) \
    X(Win_get_notify_address)

/* PROA_CALL_Put and so on, spelled as in MPI. */
enum proa_call {
#define PROA_CALL_NUMBER(name) PROA_CALL_##name,
    PROA_CALLS(PROA_CALL_NUMBER) PROA_CALLS_LARGE(PROA_CALL_NUMBER)
        PROA_CALLS_NOTIFIED(PROA_CALL_NUMBER) PROA_CALLS_OWN(PROA_CALL_NUMBER)
#undef PROA_CALL_NUMBER
            PROA_CALL_COUNT
};

/* Returns the name of the call, such as "MPI_Put". */
const char *proa_call_name(enum proa_call call);

/* ---- the place of a call in the program ---- */

/* The library of a language that a call of the program went through. */
enum proa_binding { PROA_BINDING_NONE, PROA_BINDING_FORTRAN, PROA_BINDING_CPP };

/* The return addresses of a call in the program and of its callers up to main, innermost first
 * (findings/stack.h). A stack is never freed. */
enum { PROA_STACK_MOST = 64 };
struct proa_stack {
    uint16_t count;
    uint16_t binding; /* enum proa_binding */
    const void *frames[];
};

/* A `caller` is a return address or a stack. A stack has this bit set, which no address of a
 * program has. */
#define PROA_STACK_BIT ((uintptr_t)1 << 63)

static inline const void *proa_stack_caller(const struct proa_stack *stack)
{
    return (const void *)((uintptr_t)stack | PROA_STACK_BIT);
}

/* Returns the stack, or NULL if caller is a return address or NULL. */
static inline const struct proa_stack *proa_stack_of(const void *caller)
{
    return (uintptr_t)caller & PROA_STACK_BIT
               ? (const struct proa_stack *)((uintptr_t)caller & ~PROA_STACK_BIT)
               : NULL;
}

/* Returns the return address of the call itself. */
static inline const void *proa_caller_address(const void *caller)
{
    const struct proa_stack *stack = proa_stack_of(caller);

    return stack ? stack->frames[0] : caller;
}

/* The operation and the data of a call, as a report names them: MPI_SUM, MPI_DOUBLE x 8. It is one
 * word because each access that check mode records, and each message about an access, holds one. */
struct proa_payload {
    uint64_t count : 44;    /* elements at the target; the upper bits of a larger number are cut
                             * off */
    uint64_t datatype : 12; /* number of the struct proa_type; 0 for a derived datatype */
    uint64_t op : 7;        /* 1 + enum proa_operation; 0 if the call has none */
    uint64_t is_known : 1;  /* 0 if the call is no operation */
};

_Static_assert(sizeof(struct proa_payload) == sizeof(uint64_t), "");

#endif
