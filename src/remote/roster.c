/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The roster of a window over several nodes: the part of the window that each process has shown at
 * creation, once on each node. It lies in the arena of the node's leader. The other processes of
 * the node read it when they communicate with a process for the first time (remote/windows.c).
 *
 * A row is the words of a card. A word that is the same on all cards of the window, such as the
 * size of most windows, is in no row: each process keeps it.
 *
 * The leader gives the roster back when it frees the window, while its neighbours may still be in
 * the last barrier. So a reader checks the word rows.window after it has copied a row.
 */
#include "remote/window.h"
#include "base/atomic.h"
#include "base/fail.h"
#include "shm/arena.h"

#include <stdlib.h>
#include <string.h>

enum {
    WORD = sizeof(uint64_t),
    KEY = 3, /* after size, address, and displacement unit with a bit for the key */
    ADDRESS = KEY + PROA_NET_KEY_MOST / WORD,
    HOST = ADDRESS + PROA_NET_ADDRESS_MOST / WORD,
    WORDS = HOST + PROA_REMOTE_HOST / WORD
};

/* In the leader's arena. */
struct rows {
    uint64_t window; /* number of the window; 0 once the rows are gone */
    uint64_t words[];
};

struct proa_roster {
    struct rows *rows;
    int is_leader;
    uint64_t window;
    uint64_t common[WORDS]; /* the words of rank 0 */
    uint8_t is_common[WORDS];
    size_t row_words; /* words of a row: those not in common */
};

static size_t rows_bytes(const struct proa_win *win, size_t row_words)
{
    return sizeof(struct rows) + (size_t)win->size * row_words * WORD;
}

static uint64_t *row_of(const struct proa_roster *roster, int rank)
{
    return roster->rows->words + (size_t)rank * roster->row_words;
}

int proa_roster_prepare(struct proa_win *win, struct proa_remote_card *card)
{
    struct proa_roster *roster = calloc(1, sizeof *roster);
    size_t bytes = rows_bytes(win, WORDS);

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

static void read_card(const struct proa_remote_card *card, uint64_t words[WORDS])
{
    words[0] = card->bytes;
    words[1] = card->memory;
    words[2] = (uint64_t)card->disp_unit << 1 | (card->has_key != 0);
    memcpy(words + KEY, card->key.bytes, sizeof card->key.bytes);
    memcpy(words + ADDRESS, card->address.bytes, sizeof card->address.bytes);
    memcpy(words + HOST, card->host, sizeof card->host);
}

static void find_common(struct proa_roster *roster, const struct proa_remote_card *cards, int count)
{
    uint64_t words[WORDS];

    read_card(&cards[0], roster->common);
    memset(roster->is_common, 1, sizeof roster->is_common);
    for (int i = 1; i < count; i++) {
        read_card(&cards[i], words);
        for (int k = 0; k < WORDS; k++)
            roster->is_common[k] &= words[k] == roster->common[k];
    }
    for (int k = 0; k < WORDS; k++)
        roster->row_words += !roster->is_common[k];
}

static void fill(struct proa_roster *roster, int rank, const struct proa_remote_card *card)
{
    uint64_t *row = row_of(roster, rank), words[WORDS];

    read_card(card, words);
    for (int k = 0; k < WORDS; k++)
        if (!roster->is_common[k])
            *row++ = words[k];
}

static void fill_all(struct proa_win *win, const struct proa_remote_card *cards)
{
    struct proa_roster *roster = win->remote_window->roster;

    for (int i = 0; i < win->size; i++)
        fill(roster, i, &cards[i]);
    roster->rows->window = roster->window;
    proa_arena_shrink(roster->rows, rows_bytes(win, roster->row_words));
}

int proa_roster_open(struct proa_win *win, const struct proa_remote_card *cards)
{
    struct proa_roster *roster = win->remote_window->roster;
    const struct proa_remote_card *leader = &cards[cards[win->rank].leader];
    char *segment;

    roster->window = cards[0].window;
    find_common(roster, cards, win->size);
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

/* Reads word by word: the leader may write something else there meanwhile. */
static void read_row(const struct proa_roster *roster, int rank, uint64_t words[WORDS])
{
    const uint64_t *row = row_of(roster, rank);

    for (int k = 0; k < WORDS; k++)
        words[k] = roster->is_common[k] ? roster->common[k] : proa_atomic_load(row++, PROA_RELAXED);
}

/* Partner of the fence: proa_roster_close. A reader that sees a word which has replaced one of the
 * row also sees that the number is gone. */
int proa_roster_is_there(const struct proa_win *win)
{
    const struct proa_roster *roster = win->remote_window->roster;

    proa_atomic_fence(PROA_ACQUIRE);
    return proa_atomic_load(&roster->rows->window, PROA_RELAXED) == roster->window;
}

int proa_roster_find(const struct proa_win *win, int rank, struct proa_rostered *row)
{
    const struct proa_roster *roster = win->remote_window->roster;
    uint64_t words[WORDS];

    if (!roster || !roster->window) /* the window is being created */
        return 0;
    read_row(roster, rank, words);
    row->bytes = words[0];
    row->memory = words[1];
    row->disp_unit = (int64_t)(words[2] >> 1);
    row->has_key = (int)(words[2] & 1);
    memcpy(row->key.bytes, words + KEY, sizeof row->key.bytes);
    memcpy(row->address.bytes, words + ADDRESS, sizeof row->address.bytes);
    memcpy(row->host, words + HOST, sizeof row->host);
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
