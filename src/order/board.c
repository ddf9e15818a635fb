/* SPDX-License-Identifier: BSD-3-Clause */
/* See board.h. */
#include "order/board.h"
#include "base/atomic.h"
#include "base/fail.h"
#include "create/create.h"
#include "rma/op.h"
#include "sync/barrier.h"
#include "sync/sync.h"
#include "type/type.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { BUDGET_WORDS = 1 << 20, QUEUE_LEAST = 1 << 11, LINE_WORDS = 8 };

/* After so many words an empty queue restarts. */
enum { QUEUE_USED = 1 << 10 };

/* A queue; its words follow, a power of two of them. Positions count up without limit. */
struct queue {
    uint64_t head;  /* written by the origin, as is: */
    uint64_t start; /* there are no messages before this position */
    uint64_t pad[LINE_WORDS - 2];
    uint64_t tail; /* written by the reader */
    uint64_t pad_too[LINE_WORDS - 1];
    uint64_t words[];
};

/* Rows of a process that may order accesses by its memory (proa_clock_learn_memory). */
enum { MEMORY_ROWS = PROA_ROW_SEEN - PROA_ROW_KNOWN + 1 };

static struct proa_win *win;
static struct proa_type word;
static int size;
static size_t row_words;
static uint64_t queue_words;
static uint64_t *heads, *tails; /* of our queues, by process: head, and tail, which may be stale */
static uint64_t *taken_heads;   /* of queues at this process, by origin: a head that may be stale */
int proa_board_flush_due;

/* The part of a process, as far as this one uses it. Messages to another node are staged and sent
 * together, as one round trip takes as long as hundreds of them. */
enum { STAGED = 2 * PROA_BOARD_MESSAGE };
static struct part {
    uint64_t *rows;
    struct queue *to, *from; /* queue of this process there, and of that process here */
    uint64_t *staged;        /* NULL before the first */
    size_t staged_count;
} * parts;

/* ---- layout of a part ---- */

static size_t queue_bytes(void)
{
    return sizeof(struct queue) + queue_words * sizeof(uint64_t);
}

static size_t row_at(int row)
{
    return (size_t)row * row_words * sizeof(uint64_t);
}

static size_t queue_at(int origin)
{
    const size_t line = LINE_WORDS * sizeof(uint64_t);

    return (row_at(PROA_BOARD_ROWS) + line - 1) / line * line + (size_t)origin * queue_bytes();
}

/* For a process on another node there are no mapped rows, and no queue. */
static void find_parts(void)
{
    const char *mine = win->targets[win->rank].fast;

    for (int i = 0; i < size; i++) {
        const char *part = win->targets[i].fast;

        parts[i].rows = (uint64_t *)(uintptr_t)part;
        parts[i].to = part ? (struct queue *)(uintptr_t)(part + queue_at(win->rank)) : NULL;
        parts[i].from = (struct queue *)(uintptr_t)(mine + queue_at(i));
    }
}

/* Returns NULL if the process is on another node. */
static uint64_t *row_of(int process, int row)
{
    uint64_t *rows = parts[process].rows;

    return rows ? rows + (size_t)row * row_words : NULL;
}

/* ---- operations between nodes ---- */

static struct proa_there there_of(int process, size_t at, size_t words)
{
    return (struct proa_there){process, (int64_t)at, words, &word, PROA_CALL_Put};
}

static void far_put(int process, size_t at, const uint64_t *words, size_t count)
{
    struct proa_buffer from = {(void *)(uintptr_t)words, count, &word};
    struct proa_there there = there_of(process, at, count);

    proa_put(win, &from, &there);
}

static void far_get(int process, size_t at, uint64_t *words, size_t count)
{
    struct proa_buffer into = {words, count, &word};
    struct proa_there there = there_of(process, at, count);

    memset(words, 0, count * sizeof *words);
    if (proa_get(win, &into, &there) == PROA_OK)
        proa_win_flush(win, process);
}

