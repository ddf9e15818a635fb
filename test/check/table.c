/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two accesses, crossed: each kind of the first and of the second, each memory that they meet in,
 * and each synchronization between them, with the verdict of the standard.
 *
 * The scenes of one synchronization and one memory run together, on words of their own. A report
 * tells its scene by its places: the function of the first access, and the lines of both. With
 * --list the program prints what is expected (table.py). PROA_CHECK=memory: of loads and stores,
 * too. Of the scenes one in three runs; with an argument all whose names begin with it, of which
 * check mode keeps 1,000 findings (findings/finding.c).
 */
#include "table.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 1 << 12 };

#define NAME(name, ...) #name,
static const char *const what_names[] = {WHATS(NAME)}, *const where_names[] = {WHERES(NAME)},
                         *const how_names[] = {HOWS(NAME)};
#undef NAME
#define CALL(name, call) call,
static const char *const calls[] = {WHATS(CALL)};
#undef CALL

static int rank;
static MPI_Win win;
static MPI_Group everybody;
static long *memory;
static volatile long seen;

/* ---- the scenes ---- */

/* What accesses work on. */
struct spot {
    int target;
    MPI_Aint at;
    long *buffer, *more; /* more: what some calls read, too */
    long *local;         /* for loads and stores */
    MPI_Request *request;
};

#define INLINE inline __attribute__((always_inline))
#if __has_attribute(noclone) /* gcc; clang makes no clones */
#define APART __attribute__((noinline, noclone))
#else
#define APART __attribute__((noinline))
#endif

#define A_LOAD(s) seen = *(volatile long *)s->local
#define A_STORE(s) *(volatile long *)s->local = 1
#define MOVED(s) s->buffer, 1, MPI_LONG, s->target, s->at, 1, MPI_LONG
#define AN_MPI_Put(s) MPI_Put(MOVED(s), win)
#define AN_MPI_Get(s) MPI_Get(MOVED(s), win)
#define AN_MPI_Accumulate(s) MPI_Accumulate(MOVED(s), MPI_SUM, win)
#define AN_MPI_Get_accumulate(s) MPI_Get_accumulate(s->more, 1, MPI_LONG, MOVED(s), MPI_SUM, win)
#define AN_MPI_Fetch_and_op(s) \
    MPI_Fetch_and_op(s->more, s->buffer, MPI_LONG, s->target, s->at, MPI_SUM, win)
#define AN_MPI_Compare_and_swap(s) \
    MPI_Compare_and_swap(s->more, s->more + 1, s->buffer, MPI_LONG, s->target, s->at, win)
#define AN_MPI_Rput(s) MPI_Rput(MOVED(s), win, s->request)
#define AN_MPI_Rget(s) MPI_Rget(MOVED(s), win, s->request)

/* clang-format off */
enum { ONE_LINE = __LINE__ + 4 };
static INLINE void do_one(enum what what, const struct spot *s)
{
    switch (what) {
    case LOAD: A_LOAD(s); break;
    case STORE: A_STORE(s); break;
    case PUT: AN_MPI_Put(s); break;
    case GET: AN_MPI_Get(s); break;
    case ADD: AN_MPI_Accumulate(s); break;
    case GET_ADD: AN_MPI_Get_accumulate(s); break;
    case FETCH: AN_MPI_Fetch_and_op(s); break;
    case SWAP: AN_MPI_Compare_and_swap(s); break;
    case RPUT: AN_MPI_Rput(s); break;
    default: AN_MPI_Rget(s); break;
    }
    seen++; /* or a call would be a jump */
}

/* The same on other lines. */
enum { OTHER_LINE = __LINE__ + 4 };
static APART void do_other(enum what what, const struct spot *s)
{
    switch (what) {
    case LOAD: A_LOAD(s); break;
    case STORE: A_STORE(s); break;
    case PUT: AN_MPI_Put(s); break;
    case GET: AN_MPI_Get(s); break;
    case ADD: AN_MPI_Accumulate(s); break;
    case GET_ADD: AN_MPI_Get_accumulate(s); break;
    case FETCH: AN_MPI_Fetch_and_op(s); break;
    case SWAP: AN_MPI_Compare_and_swap(s); break;
    case RPUT: AN_MPI_Rput(s); break;
    default: AN_MPI_Rget(s); break;
    }
    seen++;
}
/* clang-format on */

