/* SPDX-License-Identifier: BSD-3-Clause */
/* See requests.h. */
#include "hang/requests.h"

#include <pthread.h>
#include <string.h>

enum { PLACES = 4096 };

static struct place {
    MPI_Request request;
    struct proa_awaited_message message; /* way is 0 if the entry is free */
} places[PLACES];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static struct place *place_of(MPI_Request request)
{
    uint64_t key = 0;

    memcpy(&key, &request, sizeof request);
    return &places[key * 0x9e3779b97f4a7c15u >> 52];
}

void proa_requests_note(MPI_Request request, const struct proa_awaited_message *message)
{
    if (!proa_thread_calls_on)
        return;
    pthread_mutex_lock(&mutex);
    *place_of(request) = (struct place){request, *message};
    pthread_mutex_unlock(&mutex);
}

/* Returns 0 if the request is unknown. */
static int take(MPI_Request request, struct proa_awaited_message *message)
{
    struct place *place = place_of(request);

    if (place->message.way == 0 || place->request != request)
        return 0;
    *message = place->message;
    place->message.way = 0;
    return 1;
}

int proa_requests_take(const MPI_Request *requests, int count,
                       struct proa_awaited_message *messages, int room)
{
    struct proa_awaited_message message;
    int taken = 0, unknown = 0;

    if (!proa_thread_calls_on)
        return -1;
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < count; i++) {
        if (requests[i] == MPI_REQUEST_NULL)
            continue;
        if (!take(requests[i], &message) || (messages && taken == room))
            unknown = 1;
        else if (messages)
            messages[taken++] = message;
    }
    pthread_mutex_unlock(&mutex);
    return unknown ? -1 : taken;
}

int proa_requests_pending(struct proa_awaited_message *messages, int room)
{
    int count = 0;

    pthread_mutex_lock(&mutex);
    for (int i = 0; i < PLACES && count < room; i++)
        if (places[i].message.way)
            messages[count++] = places[i].message;
    pthread_mutex_unlock(&mutex);
    return count;
}
