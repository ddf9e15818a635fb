/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A store of keys and values that grows while all ranks use it. The heads of its lists are dealt
 * out to the ranks; from a head hang the pairs whose keys belong there. A pair lies with the
 * rank that inserted it: in a region of its own memory. A rank attaches another region to the
 * window when its last one is full, and tells no other rank. No rank serves another.
 *
 * A pointer is one word: the rank above, the address there below. Lists only grow, and only at the
 * head: a rank that inserts puts the pair into its own region, with the head that it has seen as
 * its next, and makes it the head by compare-and-swap. Where the head has changed meanwhile, the
 * new part of the list is searched for the key first, so that no key comes twice. Key and next
 * never change once they are in a list, so they are read by get. Heads and values change under the
 * readers: they are read and written by atomic operations alone.
 *
 * Values are added to by compare-and-swap as well. In the upper part of a value is a mark of its
 * key, which each reader checks.
 */
#include <inttypes.h>
#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "example.h"

const char program[] = "store";

enum { ADDRESS_BITS = 48, SUM_BITS = 48 };    /* of a pointer, of a value */
enum { FIRST_REGION = 64, MAX_REGIONS = 24 }; /* pairs in it; each is twice as large as the last */
enum { MAX_RANKS = 1 << (64 - ADDRESS_BITS), TOP = 5 };

struct pair {
    uint64_t key;
    uint64_t next; /* pointer; 0 at the end of the list */
    uint64_t value;
};

enum { WORDS = sizeof(struct pair) / sizeof(uint64_t), UNCHANGING = 2 };

struct options {
    int operations, keys, heads, writers, seed;
};

struct run {
    struct options opt;
    int rank, ranks;
    MPI_Win win;
    int heads_each;
    uint64_t *heads;    /* this rank's, attached too */
    MPI_Aint *heads_at; /* their address on every rank */
    struct pair *regions[MAX_REGIONS];
    int region_count, room; /* pairs that still fit into the last region */
    uint64_t *last_seen;    /* the sum of each key, 0 if it has not been seen */
    long inserts, updates, lookups;
    long lost, backwards, spoilt; /* keys not found again, sums that shrank, marks of other keys */
    struct watch watch;
    double seconds;
};

/* What a rank does next. */
struct move {
    int key;
    bool add;
    uint64_t amount;
};

/* ---- options ---- */

static void read_options(int argc, char **argv, struct options *opt)
{
    const struct example_option list[] = {
        {"operations", 'o', "N", "Insertions, updates and lookups by each rank (5000)",
         .number = {&opt->operations, "operations", 0, 1 << 30}},
        {"keys", 'k', "N", "Different keys (4000)", .number = {&opt->keys, "keys", 1, 1 << 26}},
        {"lists", 'l', "N", "Lists in which they are, dealt out to the ranks (1024)",
         .number = {&opt->heads, "lists", 1, 1 << 26}},
        {"writers", 'w', "PERCENT", "Share of the operations that insert or update (50)",
         .number = {&opt->writers, "share of writers", 0, 100}},
        {"seed", 's', "N", "Start of the random numbers (1)",
         .number = {&opt->seed, "seed", 0, INT32_MAX}},
        {0}};
    const struct command_line line = {
        .options = list,
        .about = "Ranks insert, update and look up pairs in a store that grows by memory that they "
                 "attach.\v"
                 "Every lookup checks what it finds; at the end the whole store is compared with a "
                 "sequential run of the same operations."};
    read_command_line(argc, argv, line);
}

/* ---- moves ---- */

/* Always takes three numbers, so that the moves of a rank can be drawn again. */
static struct move next_move(const struct options *opt, uint64_t *state)
{
    struct move move;
    move.key = (int)(next_random(state) % (uint64_t)opt->keys);
    move.add = next_random(state) % 100 < (uint64_t)opt->writers;
    move.amount = 1 + next_random(state) % 100;
    return move;
}

/* The key itself; no two numbers have the same one. */
static uint64_t key_of(int number)
{
    uint64_t state = (uint64_t)number;
    return next_random(&state);
}

/* ---- pointers and values ---- */

static uint64_t pointer_to(int rank, MPI_Aint address)
{
    return (uint64_t)rank << ADDRESS_BITS | (uint64_t)address;
}

