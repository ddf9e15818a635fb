/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The billboard of the standard's section on locks: boards lie in the windows of all ranks, and at
 * random times a rank reads one, or replaces what is posted there, under a lock, without the
 * board's owner doing anything.
 *
 * A posting is a record of many words. A writer holds the exclusive lock, reads the record, makes
 * the next one from it and puts it in two halves; a reader holds the shared lock and reads it
 * twice. Every reader then sees what locks promise:
 *   no torn record         the checksum fits the words
 *   no rank writes         the two readings under one lock are equal
 *   nothing goes back      the sequence number is never below one that this rank has seen
 * and at the end, by rank 0:
 *   no update is lost      sequence number and total of each board are those of a sequential run:
 *                          rank 0 draws all ranks'
 *                          random numbers once more and adds up what they did
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

const char program[] = "billboard";

enum { FILLER = 12 };

struct record {
    uint64_t sequence;       /* number of updates so far */
    uint64_t total;          /* sum of the amounts of all updates, modulo 2^64 */
    uint64_t author;         /* rank that posted it */
    uint64_t filler[FILLER]; /* follows from the words above */
    uint64_t checksum;       /* of all words above */
};

enum { WORDS = sizeof(struct record) / sizeof(uint64_t), HALF = WORDS / 2 };

struct options {
    int operations, boards, writers, pause_us, seed;
};

struct run {
    struct options opt;
    int rank, ranks;
    MPI_Win win;
    struct record *mine;
    uint64_t *last_seen; /* sequence number, per board */
    long torn, unsteady, backwards;
    long updates;
    /* under locks, and waiting for them: neither the pauses nor the readers' checks count */
    double seconds;
};

/* What a rank does next. */
struct move {
    int board;
    bool update;
    uint64_t amount;
    double pause;
};

/* ---- options ---- */

static void read_options(int argc, char **argv, struct options *opt)
{
    const struct example_option list[] = {
        {"operations", 'o', "N", "Reads and updates by each rank (1000)",
         .number = {&opt->operations, "operations", 0, 1 << 30}},
        {"boards", 'b', "N", "Boards, dealt out to the ranks (8)",
         .number = {&opt->boards, "boards", 1, 1 << 20}},
        {"writers", 'w', "PERCENT", "Share of the operations that are updates (25)",
         .number = {&opt->writers, "share of writers", 0, 100}},
        {"pause", 'p', "US", "Compute up to this many microseconds between operations (20)",
         .number = {&opt->pause_us, "pause", 0, 1000000}},
        {"seed", 's', "N", "Start of the random numbers (1)",
         .number = {&opt->seed, "seed", 0, INT32_MAX}},
        {0}};
    const struct command_line line = {
        .options = list,
        .about = "Ranks read and update shared boards at random times, under shared and exclusive "
                 "locks.\v"
                 "Every reader checks what it reads; at the end the boards are compared with a "
                 "sequential run of the same updates."};
    read_command_line(argc, argv, line);
}

/* ---- moves ---- */

/* Always takes four numbers, so that the moves of a rank can be drawn again. */
static struct move next_move(const struct options *opt, uint64_t *state)
{
    struct move move;
    move.board = (int)(next_random(state) % (uint64_t)opt->boards);
    move.update = next_random(state) % 100 < (uint64_t)opt->writers;
    move.amount = next_random(state);
    move.pause = 1e-6 * (double)(next_random(state) % ((uint64_t)opt->pause_us + 1));
    return move;
}

/* ---- records ---- */

static uint64_t checksum_of(const struct record *record)
{
    uint64_t sum = record->sequence;
    const uint64_t *words = (const uint64_t *)record;
    for (int i = 0; i < WORDS - 1; i++) {
        sum ^= words[i];
        sum = next_random(&sum);
    }
    return sum;
}

static struct record make_record(uint64_t sequence, uint64_t total, int author)
{
    struct record record = {.sequence = sequence, .total = total, .author = (uint64_t)author};
    uint64_t state = sequence ^ total ^ record.author;
    for (int i = 0; i < FILLER; i++)
        record.filler[i] = next_random(&state);
    record.checksum = checksum_of(&record);
    return record;
}

static void check_record(struct run *run, int board, const struct record *record)
{
    if (record->checksum != checksum_of(record))
        run->torn++;
    if (record->sequence < run->last_seen[board])
        run->backwards++;
    else
        run->last_seen[board] = record->sequence;
}

/* ---- boards ---- */

static int owner_of(const struct run *run, int board)
{
    return board % run->ranks;
}

/* Displacement in words. */
static MPI_Aint place_of(const struct run *run, int board)
{
    return (MPI_Aint)(board / run->ranks) * WORDS;
}

static void get_record(struct run *run, int board, struct record *record)
{
    int owner = owner_of(run, board);
    MPI_Get(record, WORDS, MPI_UINT64_T, owner, place_of(run, board), WORDS, MPI_UINT64_T,
            run->win);
    MPI_Win_flush(owner, run->win);
}

static void start_clock(struct run *run)
{
    run->seconds -= MPI_Wtime();
}

static void stop_clock(struct run *run)
{
    run->seconds += MPI_Wtime();
}

static void read_board(struct run *run, int board)
{
    struct record once, again;
    int owner = owner_of(run, board);
    start_clock(run);
    MPI_Win_lock(MPI_LOCK_SHARED, owner, 0, run->win);
    get_record(run, board, &once);
    get_record(run, board, &again);
    MPI_Win_unlock(owner, run->win);
    stop_clock(run);
    check_record(run, board, &once);
    if (memcmp(&once, &again, sizeof(once)))
        run->unsteady++;
}

