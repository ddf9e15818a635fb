/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The calls that complete requests, or return whether they are complete (MPI-4.1, 3.7.3 to 3.7.6).
 * Proa overrides them because of its own requests (bind/greq.h).
 *
 * While none of these is open, a call is passed to the host after one load. Otherwise Proa first
 * reports its completed requests to the host. Calls that wait are then loops of the host's tests,
 * so that Proa makes progress on its network and the host's messages meanwhile. The calls need not
 * know which requests are Proa's. So they are right for any requests, null and inactive ones too.
 * Their results are the host's.
 */
#include "bind/greq.h"
#include "base/atomic.h"
#include "base/load.h"
#include "check/messages.h"
#include "check/ordering.h"
#include "hang/requests.h"
#include "hang/waits.h"
#include "usage/requests.h"
#include "watch/record.h"
#include "progress/progress.h"
#include "remote/request.h"

#include <stdlib.h>
#include <string.h>

/* The host's functions, looked up one by one at their first calls. proa_pmpi() is not used, as
 * programs without windows, of any MPI, make these calls too. */
static void *host_Wait, *host_Waitall, *host_Waitany, *host_Waitsome;
static void *host_Test, *host_Testall, *host_Testany, *host_Testsome, *host_Request_get_status;

static void *found(void **host, const char *name)
{
    void *function = proa_atomic_load(host, PROA_RELAXED);

    if (!function) {
        function = proa_pmpi_symbol(name);
        if (!proa_ordering_is_on() && !proa_thread_calls_on &&
            !proa_rma_requests_on) /* check mode sees all calls */
            proa_atomic_store(host, function, PROA_RELAXED);
    }
    return function;
}

#define HOST(name) ((__typeof__(&PMPI_##name))found(&host_##name, "PMPI_" #name))

/* The fast path: returns the host's function if it is known and no request of Proa's is open.
 * Returns NULL for the slow path, as always in check mode. */