static int rank_of(uint64_t pointer)
{
    return (int)(pointer >> ADDRESS_BITS);
}

static MPI_Aint address_of(uint64_t pointer, size_t member)
{
    return (MPI_Aint)((pointer & (((uint64_t)1 << ADDRESS_BITS) - 1)) + member);
}

static uint64_t value_of(uint64_t key, uint64_t sum)
{
    return (key & UINT16_MAX) << SUM_BITS | sum;
}

static uint64_t sum_of(uint64_t value)
{
    return value & (((uint64_t)1 << SUM_BITS) - 1);
}

static uint64_t head_of(const struct run *run, uint64_t key)
{
    int head = (int)((key >> 16) % (uint64_t)run->opt.heads);
    int rank = head % run->ranks, which = head / run->ranks;
    return pointer_to(rank, run->heads_at[rank] + which * (MPI_Aint)sizeof(uint64_t));
}

/* ---- words in the window ---- */

static uint64_t read_word(const struct run *run, uint64_t pointer, size_t member)
{
    uint64_t word;
    MPI_Fetch_and_op(NULL, &word, MPI_UINT64_T, rank_of(pointer), address_of(pointer, member),
                     MPI_NO_OP, run->win);
    MPI_Win_flush(rank_of(pointer), run->win);
    return word;
}

/* Returns what was there: the swap is done if that is what was expected. */
static uint64_t swap_word(const struct run *run, uint64_t pointer, size_t member, uint64_t expected,
                          uint64_t word)
{
    uint64_t found;
    MPI_Compare_and_swap(&word, &expected, &found, MPI_UINT64_T, rank_of(pointer),
                         address_of(pointer, member), run->win);
    MPI_Win_flush(rank_of(pointer), run->win);
    return found;
}

/* Its key and its next; the value may be changing. */
static struct pair read_pair(const struct run *run, uint64_t pointer)
{
    struct pair pair = {0};
    MPI_Get(&pair, UNCHANGING, MPI_UINT64_T, rank_of(pointer), address_of(pointer, 0), UNCHANGING,
            MPI_UINT64_T, run->win);
    MPI_Win_flush(rank_of(pointer), run->win);
    return pair;
}

/* Into the rank's own region, by put as into any other: it is there for the others when the flush
 * returns. */
static void write_pair(const struct run *run, uint64_t pointer, const struct pair *pair)
{
    MPI_Put(pair, WORDS, MPI_UINT64_T, rank_of(pointer), address_of(pointer, 0), WORDS,
            MPI_UINT64_T, run->win);
    MPI_Win_flush(rank_of(pointer), run->win);
}

/* ---- the store ---- */

/* Looks for the key from one pair of a list up to another, which is not looked at. */
static uint64_t find(const struct run *run, uint64_t key, uint64_t from, uint64_t until)
{
    while (from != until) {
        struct pair pair = read_pair(run, from);
        if (pair.key == key)
            return from;
        from = pair.next;
    }
    return 0;
}

