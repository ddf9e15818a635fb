/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The roster of a window over several nodes: the part of the window that each process has shown at
 * creation, once on each node. It lies in the arena of the node's leader. The other processes of
 * the node read it when they communicate with a process for the first time (remote/open.c).
 *
 * The leader gives the roster back when it frees the window, while its neighbours may still be in
 * the last barrier. So a reader looks at a word after it has copied a row.
 */
#include "remote/window.h"
#include "base/atomic.h"
#include "base/fail.h"
#include "shm/arena.h"

#include <stdlib.h>
#include <string.h>

enum {
    WORD = sizeof(uint64_t),
    KEY_WORDS_MOST = PROA_NET_KEY_MOST / WORD,
    ADDRESS_WORDS_MOST = PROA_NET_ADDRESS_MOST / WORD,
    FIXED_WORDS = 3 /* of a row: size, place, and displacement unit with a bit for the key */
};

/* In the leader's arena. */
struct rows {
    uint64_t window; /* the window's number; 0: the rows are no longer there */
    uint64_t words[];
};

struct proa_roster {
    struct rows *rows;
    int is_leader;
    uint64_t window;
    size_t key_words, address_words; /* of each row: the most that any process needs */
};

static size_t rows_bytes(const struct proa_win *win, size_t key_words, size_t address_words)
{
    return sizeof(struct rows) +
           (size_t)win->size * (FIXED_WORDS + key_words + address_words) * WORD;
}

static uint64_t *row_of(const struct proa_roster *roster, int rank)
{
    return roster->rows->words +
           (size_t)rank * (FIXED_WORDS + roster->key_words + roster->address_words);
}

int proa_roster_prepare(struct proa_win *win, struct proa_remote_card *card)
{
    struct proa_roster *roster = calloc(1, sizeof *roster);
    size_t bytes = rows_bytes(win, KEY_WORDS_MOST, ADDRESS_WORDS_MOST);

    win->remote_window->roster = roster;
    if (!roster)
        return proa_fail(PROA_ERR_NO_MEM, "out of memory for a window over several nodes");
    roster->is_leader = card->leader == win->rank;
    if (!roster->is_leader)
        return PROA_OK;
    roster->rows = proa_arena_alloc(bytes, PROA_CACHE_LINE);
    if (!roster->rows)
        return PROA_ERR_NO_MEM;
    proa_arena_find(roster->rows, bytes, &card->roster_segment, &card->roster_offset);
    return PROA_OK;
}

/* How many words hold all of these bytes that are not 0. */
static size_t words_of(const unsigned char *bytes, size_t count)
{
    while (count && !bytes[count - 1])
        count--;
    return (count + WORD - 1) / WORD;
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static void fill(struct proa_roster *roster, int rank, const struct proa_remote_card *card)
{
    uint64_t *row = row_of(roster, rank);

    row[0] = card->bytes;
    row[1] = card->memory;
    row[2] = (uint64_t)card->disp_unit << 1 | (card->has_key != 0);
    memcpy(row + FIXED_WORDS, card->key.bytes, roster->key_words * WORD);
    memcpy(row + FIXED_WORDS + roster->key_words, card->address.bytes,
           roster->address_words * WORD);
}

static void fill_all(struct proa_win *win, const struct proa_remote_card *cards)
{
    struct proa_roster *roster = win->remote_window->roster;

    for (int i = 0; i < win->size; i++)
        fill(roster, i, &cards[i]);
    roster->rows->window = roster->window;
    proa_arena_shrink(roster->rows, rows_bytes(win, roster->key_words, roster->address_words));
}

int proa_roster_open(struct proa_win *win, const struct proa_remote_card *cards)
{
    struct proa_roster *roster = win->remote_window->roster;
    const struct proa_remote_card *leader = &cards[cards[win->rank].leader];
    char *segment;

    roster->window = cards[0].window;
    for (int i = 0; i < win->size; i++) {
        roster->key_words =
            larger(roster->key_words, words_of(cards[i].key.bytes, PROA_NET_KEY_MOST));
        roster->address_words =
            larger(roster->address_words, words_of(cards[i].address.bytes, PROA_NET_ADDRESS_MOST));
    }
    if (roster->is_leader) {
        fill_all(win, cards);
        return PROA_OK;
    }
    segment = proa_peer_segment(win->targets[cards[win->rank].leader].peer, leader->roster_segment);
    if (!segment)
        return proa_fail(PROA_ERR_NO_MEM, "cannot map the memory of rank %d",
                         cards[win->rank].leader);
    roster->rows = (struct rows *)(void *)(segment + leader->roster_offset);
    return PROA_OK;
}

/* Each word by itself: the leader may write something else there meanwhile. */
static void copy(void *to, const uint64_t *from, size_t words)
{
    for (size_t i = 0; i < words; i++) {
        uint64_t word = proa_atomic_load(&from[i], PROA_RELAXED);

        memcpy((char *)to + i * WORD, &word, WORD);
    }
}

/* The fence's partner is that of proa_roster_close: a word that has replaced one of the row is seen
 * only together with the number gone. */
int proa_roster_is_there(const struct proa_win *win)
{
    const struct proa_roster *roster = win->remote_window->roster;

    proa_atomic_fence(PROA_ACQUIRE);
    return proa_atomic_load(&roster->rows->window, PROA_RELAXED) == roster->window;
}

int proa_roster_find(const struct proa_win *win, int rank, struct proa_rostered *row)
{
    const struct proa_roster *roster = win->remote_window->roster;
    const uint64_t *words = row_of(roster, rank);
    uint64_t fixed[FIXED_WORDS];

    memset(row, 0, sizeof *row);
    copy(fixed, words, FIXED_WORDS);
    copy(row->key.bytes, words + FIXED_WORDS, roster->key_words);
    copy(row->address.bytes, words + FIXED_WORDS + roster->key_words, roster->address_words);
    row->bytes = fixed[0];
    row->memory = fixed[1];
    row->disp_unit = (int64_t)(fixed[2] >> 1);
    row->has_key = (int)(fixed[2] & 1);
    return proa_roster_is_there(win);
}

void proa_roster_close(struct proa_win *win)
{
    struct proa_roster *roster = win->remote_window->roster;

    win->remote_window->roster = NULL;
    if (roster && roster->is_leader && roster->rows) {
        proa_atomic_store(&roster->rows->window, 0, PROA_RELAXED);
        proa_atomic_fence(PROA_RELEASE);
        proa_arena_free(roster->rows);
    }
    free(roster);
}
