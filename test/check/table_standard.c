/* SPDX-License-Identifier: BSD-3-Clause */
/* What the standard says of two accesses (MPI-4.1, 13.3, 13.5 and 13.7). See table.h. */
#include "table.h"

int operates(enum what what)
{
    return what > STORE;
}

static int is_atomic(enum what what)
{
    return what >= ADD && what <= SWAP;
}

int requests(enum what what)
{
    return what >= RPUT;
}

static int fetches(enum what what)
{
    return what == GET || what == RGET || (is_atomic(what) && what != ADD);
}

int fills(enum what what)
{
    return what == STORE || fetches(what);
}

static int updates(enum what what)
{
    return what != LOAD && what != GET && what != RGET;
}

static int conflicts(const struct scene *scene)
{
    const enum what one = scene->one, other = scene->other;

    switch (scene->where) {
    case BUFFER:
        return fills(one) || fills(other);
    case INTO:
        return updates(one) || fills(other);
    case FROM:
        return fills(one) || updates(other);
    default:
        return (updates(one) || updates(other)) && !(is_atomic(one) && is_atomic(other));
    }
}

int actor(const struct scene *scene, int is_other)
{
    const enum what what = is_other ? scene->other : scene->one;

    if (scene->where == SELF || scene->where == (is_other ? INTO : FROM))
        return TARGET;
    if (scene->where == TARGETED && !operates(what))
        return TARGET;
    return scene->where == TARGETED && is_other && operates(scene->one) ? SECOND : FIRST;
}

/* Is the first access complete behind the calls between, as far as the second is concerned? */
static int completes(const struct scene *scene)
{
    const enum what one = scene->one;
    const int is_local = scene->where == BUFFER || scene->where == FROM || fetches(one);

    if (!operates(one))
        return 1;
    switch (scene->how) {
    case FLUSH:
    case FLUSH_BARRIER:
    case FLUSH_ALL_BARRIER:
    case FLUSH_SEND:
    case FLUSH_IBARRIER:
    case FLUSH_IBARRIER_EARLY:
        return 1;
    case LOCAL_BARRIER:
    case LOCAL_ALL_BARRIER:
        return is_local;
    case WAIT_BARRIER:
        return requests(one) && is_local;
    default:
        return 0;
    }
}

static int has_message(enum how how)
{
    return how != NOTHING && how != FLUSH && how != FLUSH_IBARRIER_EARLY;
}

static int orders(const struct scene *scene)
{
    const int is_alone = actor(scene, 0) == actor(scene, 1);

    switch (scene->how) {
    case FENCE:
    case START:
        return is_alone && !operates(scene->one);
    case FENCE_APART:
    case START_APART:
    case SHARED_BARRIER:
        return 1;
    case SHARED:
        return is_alone;
    case EXCLUSIVE:
    case MIXED: /* of one target */
        return is_alone || scene->where == TARGETED;
    default:
        return completes(scene) && (is_alone || has_message(scene->how));
    }
}

int is_scene(const struct scene *scene)
{
    const int is_passive = scene->how != FENCE && scene->how != FENCE_APART &&
                           scene->how != START && scene->how != START_APART;

    if (!operates(scene->one) && !operates(scene->other))
        return 0;
    if (!is_passive && (requests(scene->one) || requests(scene->other)))
        return 0;
    if (scene->where == INTO || scene->where == FROM || scene->where == SAME)
        return operates(scene->one) && operates(scene->other);
    return 1;
}

/* A load that a flush follows may be one of a loop that polls (check/polls.h). */
static int may_poll(const struct scene *scene)
{
    return scene->one == LOAD && scene->where == TARGETED &&
           (scene->how == FLUSH || scene->how == FLUSH_IBARRIER_EARLY);
}

int is_wrong(const struct scene *scene)
{
    return conflicts(scene) && !orders(scene) && !may_poll(scene);
}
