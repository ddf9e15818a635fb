/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The simulator, as its parts know each other (README.md).
 *
 * A simulation has one window. Its first `real` ranks run the core, each in a coroutine and with
 * statics of its own. The mirror (mirror.c) plays the other ranks. Time is that of the model of the
 * network, and passes in messages and in collectives of the host only.
 */
#ifndef PROA_TEST_SIMULATE_H
#define PROA_TEST_SIMULATE_H

#include "net/net.h"
#include "window/win.h"

#include <stddef.h>
#include <stdint.h>

/* ---- the network ---- */

/* LogGP (Alexandrov et al. 1995), in nanoseconds. */
struct simulate_model {
    long latency, overhead, gap;
    double byte;      /* for each byte of a message */
    long near;        /* until a neighbour sees a store and wakes */
    int noise;        /* of 100 messages, so many meet another load of the processor */
    long noise_ns;    /* which takes this long */
    int slow, slowly; /* the rank whose overhead is `slowly` times as long; -1: none */
};

extern struct simulate_model simulate_model;

/* ---- ranks: world.c ---- */

struct simulate_message {
    enum { SIMULATE_MESSAGE, SIMULATE_DONE, SIMULATE_LOST } kind;
    uint32_t from;
    uint64_t token; /* of a put or get that is done */
    size_t bytes;
    struct simulate_message *next;
    unsigned char body[];
};

struct proa_wire_head;
struct simulate_rank;
typedef void simulate_body(struct simulate_rank *rank);

struct simulate_plan {
    int ranks, real, per_node;
    simulate_body *body; /* of each real rank */
    /* a mirrored rank hears a message at that time; NULL: as mirror.c has it */
    void (*hears)(int rank, const struct proa_wire_head *head, long at);
    const void *arg;
};

enum { SIMULATE_MARKS = 16 };

/* The counts between two marks. */
struct simulate_counts {
    long ns;
    long messages,
        bytes;        /* of all real ranks, and what the mirror sent to them is not among them */
    long most;        /* messages of the rank that sent the most */
    long gathered;    /* bytes that the host's collectives brought to each rank */
    long memory;      /* bytes of the heap of the rank that has the most now */
    long memory_most; /* had the most at any time, of rank 0 */
};

struct simulate_result {
    int marks;
    struct simulate_counts counts[SIMULATE_MARKS];
    long values[SIMULATE_MARKS]; /* of the scenario */
};

/* Runs the plan in a process of its own. Returns 0; or 1: it has failed, and has said why. */
int simulate_run(const struct simulate_plan *plan, struct simulate_result *result);

/* ---- for bodies ---- */

int simulate_number(const struct simulate_rank *rank);
const struct simulate_plan *simulate_plan(void);
struct simulate_result *simulate_result(void);

/* Starts the core. The group that creates windows. */
struct proa_group simulate_begin(struct simulate_rank *rank);

/* A barrier that takes no time and sends no message: all real ranks leave it at the same time, and
 * what has happened since the last mark is counted. Not for a simulation with a death. */
void simulate_mark(struct simulate_rank *rank);

/* The rank computes, and the progress thread works. */
void simulate_compute(struct simulate_rank *rank, long ns);

/* This rank dies: it never returns. */
void simulate_die(struct simulate_rank *rank) __attribute__((noreturn));

/* The time of this rank. */
long simulate_now(const struct simulate_rank *rank);

void simulate_failed(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));

#define SIMULATE_CHECK(condition)                                                       \
    do {                                                                                \
        if (!(condition))                                                               \
            simulate_failed("%s:%d: %s does not hold", __FILE__, __LINE__, #condition); \
    } while (0)
#define SIMULATE_OK(call)                                                                     \
    do {                                                                                      \
        int simulate_outcome = (call);                                                        \
        if (simulate_outcome != 0)                                                            \
            simulate_failed("%s:%d: %s: %d, %s", __FILE__, __LINE__, #call, simulate_outcome, \
                            proa_failure());                                                  \
    } while (0)

/* ---- between world.c, network.c, mirror.c and seams.c ---- */

/* A message that arrives at a rank at that time. Takes the message. */
void simulate_arrive(int rank, long at, struct simulate_message *message);
struct simulate_message *simulate_message_new(uint32_t from, const void *body, size_t bytes);
/* Calls `what` at that time, for no rank. */
void simulate_later(long at, void (*what)(void *), void *arg);

struct simulate_rank *simulate_running(void); /* NULL: none */
int simulate_is_dead(int rank);
void simulate_spend(struct simulate_rank *rank, long ns);
struct simulate_message *simulate_take(struct simulate_rank *rank); /* NULL: none has arrived */
void simulate_count_sent(struct simulate_rank *rank, size_t bytes);
void simulate_woken(void); /* the progress thread of the running rank */
void simulate_rung(void);  /* a doorbell of the running rank's node */
void simulate_count_memory(long bytes);
long simulate_memory_most(const struct simulate_rank *rank);
long simulate_sent(const struct simulate_rank *rank);
void simulate_met(int rank, int other);
int simulate_has_met(int rank, int other);

/* network.c */
extern const struct proa_net_transport simulate_transport;
/* The time at which a message that `from` sends at that time arrives, by the model. */
long simulate_come(int from, int to, size_t bytes, long at);
void simulate_network_died(int rank);
void simulate_network_open(int ranks);
void simulate_address(int rank, struct proa_net_address *address);
void simulate_key(int rank, struct proa_net_key *key);

/* mirror.c: a real rank has sent that to a mirrored one, where it arrives at that time. */
void simulate_mirror(int from, int to, const void *body, size_t bytes, long at);
/* The number of the next batch from a mirrored rank to a real one. */
uint64_t simulate_mirror_number(int from, int to);
/* What a mirrored rank shows in an allgather, made from what rank 0 has shown. */
void simulate_mirror_part(int rank, void *part, size_t bytes);
/* bits: rank 0's of its card (window/gather.h). Those that the mirrored ranks lack are cleared. */
void simulate_mirror_intersect(uint64_t *bits, size_t bytes);
/* The bits that all have; NULL: what comes next is no row. */
void simulate_mirror_form(const uint64_t *bits);

/* ---- in the core's library: core.c, wait.c ---- */

int simulate_progress(void);
int simulate_rest(void);

/* Called by wait.c: the running rank waits. rings: those of its doorbell that it has seen; NULL: no
 * thread rings. Returns once anything has happened, or the time is over. */
void simulate_block(const uint32_t *bell, uint32_t rings, long timeout_ns, int drives);

#endif