#define QUICKLY(name)                                        \
    ((__typeof__(&PMPI_##name))(PROA_RARELY(proa_greq_any()) \
                                    ? NULL                   \
                                    : proa_atomic_load(&host_##name, PROA_RELAXED)))

/* The slow path. */
#define SLOWLY static __attribute__((noinline)) int

enum form { ONE, ALL, ANY, SOME };

/* Most messages of a wait that the watchdog records. */
enum { MESSAGES = 16 };

/* A call; its last test has set `flag` and `error`. */
struct completion {
    enum form form;
    int count;
    MPI_Request *requests;
    int *number; /* index or outcount */
    int *indices;
    MPI_Status *statuses; /* or one status */
    int flag, error;
    MPI_Request *before; /* copy of the requests before the call, if one may have failed */
    const void *caller;  /* the return address; NULL if unknown */
};

/* ---- the host's tests ---- */

static void test(struct completion *c)
{
    c->flag = 0;
    switch (c->form) {
    case ONE:
        c->error = HOST(Test)(c->requests, &c->flag, c->statuses);
        break;
    case ALL:
        c->error = HOST(Testall)(c->count, c->requests, &c->flag, c->statuses);
        break;
    case ANY:
        c->error = HOST(Testany)(c->count, c->requests, c->number, &c->flag, c->statuses);
        break;
    case SOME:
        c->error = HOST(Testsome)(c->count, c->requests, c->number, c->indices, c->statuses);
        c->flag = *c->number != 0; /* or MPI_UNDEFINED */
    }
}

static int host_waits(struct completion *c)
{
    switch (c->form) {
    case ONE:
        return HOST(Wait)(c->requests, c->statuses);
    case ALL:
        return HOST(Waitall)(c->count, c->requests, c->statuses);
    case ANY:
        return HOST(Waitany)(c->count, c->requests, c->number, c->statuses);
    default:
        return HOST(Waitsome)(c->count, c->requests, c->number, c->indices, c->statuses);
    }
}

/* ---- errors ---- */

/* Returns the index of the i-th request that the call has completed. */
static int which(const struct completion *c, int i)
{
    return c->form == SOME ? c->indices[i] : i;
}

/* For the forms ALL and SOME the statuses hold the error. */
static int error_in_statuses(struct completion *c)
{
    int n = c->form == SOME ? *c->number : c->count;

    for (int i = 0; i < n && c->statuses != MPI_STATUSES_IGNORE; i++) {
        int class = c->before ? proa_greq_error_of(c->before[which(c, i)]) : MPI_ERR_OTHER;

        if (c->error != MPI_ERR_IN_STATUS || class != MPI_SUCCESS)
            c->statuses[i].MPI_ERROR = class;
    }
    return proa_greq_raise() == MPI_SUCCESS ? MPI_SUCCESS : MPI_ERR_IN_STATUS;
}

/* Ends the call. Returns its return value. */
static int finish(struct completion *c)
{
    int error = c->error;

    proa_message_completed(c->caller);
    if (PROA_RARELY(proa_greq_failed())) {
        if (c->form == ALL || c->form == SOME)
            error = error_in_statuses(c);
        else
            error = proa_greq_raise();
    }
    free(c->before);
    return error;
}

static void begin(struct completion *c)
{
    size_t bytes = (size_t)(c->count > 0 ? c->count : 0) * sizeof *c->requests;

    if (c->form != ALL && c->form != SOME)
        return;
    c->before = malloc(bytes ? bytes : 1);
    if (c->before && c->requests)
        memcpy(c->before, c->requests, bytes);
}

/* ---- waiting and testing ---- */

static int has_come(void *completion)
{
    struct completion *c = completion;

    proa_greq_tell_host();
    test(c);
    return c->flag || c->error != MPI_SUCCESS || !proa_greq_any();
}

static void wait_until_come(struct completion *c)
{
    if (!proa_greq_any()) {
        c->error = host_waits(c);
        return;
    }
    begin(c);
    proa_request_hurry();
    proa_wait(has_come, c, &proa_self->ctl->bell);
    proa_record_waited_for_request();
    if (!c->flag && c->error == MPI_SUCCESS)
        c->error = host_waits(c); /* the host can wait by itself */
}

/* Arguments as in struct completion; NULL if the call has none. caller: the return address. */
SLOWLY wait_for(enum form form, int count, MPI_Request *requests, int *number, int *indices,
                MPI_Status *statuses, const void *caller)
{
    static const char *const names[] = {
        [ONE] = "MPI_Wait", [ALL] = "MPI_Waitall", [ANY] = "MPI_Waitany", [SOME] = "MPI_Waitsome"};
    struct proa_awaited_message messages[MESSAGES];
    struct completion of = {form, count, requests, number, indices, statuses, 0, 0, NULL, caller},
                      *c = &of;
    struct proa_rma_requests followed;
    int known;

    proa_message_completes(caller);
    known = proa_requests_take(requests, count, messages, MESSAGES);
    proa_rma_requests_before(&followed, requests, count);
    if (form == ANY || form == SOME) /* one of several is enough */
        known = -1;
    proa_waits_begin_messages(names[form], messages, known, caller);
    wait_until_come(c);
    proa_waits_end();
    proa_rma_requests_after(&followed, requests);
    return finish(c);
}

/* Makes progress for a caller that polls: not urgent, but it must not stop. */
static void get_on(void)
{
    if (!proa_greq_any())
        return;
    proa_request_hurry();
    proa_progress_take_in();
    if (proa_is_oversubscribed())
        proa_yield();
    proa_greq_tell_host();
}

SLOWLY test_for(enum form form, int count, MPI_Request *requests, int *number, int *indices,
                MPI_Status *statuses, int *flag)
{
    struct completion of = {form, count, requests, number, indices, statuses, 0, 0, NULL, NULL},
                      *c = &of;
    struct proa_rma_requests followed;

    proa_message_completes(NULL);
    proa_requests_take(requests, count, NULL, 0);
    proa_rma_requests_before(&followed, requests, count);
    begin(c);
    get_on();
    test(c);
    proa_rma_requests_after(&followed, requests);
    if (flag)
        *flag = c->flag;
    return finish(c);
}

/* ---- the calls ---- */

#define CALLER __builtin_return_address(0)

PROA_MPI(Wait)(MPI_Request *request, MPI_Status *status)
{
    __typeof__(&PMPI_Wait) host = QUICKLY(Wait);

    return host ? host(request, status) : wait_for(ONE, 1, request, NULL, NULL, status, CALLER);
}

PROA_MPI(Waitall)(int count, MPI_Request requests[], MPI_Status statuses[])
{
    __typeof__(&PMPI_Waitall) host = QUICKLY(Waitall);

    return host ? host(count, requests, statuses)
                : wait_for(ALL, count, requests, NULL, NULL, statuses, CALLER);
}

PROA_MPI(Waitany)(int count, MPI_Request requests[], int *index, MPI_Status *status)
{
    __typeof__(&PMPI_Waitany) host = QUICKLY(Waitany);

    return host ? host(count, requests, index, status)
                : wait_for(ANY, count, requests, index, NULL, status, CALLER);
}

PROA_MPI(Waitsome)
(int count, MPI_Request requests[], int *outcount, int indices[], MPI_Status statuses[])
{
    __typeof__(&PMPI_Waitsome) host = QUICKLY(Waitsome);

    return host ? host(count, requests, outcount, indices, statuses)
                : wait_for(SOME, count, requests, outcount, indices, statuses, CALLER);
}

PROA_MPI(Test)(MPI_Request *request, int *flag, MPI_Status *status)
{
    __typeof__(&PMPI_Test) host = QUICKLY(Test);

    return host ? host(request, flag, status) : test_for(ONE, 1, request, NULL, NULL, status, flag);
}

PROA_MPI(Testall)(int count, MPI_Request requests[], int *flag, MPI_Status statuses[])
{
    __typeof__(&PMPI_Testall) host = QUICKLY(Testall);

    return host ? host(count, requests, flag, statuses)
                : test_for(ALL, count, requests, NULL, NULL, statuses, flag);
}

PROA_MPI(Testany)(int count, MPI_Request requests[], int *index, int *flag, MPI_Status *status)
{
    __typeof__(&PMPI_Testany) host = QUICKLY(Testany);

    return host ? host(count, requests, index, flag, status)
                : test_for(ANY, count, requests, index, NULL, status, flag);
}

PROA_MPI(Testsome)
(int count, MPI_Request requests[], int *outcount, int indices[], MPI_Status statuses[])
{
    __typeof__(&PMPI_Testsome) host = QUICKLY(Testsome);

    return host ? host(count, requests, outcount, indices, statuses)
                : test_for(SOME, count, requests, outcount, indices, statuses, NULL);
}

/* The call completes no operation, so errors wait for a call that completes the request. */
SLOWLY get_status_slowly(MPI_Request request, int *flag, MPI_Status *status)
{
    int error;

    get_on();
    error = HOST(Request_get_status)(request, flag, status);
    proa_message_completed(NULL);
    proa_greq_forget_errors();
    return error;
}

PROA_MPI(Request_get_status)(MPI_Request request, int *flag, MPI_Status *status)
{
    __typeof__(&PMPI_Request_get_status) host = QUICKLY(Request_get_status);

    return host ? host(request, flag, status) : get_status_slowly(request, flag, status);
}

#if MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1)

/* The same for several requests (MPI-4.1, 3.7.6). The functions have names of our own in C, as the
 * hosts' headers do not agree whether the requests are const. If the host is older than the one
 * that this was built with, its programs call none of these. */
#define DECLARE(name, ...)                                                  \
    PROA_EXPORT int name(__VA_ARGS__) __asm__("PMPI_Request_" #name);       \
    PROA_EXPORT int name##_alias(__VA_ARGS__) __asm__("MPI_Request_" #name) \
        __attribute__((weak, alias("PMPI_Request_" #name)));                \
    static void *host_##name;

DECLARE(get_status_all, int, const MPI_Request[], int *, MPI_Status[])
DECLARE(get_status_any, int, const MPI_Request[], int *, int *, MPI_Status *)
DECLARE(get_status_some, int, const MPI_Request[], int *, int[], MPI_Status[])

#define FOUND(name) ((__typeof__(&name))found(&host_##name, "PMPI_Request_" #name))

/* Called before each of them. */
static void ask(void)
{
    if (PROA_RARELY(proa_greq_any()))
        get_on();
}

static int asked(int error)
{
    proa_message_completed(NULL);
    if (PROA_RARELY(proa_greq_failed()))
        proa_greq_forget_errors();
    return error;
}

int get_status_all(int count, const MPI_Request requests[], int *flag, MPI_Status statuses[])
{
    ask();
    return asked(FOUND(get_status_all)(count, requests, flag, statuses));
}

int get_status_any(int count, const MPI_Request requests[], int *index, int *flag,
                   MPI_Status *status)
{
    ask();
    return asked(FOUND(get_status_any)(count, requests, index, flag, status));
}

int get_status_some(int count, const MPI_Request requests[], int *outcount, int indices[],
                    MPI_Status statuses[])
{
    ask();
    return asked(FOUND(get_status_some)(count, requests, outcount, indices, statuses));
}

#endif