/* The first access of each scene is a place of its own, as a pair of places is told once. The
 * number keeps the compiler from making one of several. */
#define PLACE(how, where)                                                 \
    static APART void one_##how##_##where(enum what what, struct spot *s) \
    {                                                                     \
        seen = how * WHERE_COUNT + where;                                 \
        do_one(what, s);                                                  \
    }
#define PLACES(how)      \
    PLACE(how, TARGETED) \
    PLACE(how, SAME) PLACE(how, SELF) PLACE(how, BUFFER) PLACE(how, INTO) PLACE(how, FROM)
HOWS(PLACES)

#define ADDRESS(how, where) [how][where] = one_##how##_##where
#define ADDRESSES(how)                                                                    \
    ADDRESS(how, TARGETED), ADDRESS(how, SAME), ADDRESS(how, SELF), ADDRESS(how, BUFFER), \
        ADDRESS(how, INTO), ADDRESS(how, FROM),
static void (*const ones[HOW_COUNT][WHERE_COUNT])(enum what, struct spot *) = {HOWS(ADDRESSES)};

static long words[4 * WORDS]; /* buffers: of both accesses, and the same beside them */

/* Where the access works: the two meet at `at`, and are apart otherwise. */
static struct spot spot_of(const struct scene *scene, int is_other, MPI_Aint at,
                           MPI_Request *request)
{
    long *const mine = words + (is_other ? WORDS : 0) + at, *const more = words + 2 * WORDS + at;
    struct spot s = {TARGET, at, mine, more, memory + at, request};

    if (scene->where == BUFFER) {
        s.buffer = s.local = words + at;
        s.at = is_other ? at + 1 : at;
    } else if (scene->where == (is_other ? INTO : FROM)) {
        s.target = SECOND;
        s.buffer = memory + at;
    }
    return s;
}

static int locks(enum how how)
{
    return how >= SHARED;
}

/* Scenes that run together: they have the same processes, targets and synchronization. */
struct batch {
    const struct scene *scenes;
    int count;
    MPI_Request *requests[2]; /* of the first accesses, and of the second ones */
};

static void lock(const struct scene *scene, int is_other, int locks_it)
{
    const enum how how = scene->how;
    const int is_exclusive = how == EXCLUSIVE || (how == MIXED && !is_other);
    const int target = spot_of(scene, is_other, 0, NULL).target;

    if (!locks(how))
        return;
    if (locks_it)
        MPI_Win_lock(is_exclusive ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, target, 0, win);
    else
        MPI_Win_unlock(target, win);
}

static void do_accesses(const struct batch *batch, int is_other)
{
    const struct scene *scene = batch->scenes;

    if (rank != actor(scene, is_other))
        return;
    lock(scene, is_other, 1);
    for (int i = 0; i < batch->count; i++, scene++) {
        struct spot s = spot_of(scene, is_other, 2 * i, &batch->requests[is_other][i]);

        if (is_other)
            do_other(scene->other, &s);
        else
            ones[scene->how][scene->where](scene->one, &s);
    }
    lock(batch->scenes, is_other, 0);
}

/* The processes that this one is exposed to, or those that it starts an epoch to. */
static MPI_Group peers_of(const struct scene *scene, int is_exposed)
{
    int peers[2], count = 0;
    MPI_Group group;

    for (int i = 0; i < 2; i++) {
        const int origin = actor(scene, i), target = spot_of(scene, i, 0, NULL).target;
        const int peer = is_exposed ? origin : target;

        if ((is_exposed ? target : origin) == rank && !(count == 1 && peers[0] == peer))
            peers[count++] = peer;
    }
    MPI_Group_incl(everybody, count, peers, &group);
    return group;
}