/* ---- begin and end ---- */

static void forget(void)
{
    for (int i = 0; parts && i < size; i++)
        free(parts[i].staged);
    free(heads);
    free(tails);
    free(taken_heads);
    free(parts);
    parts = NULL;
    heads = tails = taken_heads = NULL;
    win = NULL;
    size = 0;
}

/* Rows of few processes share a cache line: the rows that a process's memory may order are changed
 * and read together. Longer rows have lines of their own. */
static size_t words_of_row(size_t processes)
{
    size_t words = 1;

    while (words < processes && words < LINE_WORDS)
        words *= 2;
    return (processes + words - 1) / words * words;
}

static int prepare(const struct proa_group *group)
{
    if (group->size > PROA_BOARD_MOST)
        return proa_fail(PROA_ELSEWHERE, "more than %d processes", PROA_BOARD_MOST);
    size = group->size;
    row_words = words_of_row((size_t)size);
    for (queue_words = QUEUE_LEAST;
         queue_words < PROA_BOARD_QUEUE && 2 * queue_words * (uint64_t)size <= BUDGET_WORDS;)
        queue_words *= 2;
    heads = calloc((size_t)size, sizeof *heads);
    tails = calloc((size_t)size, sizeof *tails);
    taken_heads = calloc((size_t)size, sizeof *taken_heads);
    parts = calloc((size_t)size, sizeof *parts);
    proa_type_basic(PROA_U64, &word);
    return heads && tails && taken_heads && parts
               ? PROA_OK
               : proa_fail(PROA_ERR_NO_MEM, "out of memory for check mode");
}

int proa_board_begin(const struct proa_group *group, int threads)
{
    struct proa_create_args args = {.flavor = PROA_FLAVOR_ALLOCATE, .disp_unit = 1};
    int error = prepare(group);

    args.threads = threads;
    args.error = error;
    args.bytes = error ? 0 : queue_at(size);
    error = proa_win_create(&args, group, &win);
    if (error == PROA_OK)
        error = proa_win_lock_all(win, PROA_MODE_NOCHECK);
    if (error == PROA_OK)
        find_parts();
    else
        forget();
    return error;
}

void proa_board_end(void)
{
    if (!win)
        return;
    proa_win_unlock_all(win);
    if (proa_barrier_last(win) == PROA_OK)
        proa_win_release(win);
    forget();
}

void proa_board_barrier(void)
{
    proa_board_flush_now();
    win->sync->barrier(win);
}

int proa_board_size(void)
{
    return size;
}

int proa_board_rank(void)
{
    return win->rank;
}

/* ---- rows ---- */

uint64_t *proa_board_mine(int row)
{
    return row_of(win->rank, row);
}

int proa_board_is_near(int process)
{
    return parts[process].rows != NULL;
}

static void raise_word(uint64_t *row, uint64_t value)
{
    uint64_t old = proa_atomic_load(row, PROA_RELAXED);

    while (old < value &&
           !proa_atomic_compare_exchange(row, &old, value, PROA_RELEASE, PROA_RELAXED)) {
    }
}

static void raise_far(int process, int row, const uint64_t *clock)
{
    struct proa_buffer from = {(void *)(uintptr_t)clock, (uint64_t)size, &word};
    struct proa_there there = there_of(process, row_at(row), (size_t)size);

    proa_accumulate(win, &from, &there, PROA_OP_MAX);
    proa_board_flush_due = 1;
}

/* Accumulates by other nodes exclude only each other, and not the atomics of raise_word. So with
 * several nodes every other process raises a row by accumulates. */
void proa_board_raise(int process, int row, const uint64_t *clock)
{
    uint64_t *mapped = row_of(process, row);

    if (!mapped || (win->remote_window && process != win->rank)) {
        raise_far(process, row, clock);
        return;
    }
    for (int i = 0; i < size; i++)
        raise_word(&mapped[i], clock[i]);
}