static void add_region(struct run *run)
{
    if (run->region_count == MAX_REGIONS) {
        fprintf(stderr, "store: more than %d regions\n", MAX_REGIONS);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    run->room = FIRST_REGION << run->region_count;
    struct pair *region = checked_calloc((size_t)run->room, sizeof(*region));
    MPI_Win_attach(run->win, region, (MPI_Aint)run->room * (MPI_Aint)sizeof(*region));
    run->regions[run->region_count++] = region;
}

/* The next free pair of the last region. It is taken when `room` is counted down. */
static uint64_t free_pair(struct run *run)
{
    MPI_Aint address;
    if (!run->room)
        add_region(run);
    struct pair *region = run->regions[run->region_count - 1];
    MPI_Get_address(region + ((FIRST_REGION << (run->region_count - 1)) - run->room), &address);
    return pointer_to(run->rank, address);
}

/* Returns the pair of the key: a new one that has this sum, or, if that was inserted by another
 * rank meanwhile, this one. `seen` is the head before which the key was not in the list. */
static uint64_t insert(struct run *run, uint64_t key, uint64_t sum, uint64_t seen, bool *inserted)
{
    uint64_t head = head_of(run, key), pointer = free_pair(run);
    for (;;) {
        struct pair pair = {.key = key, .next = seen, .value = value_of(key, sum)};
        write_pair(run, pointer, &pair);
        uint64_t found = swap_word(run, head, 0, seen, pointer);
        *inserted = found == seen;
        if (*inserted) {
            run->room--;
            return pointer;
        }
        uint64_t other = find(run, key, found, seen);
        if (other)
            return other;
        seen = found;
    }
}

/* A value that is read must be of its key, and never less than this rank has seen of it. */
static void check_value(struct run *run, int number, uint64_t value)
{
    uint64_t key = key_of(number), sum = sum_of(value);
    if (value != value_of(key, sum))
        run->spoilt++;
    if (sum < run->last_seen[number])
        run->backwards++;
    run->last_seen[number] = sum;
}

static void add_to(struct run *run, int number, uint64_t pointer, uint64_t amount)
{
    uint64_t key = key_of(number);
    uint64_t found = read_word(run, pointer, offsetof(struct pair, value)), expected;
    do {
        expected = found;
        found = swap_word(run, pointer, offsetof(struct pair, value), expected,
                          value_of(key, sum_of(expected) + amount));
    } while (found != expected);
    check_value(run, number, found);
    run->last_seen[number] += amount;
    run->updates++;
}

static void do_move(struct run *run, const struct move *move)
{
    uint64_t key = key_of(move->key), head = read_word(run, head_of(run, key), 0);
    uint64_t pointer = find(run, key, head, 0);
    bool inserted = false;
    if (!pointer && run->last_seen[move->key])
        run->lost++;
    if (!pointer && move->add)
        pointer = insert(run, key, move->amount, head, &inserted);
    if (inserted) {
        run->last_seen[move->key] = move->amount;
        run->inserts++;
    } else if (move->add) {
        add_to(run, move->key, pointer, move->amount);
    } else {
        run->lookups++;
        if (pointer)
            check_value(run, move->key, read_word(run, pointer, offsetof(struct pair, value)));
    }
}

/* Leaves the lock_all epoch open for the check. */
static void play(struct run *run)
{
    uint64_t state = start_of(run->opt.seed, run->rank);
    start_watch(&run->watch);
    for (int i = 0; i < run->opt.operations; i++) {
        struct move move = next_move(&run->opt, &state);
        do_move(run, &move);
        show_progress(&run->watch, i + 1, run->opt.operations, "operations");
    }
    MPI_Barrier(MPI_COMM_WORLD); /* the last operation is flushed on every rank */
    run->seconds = stop_watch(&run->watch);
}

/* Returns false, on every rank, if there are more ranks than a pointer has room for. */
static bool set_up(struct run *run)
{
    MPI_Aint here;
    MPI_Comm_rank(MPI_COMM_WORLD, &run->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &run->ranks);
    if (run->ranks > MAX_RANKS) {
        if (run->rank == 0)
            fprintf(stderr, "store: more than %d ranks\n", MAX_RANKS);
        return false;
    }
    run->heads_each = (run->opt.heads + run->ranks - 1) / run->ranks;
    run->last_seen = checked_calloc((size_t)run->opt.keys, sizeof(*run->last_seen));
    run->heads_at = checked_calloc((size_t)run->ranks, sizeof(*run->heads_at));
    run->heads = checked_calloc((size_t)run->heads_each, sizeof(*run->heads));
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &run->win);
    MPI_Win_attach(run->win, run->heads, (MPI_Aint)run->heads_each * (MPI_Aint)sizeof(*run->heads));
    MPI_Get_address(run->heads, &here);
    MPI_Allgather(&here, 1, MPI_AINT, run->heads_at, 1, MPI_AINT, MPI_COMM_WORLD);
    MPI_Win_lock_all(0, run->win);
    return true;
}

static void tear_down(struct run *run)
{
    MPI_Win_unlock_all(run->win);
    MPI_Barrier(MPI_COMM_WORLD); /* no rank reaches into a region any more */
    for (int i = 0; i < run->region_count; i++) {
        MPI_Win_detach(run->win, run->regions[i]);
        free(run->regions[i]);
    }
    MPI_Win_detach(run->win, run->heads);
    MPI_Win_free(&run->win);
    free(run->heads);
    free(run->heads_at);
    free(run->last_seen);
}