static void post_and_start(const struct scene *scene)
{
    MPI_Group origins = peers_of(scene, 1), targets = peers_of(scene, 0);

    MPI_Win_post(origins, 0, win);
    MPI_Win_start(targets, 0, win);
    if (origins != MPI_GROUP_EMPTY)
        MPI_Group_free(&origins);
    if (targets != MPI_GROUP_EMPTY)
        MPI_Group_free(&targets);
}

static void open_epoch(const struct scene *scene)
{
    if (scene->how == START || scene->how == START_APART)
        post_and_start(scene);
    else if (scene->how == FENCE || scene->how == FENCE_APART)
        MPI_Win_fence(0, win);
    else if (!locks(scene->how))
        MPI_Win_lock_all(0, win);
}

static void close_epoch(const struct scene *scene)
{
    if (scene->how == START || scene->how == START_APART) {
        MPI_Win_complete(win);
        MPI_Win_wait(win);
    } else if (scene->how == FENCE || scene->how == FENCE_APART) {
        MPI_Win_fence(0, win);
    } else if (!locks(scene->how)) {
        MPI_Win_unlock_all(win);
    }
}

static void flush(const struct scene *scene)
{
    const int target = scene->where == FROM ? SECOND : TARGET;

    if (rank != actor(scene, 0))
        return;
    switch (scene->how) {
    case FLUSH:
    case FLUSH_BARRIER:
    case FLUSH_SEND:
    case FLUSH_IBARRIER:
    case FLUSH_IBARRIER_EARLY:
        MPI_Win_flush(target, win);
        break;
    case FLUSH_ALL_BARRIER:
        MPI_Win_flush_all(win);
        break;
    case LOCAL_BARRIER:
        MPI_Win_flush_local(target, win);
        break;
    case LOCAL_ALL_BARRIER:
        MPI_Win_flush_local_all(win);
        break;
    case SYNC_BARRIER:
        MPI_Win_sync(win);
        break;
    default:
        break;
    }
}