/* Puts words into a queue on another node; they may wrap. */
static void write_far(int process, uint64_t position, const uint64_t *words, uint64_t count)
{
    const size_t at = queue_at(win->rank) + offsetof(struct queue, words);
    const uint64_t start = position & (queue_words - 1), left = queue_words - start,
                   first = count > left ? left : count;

    far_put(process, at + start * sizeof *words, words, first);
    if (first < count)
        far_put(process, at, words + first, count - first);
}

/* Sends the messages staged for that process. */
static void publish_far(int process)
{
    struct part *part = &parts[process];

    if (!part->staged_count)
        return;
    write_far(process, heads[process] - part->staged_count, part->staged, part->staged_count);
    part->staged_count = 0;
    proa_win_flush(win, process); /* the words must arrive first */
    far_put(process, queue_at(win->rank) + offsetof(struct queue, head), &heads[process], 1);
    proa_win_flush_local(win, process); /* the next message changes the head */
    proa_board_flush_due = 1;
}

void proa_board_flush_now(void)
{
    for (int i = 0; i < size; i++)
        publish_far(i);
    proa_win_flush_all(win);
    proa_board_flush_due = 0;
}

/* Partner: raise_word. Mostly there is nothing new. rows: number of rows, a constant in frequent
 * calls. */
static inline __attribute__((always_inline)) int learn_rows(const uint64_t *mapped, int rows,
                                                            uint64_t *clock)
{
    const size_t words = (size_t)size, stride = row_words;
    int changes = 0;

    for (size_t i = 0; i < words; i++) {
        uint64_t most = proa_atomic_load(&mapped[i], PROA_ACQUIRE);

        for (int row = 1; row < rows; row++) {
            const uint64_t value =
                proa_atomic_load(&mapped[(size_t)row * stride + i], PROA_ACQUIRE);

            most = value > most ? value : most;
        }
        if (__builtin_expect(most > clock[i], 0)) {
            proa_atomic_store(&clock[i], most, PROA_RELEASE);
            changes = 1;
        }
    }
    return changes;
}

static int learn_far(int process, int row, int rows, uint64_t *clock)
{
    uint64_t *read = calloc((size_t)rows * row_words, sizeof *read);
    int changes;

    if (!read)
        return 0;
    far_get(process, row_at(row), read, (size_t)rows * row_words);
    changes = learn_rows(read, rows, clock);
    free(read);
    return changes;
}

int proa_board_learn(int process, int row, int rows, uint64_t *clock)
{
    const uint64_t *mapped = row_of(process, row);

    if (!mapped)
        return learn_far(process, row, rows, clock);
    return rows == 1             ? learn_rows(mapped, 1, clock)
           : rows == MEMORY_ROWS ? learn_rows(mapped, MEMORY_ROWS, clock)
                                 : learn_rows(mapped, rows, clock);
}

void proa_board_lower(int process, int row, uint64_t *clock)
{
    uint64_t far[PROA_BOARD_MOST];
    const uint64_t *mapped = row_of(process, row);

    if (!mapped) {
        far_get(process, row_at(row), far, (size_t)size);
        mapped = far;
    }
    for (int i = 0; i < size; i++) {
        uint64_t value = proa_atomic_load(&mapped[i], PROA_ACQUIRE);

        if (value < clock[i])
            clock[i] = value;
    }
}

/* ---- queues ---- */

/* Partner: proa_board_take. Words that it has read may be overwritten. */
static void learn_tail(int process)
{
    const struct queue *queue = parts[process].to;
    const uint64_t tail = proa_atomic_load(&queue->tail, PROA_ACQUIRE);

    tails[process] = tail > queue->start ? tail : queue->start;
}

/* Unused words have no memory yet, and old words are in no cache. An empty queue therefore restarts
 * at its first words. Partner: proa_board_look. */