/* ---- the result ---- */

/* The expected store: all ranks' moves once more, one after the other. 0: not in it. */
static uint64_t *play_sequentially(const struct run *run)
{
    uint64_t *sums = checked_calloc((size_t)run->opt.keys, sizeof(*sums));
    for (int rank = 0; rank < run->ranks; rank++) {
        uint64_t state = start_of(run->opt.seed, rank);
        for (int i = 0; i < run->opt.operations; i++) {
            struct move move = next_move(&run->opt, &state);
            sums[move.key] += move.add ? move.amount : 0;
        }
    }
    return sums;
}

static long count_list(const struct run *run, uint64_t pointer)
{
    long pairs = 0;
    for (; pointer; pointer = read_pair(run, pointer).next)
        pairs++;
    return pairs;
}

/* Every pair, of any key. */
static long count_pairs(const struct run *run)
{
    long pairs = 0;
    for (int head = 0; head < run->opt.heads; head++) {
        int rank = head % run->ranks, which = head / run->ranks;
        MPI_Aint at = run->heads_at[rank] + which * (MPI_Aint)sizeof(uint64_t);
        pairs += count_list(run, read_word(run, pointer_to(rank, at), 0));
    }
    return pairs;
}

static uint64_t value_in_store(const struct run *run, uint64_t key)
{
    uint64_t pointer = find(run, key, read_word(run, head_of(run, key), 0), 0);
    return pointer ? read_word(run, pointer, offsetof(struct pair, value)) : 0;
}

/* Each key has the value that it must have, or is not there; and no pair is there besides. Returns
 * how many are wrong. */
static long compare_with_sequential(const struct run *run, long *pairs)
{
    uint64_t *sums = play_sequentially(run);
    long wrong = 0, expected_pairs = 0;
    for (int i = 0; i < run->opt.keys; i++) {
        uint64_t key = key_of(i), value = value_in_store(run, key);
        uint64_t expected = sums[i] ? value_of(key, sums[i]) : 0;
        expected_pairs += sums[i] != 0;
        if (value != expected && wrong++ < TOP)
            fprintf(stderr,
                    "store: key %d has the value %" PRIx64 ", after a sequential run %" PRIx64 "\n",
                    i, value, expected);
    }
    *pairs = count_pairs(run);
    if (*pairs != expected_pairs) {
        fprintf(stderr, "store: there are %ld pairs, after a sequential run %ld\n", *pairs,
                expected_pairs);
        wrong++;
    }
    free(sums);
    return wrong;
}

/* The verdict is the same on every rank, as all of it is summed up first. */
static bool judge(struct run *run)
{
    long sums[9] = {0};
    if (run->rank == 0)
        sums[0] = compare_with_sequential(run, &sums[1]);
    sums[2] = run->lost, sums[3] = run->backwards, sums[4] = run->spoilt;
    sums[5] = run->inserts, sums[6] = run->updates, sums[7] = run->lookups;
    sums[8] = run->region_count;
    MPI_Allreduce(MPI_IN_PLACE, sums, 9, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    bool good = !sums[0] && !sums[2] && !sums[3] && !sums[4] && sums[1] == sums[5];
    if (run->rank == 0) {
        print_result(good, run->seconds);
        printf("%d ranks, %ld pairs in %ld regions, %ld inserts, %ld updates, %ld lookups; "
               "%ld not found again, %ld went back, %ld had another's mark, %ld differ from the "
               "sequential run\n",
               run->ranks, sums[1], sums[8], sums[5], sums[6], sums[7], sums[2], sums[3], sums[4],
               sums[0]);
    }
    return good;
}

int main(int argc, char **argv)
{
    struct run run = {
        .opt = {.operations = 5000, .keys = 4000, .heads = 1024, .writers = 50, .seed = 1}};
    read_options(argc, argv, &run.opt); /* before MPI_Init: --help needs no MPI */
    MPI_Init(&argc, &argv);
    bool good = set_up(&run);
    if (good) {
        play(&run);
        good = judge(&run);
        tear_down(&run);
    }
    MPI_Finalize();
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
