/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of accesses (table.c): its rows and columns, and the standard's verdict of each scene.
 */
#ifndef PROA_TEST_TABLE_H
#define PROA_TEST_TABLE_H

enum { FIRST, TARGET, SECOND, RANKS };
#define WHATS(X)                     \
    X(LOAD, "a load")                \
    X(STORE, "a store")              \
    X(PUT, "MPI_Put")                \
    X(GET, "MPI_Get")                \
    X(ADD, "MPI_Accumulate")         \
    X(GET_ADD, "MPI_Get_accumulate") \
    X(FETCH, "MPI_Fetch_and_op")     \
    X(SWAP, "MPI_Compare_and_swap")  \
    X(RPUT, "MPI_Rput")              \
    X(RGET, "MPI_Rget")

/* TARGETED: memory of TARGET, between two processes. SAME: the same by FIRST alone. SELF: by TARGET
 * alone. BUFFER: FIRST's buffer. INTO: the second access has it as buffer, and the first one comes
 * there; FROM: the other way round. */
#define WHERES(X) \
    X(TARGETED)   \
    X(SAME)       \
    X(SELF)       \
    X(BUFFER)     \
    X(INTO)       \
    X(FROM)

/* In an epoch of MPI_Win_lock_all: the calls between. */
#define PASSIVE(X)          \
    X(NOTHING)              \
    X(BARRIER)              \
    X(FLUSH)                \
    X(LOCAL_BARRIER)        \
    X(LOCAL_ALL_BARRIER)    \
    X(FLUSH_BARRIER)        \
    X(FLUSH_ALL_BARRIER)    \
    X(FLUSH_SEND)           \
    X(SEND)                 \
    X(FLUSH_IBARRIER)       \
    X(FLUSH_IBARRIER_EARLY) \
    X(WAIT_BARRIER)         \
    X(SYNC_BARRIER)

/* Two epochs, or the same one: of fences, of post and start, of locks. */
#define EPOCHS(X)     \
    X(FENCE)          \
    X(FENCE_APART)    \
    X(START)          \
    X(START_APART)    \
    X(SHARED)         \
    X(SHARED_BARRIER) \
    X(EXCLUSIVE)      \
    X(MIXED)

#define HOWS(X) PASSIVE(X) EPOCHS(X)

#define NUMBER(name, ...) name,
enum what { WHATS(NUMBER) WHAT_COUNT };
enum where { WHERES(NUMBER) WHERE_COUNT };
enum how { HOWS(NUMBER) HOW_COUNT };
#undef NUMBER

struct scene {
    enum how how;
    enum where where;
    enum what one, other;
};

/* Has the call a request? */
int requests(enum what what);

/* Is it an operation, or a load or a store? */
int operates(enum what what);

/* Does it store to the buffer that scenes watch? */
int fills(enum what what);

/* The process that does the first access, or the other one. */
int actor(const struct scene *scene, int is_other);

/* Is there such a scene, and is it wrong by the standard? */
int is_scene(const struct scene *scene);
int is_wrong(const struct scene *scene);

#endif