static void begin_anew(int process)
{
    struct queue *queue = parts[process].to;
    const uint64_t mask = queue_words - 1;

    if (!queue || (heads[process] & mask) < QUEUE_USED)
        return;
    learn_tail(process);
    if (tails[process] != heads[process])
        return;
    heads[process] = tails[process] = (heads[process] | mask) + 1;
    proa_atomic_store(&queue->start, heads[process], PROA_RELAXED); /* before the next head */
}

static int finds_room(int process, uint64_t count)
{
    if (parts[process].to)
        learn_tail(process);
    else
        far_get(process, queue_at(win->rank) + offsetof(struct queue, tail), &tails[process], 1);
    return heads[process] + count - tails[process] <= queue_words;
}

/* Writes a message at its position, its length first; it may wrap. Partner: proa_board_look. */
static void write_here(struct queue *queue, uint64_t head, const uint64_t *words, uint32_t count)
{
    const uint64_t mask = queue_words - 1;

    queue->words[head & mask] = count;
    for (uint32_t i = 0; words != &queue->words[(head + 1) & mask] && i < count; i++)
        queue->words[(head + 1 + i) & mask] = words[i];
    proa_atomic_store(&queue->head, head + 1 + count, PROA_RELEASE);
}

uint64_t *proa_board_place(int process, uint32_t most, uint64_t *space)
{
    struct queue *queue = parts[process].to;
    const uint64_t end = heads[process] + 1 + most, at = (heads[process] + 1) & (queue_words - 1);

    return queue && end - tails[process] <= queue_words && at + most <= queue_words
               ? &queue->words[at]
               : space;
}

/* Returns true if there is room for so many words; 0 without memory. */
static int has_stage(int process, uint64_t count)
{
    struct part *part = &parts[process];

    if (part->staged_count + count > STAGED)
        publish_far(process);
    if (!part->staged)
        part->staged = malloc(STAGED * sizeof *part->staged);
    return part->staged != NULL;
}

static void stage(struct part *part, const uint64_t *words, uint32_t count)
{
    part->staged[part->staged_count] = count;
    memcpy(&part->staged[part->staged_count + 1], words, count * sizeof *words);
    part->staged_count += 1 + count;
    proa_board_flush_due = 1;
}

int proa_board_push(int process, const uint64_t *words, uint32_t count)
{
    struct queue *queue = parts[process].to;
    const uint64_t length = count;
    uint64_t head;

    begin_anew(process);
    head = heads[process];
    if (head + 1 + length - tails[process] > queue_words && !finds_room(process, length + 1)) {
        publish_far(process);
        return 0;
    }
    if (!queue && !has_stage(process, length + 1))
        return 0;
    heads[process] = head + 1 + length;
    if (queue)
        write_here(queue, head, words, count);
    else
        stage(&parts[process], words, count);
    return 1;
}

uint32_t proa_board_look(int origin, uint64_t *space, const uint64_t **words)
{
    struct queue *queue = parts[origin].from;
    const uint64_t mask = queue_words - 1;
    uint64_t tail = queue->tail, start;
    uint32_t count;

    if (tail == taken_heads[origin])
        taken_heads[origin] = proa_atomic_load(&queue->head, PROA_ACQUIRE);
    if (tail == taken_heads[origin])
        return 0;
    start = proa_atomic_load(&queue->start, PROA_RELAXED);
    if (tail < start) {
        tail = start;
        proa_atomic_store(&queue->tail, tail, PROA_RELEASE);
    }
    count = (uint32_t)queue->words[tail & mask];
    *words = &queue->words[(tail + 1) & mask];
    if (((tail + 1) & mask) + count <= queue_words)
        return count;
    for (uint32_t i = 0; i < count; i++)
        space[i] = queue->words[(tail + 1 + i) & mask];
    *words = space;
    return count;
}

void proa_board_take(int origin, uint32_t count)
{
    struct queue *queue = parts[origin].from;

    proa_atomic_store(&queue->tail, queue->tail + 1 + count, PROA_RELEASE);
}