/* The flush between the halves keeps the board torn for a while, as long as the lock keeps
 * other ranks away from it. */
static void post_record(struct run *run, int board, const struct record *record)
{
    const uint64_t *words = (const uint64_t *)record;
    int owner = owner_of(run, board);
    MPI_Aint place = place_of(run, board);
    MPI_Put(words, HALF, MPI_UINT64_T, owner, place, HALF, MPI_UINT64_T, run->win);
    MPI_Win_flush(owner, run->win);
    MPI_Put(words + HALF, WORDS - HALF, MPI_UINT64_T, owner, place + HALF, WORDS - HALF,
            MPI_UINT64_T, run->win);
}

static void update_board(struct run *run, int board, uint64_t amount)
{
    struct record found, next;
    int owner = owner_of(run, board);
    start_clock(run);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, owner, 0, run->win);
    get_record(run, board, &found);
    next = make_record(found.sequence + 1, found.total + amount, run->rank);
    post_record(run, board, &next);
    MPI_Win_unlock(owner, run->win);
    stop_clock(run);
    check_record(run, board, &found);
    run->last_seen[board] = next.sequence;
    run->updates++;
}

/* Computing between the operations; no call of MPI, so that a rank is really away from its
 * windows. */
static void work(double seconds)
{
    double end = MPI_Wtime() + seconds;
    while (seconds > 0 && MPI_Wtime() < end)
        continue;
}

static void play(struct run *run)
{
    uint64_t state = start_of(run->opt.seed, run->rank);
    for (int i = 0; i < run->opt.operations; i++) {
        struct move move = next_move(&run->opt, &state);
        if (move.update)
            update_board(run, move.board, move.amount);
        else
            read_board(run, move.board);
        work(move.pause);
    }
}

static void set_up(struct run *run)
{
    int per_rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &run->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &run->ranks);
    per_rank = (run->opt.boards + run->ranks - 1) / run->ranks;
    run->last_seen = checked_calloc((size_t)run->opt.boards, sizeof(*run->last_seen));
    MPI_Win_allocate((MPI_Aint)per_rank * (MPI_Aint)sizeof(struct record), sizeof(uint64_t),
                     MPI_INFO_NULL, MPI_COMM_WORLD, &run->mine, &run->win);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, run->rank, 0, run->win);
    for (int i = 0; i < per_rank; i++)
        run->mine[i] = make_record(0, 0, run->rank);
    MPI_Win_unlock(run->rank, run->win);
    MPI_Barrier(MPI_COMM_WORLD); /* every board is made before the first one is read */
}

/* ---- the result ---- */

/* What the boards must show: all ranks' moves once more, one after the other. */
static struct record *play_sequentially(const struct run *run)
{
    struct record *boards = checked_calloc((size_t)run->opt.boards, sizeof(*boards));
    for (int rank = 0; rank < run->ranks; rank++) {
        uint64_t state = start_of(run->opt.seed, rank);
        for (int i = 0; i < run->opt.operations; i++) {
            struct move move = next_move(&run->opt, &state);
            boards[move.board].sequence += move.update;
            boards[move.board].total += move.update ? move.amount : 0;
        }
    }
    return boards;
}

/* Returns the number of boards that differ from the sequential run. */
static long compare_with_sequential(struct run *run)
{
    struct record *expected = play_sequentially(run), found;
    long wrong = 0;
    for (int board = 0; board < run->opt.boards; board++) {
        MPI_Win_lock(MPI_LOCK_SHARED, owner_of(run, board), 0, run->win);
        get_record(run, board, &found);
        MPI_Win_unlock(owner_of(run, board), run->win);
        check_record(run, board, &found);
        if (found.sequence == expected[board].sequence && found.total == expected[board].total)
            continue;
        if (!wrong++)
            fprintf(stderr,
                    "billboard: board %d shows %" PRIu64 " updates that add up to %" PRIu64
                    "; made were %" PRIu64 " that add up to %" PRIu64 "\n",
                    board, found.sequence, found.total, expected[board].sequence,
                    expected[board].total);
    }
    free(expected);
    return wrong;
}

/* The verdict is the same on every rank, as all of it is summed up first. */
static bool judge(struct run *run)
{
    long sums[5] = {0};
    MPI_Barrier(MPI_COMM_WORLD); /* the last update is made */
    if (run->rank == 0)
        sums[4] = compare_with_sequential(run);
    sums[0] = run->torn, sums[1] = run->unsteady, sums[2] = run->backwards, sums[3] = run->updates;
    MPI_Allreduce(MPI_IN_PLACE, sums, 5, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    double seconds = slowest(run->seconds);
    bool good = !sums[0] && !sums[1] && !sums[2] && !sums[4];
    if (run->rank == 0) {
        print_result(good, seconds);
        printf("%d ranks, %d boards, %ld updates, %ld reads; %ld torn, %ld changed while being "
               "read, %ld went back, %ld boards differ from the sequential run\n",
               run->ranks, run->opt.boards, sums[3],
               (long)run->opt.operations * run->ranks - sums[3], sums[0], sums[1], sums[2],
               sums[4]);
    }
    return good;
}

int main(int argc, char **argv)
{
    struct run run = {
        .opt = {.operations = 1000, .boards = 8, .writers = 25, .pause_us = 20, .seed = 1}};
    read_options(argc, argv, &run.opt); /* before MPI_Init: --help needs no MPI */
    MPI_Init(&argc, &argv);
    set_up(&run);
    play(&run);
    bool good = judge(&run);
    MPI_Win_free(&run.win);
    free(run.last_seen);
    MPI_Finalize();
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
