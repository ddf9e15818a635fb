/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads make, use and free windows at once, and below.c sees how Proa asks the host for the
 * windows that it keeps for handles: one call at a time; one window for a light handle, however
 * many threads need it first; and none of it while a delete function of the program runs.
 *
 *   shadows [light]
 *
 */
#include "below.h"
#include "../chapter/light.h"
#include <pthread.h>

enum { threads = 4, rounds = 15 };

static struct below *below;
static int light;
static MPI_Comm comms[threads];
static pthread_barrier_t together;
static pthread_mutex_t report = PTHREAD_MUTEX_INITIALIZER;

static void run_threads(void *(*body)(void *))
{
    pthread_t id[threads];
    static int numbers[threads];
    for (int i = 0; i < threads; i++) {
        numbers[i] = i;
        pthread_create(&id[i], NULL, body, &numbers[i]);
    }
    for (int i = 0; i < threads; i++)
        pthread_join(id[i], NULL);
}

static MPI_Win open_window(MPI_Comm comm)
{
    void *base;
    MPI_Win win = MPI_WIN_NULL;
    int error = MPI_Win_allocate(64, 1, MPI_INFO_NULL, comm, &base, &win);
    pthread_mutex_lock(&report);
    CHECK(error == MPI_SUCCESS, "MPI_Win_allocate gives %d", error);
    check_handle(win, light);
    pthread_mutex_unlock(&report);
    return win;
}

/* ---- windows come and go ---- */

static void *come_and_go(void *arg)
{
    MPI_Comm comm = comms[*(int *)arg];
    for (int round = 0; round < rounds; round++) {
        MPI_Win win = open_window(comm);
        MPI_Win_set_name(win, "needs a window of the host's");
        MPI_Win_free(&win);
    }
    return NULL;
}

static void one_at_a_time(void)
{
    int before = below->makes;
    run_threads(come_and_go);
    CHECK(below->makes == before + threads * rounds, "%d host windows for %d",
          below->makes - before, threads * rounds);
    CHECK(below->overlaps == 0, "%d calls on host windows came while another was under way",
          below->overlaps);
}

/* ---- all threads need the host's window of one light handle ---- */

static MPI_Win shared_by_threads;

static void *need_window(void *arg)
{
    char name[MPI_MAX_OBJECT_NAME];
    int length = -1;
    (void)arg;
    pthread_barrier_wait(&together);
    MPI_Win_get_name(shared_by_threads, name, &length);
    return NULL;
}

static void one_for_all(void)
{
    shared_by_threads = open_window(MPI_COMM_SELF);
    int before = below->makes;
    run_threads(need_window);
    CHECK(below->makes == before + light, "%d host windows behind one handle",
          below->makes - before);
    MPI_Win_free(&shared_by_threads);
}

/* ---- a delete function waits for another thread, which makes and frees a window ---- */

static pthread_barrier_t deleting, done;
static int keyval;

static int delete_function(MPI_Win win, int key, void *value, void *extra)
{
    (void)win, (void)key, (void)value, (void)extra;
    pthread_barrier_wait(&deleting);
    pthread_barrier_wait(&done);
    MPI_Win own = open_window(comms[0]); /* and so may this one */
    MPI_Win_free(&own);
    return MPI_SUCCESS;
}

static void *meanwhile(void *arg)
{
    pthread_barrier_wait(&deleting);
    come_and_go(arg);
    pthread_barrier_wait(&done);
    return NULL;
}

static void delete_functions(void)
{
    pthread_t id;
    int number = 1;
    pthread_barrier_init(&deleting, NULL, 2);
    pthread_barrier_init(&done, NULL, 2);
    MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, delete_function, &keyval, NULL);
    MPI_Win win = open_window(MPI_COMM_SELF);
    MPI_Win_set_attr(win, keyval, NULL);
    pthread_create(&id, NULL, meanwhile, &number);
    MPI_Win_free(&win);
    pthread_join(id, NULL);
    MPI_Win_free_keyval(&keyval);
}

int main(int argc, char **argv)
{
    if (!start_threads(&argc, &argv))
        return skip("the host has no MPI_THREAD_MULTIPLE");
    light = argc > 1;
    below = need(dlsym(RTLD_DEFAULT, "below_state"));
    pthread_barrier_init(&together, NULL, threads);
    for (int i = 0; i < threads; i++)
        MPI_Comm_dup(MPI_COMM_SELF, &comms[i]);
    one_at_a_time();
    one_for_all();
    delete_functions();
    CHECK(below->overlaps == 0, "%d calls on host windows came while another was under way",
          below->overlaps);
    for (int i = 0; i < threads; i++)
        MPI_Comm_free(&comms[i]);
    return finish("shadows");
}
