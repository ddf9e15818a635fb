/* SPDX-License-Identifier: BSD-3-Clause */
/* See host_buffers.h. */
#include "watch/host_buffers.h"
#include "check/reuse.h"
#include "check/own.h"
#include "host/pmpi.h"

#include <stdint.h>
#include <string.h>

/* A buffer that the call loads from or stores to. TIMES: it has as many parts as there are
 * processes. AT_ROOT, ELSEWHERE: only the root uses it, or all other processes do. */
enum { LOADS = 1, STORES = 2, TIMES = 4, AT_ROOT = 8, ELSEWHERE = 16 };

static const struct row {
    const char *name; /* without "MPI_", "I" and "_c" */
    int8_t buffer, count, type, comm, root;
    uint8_t how;
} rows[] = {
    {"send", 0, 1, 2, 5, -1, LOADS},
    {"bsend", 0, 1, 2, 5, -1, LOADS},
    {"ssend", 0, 1, 2, 5, -1, LOADS},
    {"rsend", 0, 1, 2, 5, -1, LOADS},
    {"recv", 0, 1, 2, 5, -1, STORES},
    {"mrecv", 0, 1, 2, -1, -1, STORES},
    {"sendrecv", 0, 1, 2, 10, -1, LOADS},
    {"sendrecv", 5, 6, 7, 10, -1, STORES},
    {"sendrecv_replace", 0, 1, 2, 7, -1, STORES},
    {"bcast", 0, 1, 2, 4, 3, LOADS | AT_ROOT},
    {"bcast", 0, 1, 2, 4, 3, STORES | ELSEWHERE},
    {"reduce", 0, 2, 3, 6, 5, LOADS},
    {"reduce", 1, 2, 3, 6, 5, STORES | AT_ROOT},
    {"gather", 0, 1, 2, 7, 6, LOADS},
    {"gather", 3, 4, 5, 7, 6, STORES | TIMES | AT_ROOT},
    {"scatter", 0, 1, 2, 7, 6, LOADS | TIMES | AT_ROOT},
    {"scatter", 3, 4, 5, 7, 6, STORES},
    {"allreduce", 0, 2, 3, 5, -1, LOADS},
    {"allreduce", 1, 2, 3, 5, -1, STORES},
    {"scan", 0, 2, 3, 5, -1, LOADS},
    {"scan", 1, 2, 3, 5, -1, STORES},
    {"exscan", 0, 2, 3, 5, -1, LOADS},
    {"exscan", 1, 2, 3, 5, -1, STORES},
    {"allgather", 0, 1, 2, 6, -1, LOADS},
    {"allgather", 3, 4, 5, 6, -1, STORES | TIMES},
    {"alltoall", 0, 1, 2, 6, -1, LOADS | TIMES},
    {"alltoall", 3, 4, 5, 6, -1, STORES | TIMES},
};
enum { ROWS = sizeof rows / sizeof *rows };

/* Returns true if a name such as "Isend_c", of MPI_Isend_c, is a form of "send". The first letter
 * of a plain form is a capital. The letter of a nonblocking form follows an I. */
static int is_form_of(const char *name, const char *row)
{
    const size_t length = strlen(row);
    const char *rest = name[0] == 'I' ? name + 1 : name;

    return (rest[0] | 0x20) == row[0] && strncmp(rest + 1, row + 1, length - 1) == 0 &&
           (rest[length] == '\0' || strcmp(rest + length, "_c") == 0);
}

static int is_large(const char *name)
{
    const size_t length = strlen(name);

    return length > 2 && strcmp(name + length - 2, "_c") == 0;
}

/* Returns true if this process uses the buffer. Not determined for an intercommunicator. */
static int is_used(const struct row *row, const struct proa_host_call *call, MPI_Comm comm)
{
    int rank = -1, is_inter = 1;

    if (!(row->how & (AT_ROOT | ELSEWHERE | TIMES)))
        return 1;
    proa_pmpi()->Comm_test_inter(comm, &is_inter);
    proa_pmpi()->Comm_rank(comm, &rank);
    if (is_inter)
        return 0;
    if (row->how & AT_ROOT)
        return rank == (int)call->words[row->root];
    return !(row->how & ELSEWHERE) || rank != (int)call->words[row->root];
}

/* Action on a buffer: proa_reuse_call or proa_own_touch_call. */
typedef void buffer_do(const char *call, const void *caller, const void *memory, int64_t count,
                       MPI_Datatype datatype, int stores);

static void do_buffer(const struct row *row, const struct proa_host_call *call, buffer_do *what)
{
    const char *name = call->name + (call->name[0] == 'P');
    const MPI_Comm comm =
        row->comm < 0 ? MPI_COMM_NULL : (MPI_Comm)(intptr_t)call->words[row->comm];
    int64_t count = is_large(name) ? call->words[row->count] : (int)call->words[row->count];
    const void *memory = (const void *)call->words[row->buffer];
    int size = 1;

    if (memory == MPI_IN_PLACE || !is_used(row, call, comm))
        return;
    if (row->how & TIMES)
        proa_pmpi()->Comm_size(comm, &size);
    what(name, call->caller, memory, count * size, (MPI_Datatype)(intptr_t)call->words[row->type],
         (row->how & STORES) != 0);
}

struct proa_host_buffers proa_host_buffers_of(const char *name)
{
    const char *verb = strchr(name, '_') + 1;
    struct proa_host_buffers buffers = {0, 0};

    for (int8_t i = 0; i < ROWS; i++)
        if (is_form_of(verb, rows[i].name)) {
            buffers.first = buffers.count ? buffers.first : i;
            buffers.count++;
        }
    return buffers;
}

/* A message establishes order, so its stores are recorded after that. */
void proa_host_buffers_begin(const struct proa_host_call *call, struct proa_host_buffers buffers,
                             int is_begun_only)
{
    const int any = proa_reuse_any(), touches = proa_own_touchable();

    for (const struct row *row = rows + buffers.first; row < rows + buffers.first + buffers.count;
         row++) {
        if (any)
            do_buffer(row, call, proa_reuse_call);
        if (touches && (is_begun_only || row->how & LOADS))
            do_buffer(row, call, proa_own_touch_call);
    }
}

void proa_host_buffers_end(const struct proa_host_call *call, struct proa_host_buffers buffers)
{
    if (!proa_own_touchable())
        return;
    for (const struct row *row = rows + buffers.first; row < rows + buffers.first + buffers.count;
         row++)
        if (row->how & STORES)
            do_buffer(row, call, proa_own_touch_call);
}