static void message(int from, int to)
{
    if (rank == from && from != to)
        MPI_Send(NULL, 0, MPI_BYTE, to, 0, MPI_COMM_WORLD);
    if (rank == to && from != to)
        MPI_Recv(NULL, 0, MPI_BYTE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void meet(const struct scene *scene)
{
    MPI_Request request;

    switch (scene->how) {
    case BARRIER:
    case FLUSH_BARRIER:
    case FLUSH_ALL_BARRIER:
    case LOCAL_BARRIER:
    case LOCAL_ALL_BARRIER:
    case SYNC_BARRIER:
    case WAIT_BARRIER:
    case SHARED_BARRIER:
        MPI_Barrier(MPI_COMM_WORLD);
        break;
    case SEND:
    case FLUSH_SEND:
        message(actor(scene, 0), actor(scene, 1));
        break;
    case FLUSH_IBARRIER:
        MPI_Ibarrier(MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        break;
    case FENCE_APART:
        MPI_Win_fence(0, win);
        break;
    case START_APART:
        close_epoch(scene);
        open_epoch(scene);
        break;
    default:
        break;
    }
}

static void complete(const struct batch *batch, int is_other)
{
    for (int i = 0; i < batch->count; i++)
        MPI_Wait(&batch->requests[is_other][i], MPI_STATUS_IGNORE);
}

static void run(const struct batch *batch)
{
    const struct scene *scene = batch->scenes;
    MPI_Request entered = MPI_REQUEST_NULL;

    open_epoch(scene);
    do_accesses(batch, 0);
    flush(scene);
    if (scene->how == WAIT_BARRIER || locks(scene->how))
        complete(batch, 0);
    if (scene->how == FLUSH_IBARRIER_EARLY)
        MPI_Ibarrier(MPI_COMM_WORLD, &entered);
    meet(scene);
    do_accesses(batch, 1);
    MPI_Wait(&entered, MPI_STATUS_IGNORE);
    complete(batch, 0);
    complete(batch, 1);
    close_epoch(scene);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* ---- all of them ---- */

enum { MOST = WHAT_COUNT * WHAT_COUNT };

static const char *prefix; /* NULL: one in three */
static int watches;        /* loads and stores are looked at, too */

static void name_of(const struct scene *scene, char *name, size_t room)
{
    snprintf(name, room, "%s.%s.%s.%s", how_names[scene->how], where_names[scene->where],
             what_names[scene->one], what_names[scene->other]);
}

static int is_chosen(const struct scene *scene)
{
    const unsigned number =
        (((unsigned)scene->how * WHERE_COUNT + scene->where) * WHAT_COUNT + scene->one) *
            WHAT_COUNT +
        scene->other;
    char name[100];

    name_of(scene, name, sizeof name);
    return prefix ? strncmp(name, prefix, strlen(prefix)) == 0
                  : (number * 2654435769U >> 16) % 3 == 0;
}

static int is_run(const struct scene *scene)
{
    return is_scene(scene) && is_chosen(scene);
}

/* Do they run together? */
static int belongs(const struct scene *scene, const struct scene *batch)
{
    return actor(scene, 0) == actor(batch, 0) && actor(scene, 1) == actor(batch, 1);
}

/* The scenes of one synchronization and one memory, in batches. */
static void each_batch(struct scene *scenes, int count, void (*what)(const struct batch *))
{
    static MPI_Request requests[2][MOST];
    struct scene chosen[MOST], rest[MOST];

    while (count > 0) {
        struct batch batch = {chosen, 0, {requests[0], requests[1]}};
        int left = 0;

        for (int i = 0; i < count; i++)
            if (i == 0 || belongs(&scenes[i], &scenes[0])) {
                requests[0][batch.count] = requests[1][batch.count] = MPI_REQUEST_NULL;
                chosen[batch.count++] = scenes[i];
            } else {
                rest[left++] = scenes[i];
            }
        what(&batch);
        memcpy(scenes, rest, sizeof rest);
        count = left;
    }
}

static void each(void (*what)(const struct batch *))
{
    for (int how = 0; how < HOW_COUNT; how++)
        for (int where = 0; where < WHERE_COUNT; where++) {
            struct scene scenes[MOST];
            int count = 0;

            for (int i = 0; i < MOST; i++) {
                scenes[count] =
                    (struct scene){(enum how)how, (enum where)where, (enum what)(i / WHAT_COUNT),
                                   (enum what)(i % WHAT_COUNT)};
                count += is_run(&scenes[count]);
            }
            each_batch(scenes, count, what);
        }
}

/* In one word, with its line. */
static void print_call(enum what what, int line, int caller)
{
    const char *call = calls[what];

    putchar(' ');
    for (; *call; call++)
        putchar(*call == ' ' ? '-' : *call);
    printf(":%d %d", line + (int)what, caller);
}

static int is_seen(const struct scene *scene)
{
    return watches || (operates(scene->one) && operates(scene->other));
}

static void list(const struct batch *batch)
{
    for (int i = 0; i < batch->count; i++) {
        const struct scene *scene = &batch->scenes[i];
        char name[100];

        name_of(scene, name, sizeof name);
        printf("%s %s", name, is_wrong(scene) && is_seen(scene) ? "race" : "none");
        print_call(scene->one, ONE_LINE, actor(scene, 0));
        print_call(scene->other, OTHER_LINE, actor(scene, 1));
        putchar('\n');
    }
}

int main(int argc, char **argv)
{
    const int lists = argc > 1 && strcmp(argv[1], "--list") == 0;
    const char *level = getenv("PROA_CHECK");
    int size;

    watches = level && strcmp(level, "memory") == 0;
    prefix = argv[1 + lists];
    if (lists) {
        each(list);
        return 0;
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size != RANKS)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Comm_group(MPI_COMM_WORLD, &everybody);
    MPI_Win_allocate(WORDS * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &memory,
                     &win);
    memset(memory, 0, WORDS * sizeof(long));
    MPI_Barrier(MPI_COMM_WORLD);
    each(run);
    MPI_Win_free(&win);
    MPI_Group_free(&everybody);
    MPI_Finalize();
    return 0;
}
