/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The exchange of cards at creation: every process receives the card of each. A card is the data
 * that a process publishes about its part of the window.
 *
 * Most words of the cards of many processes are alike, such as flavor, size and displacement unit.
 * So more than a few processes first determine the words equal in all cards, by one reduction, and
 * gather only the others. The reduction is also the agreement that each process has memory for the
 * cards.
 */
#ifndef PROA_WINDOW_GATHER_H
#define PROA_WINDOW_GATHER_H

#include "window/win.h"

enum {
    PROA_GATHER_FEW = 64,         /* up to this many processes gather whole cards */
    PROA_GATHER_WORDS_MOST = 128, /* words of a card, of 8 bytes each */
    PROA_GATHER_BITS_MOST = (1 + 2 * PROA_GATHER_WORDS_MOST) * 8 /* size of the bits, in bytes */
};

/* The words of a card that are equal in all processes. The others form a row. */
struct proa_gather_form {
    size_t words, row_words;
    uint64_t is_alike[PROA_GATHER_WORDS_MOST];
};

/* Gathers the cards of all processes, in rank order. bytes: size of a card, a multiple of 8. all:
 * room for all cards. Among more than PROA_GATHER_FEW processes it may be NULL, if memory is short;
 * then each process returns PROA_ERR_NO_MEM. Collective, with the same result on all processes. */
int proa_gather(const struct proa_group *group, const void *mine, size_t bytes, void *all);

/* Returns the size of the bits for the reduction, in bytes. proa_gather_form derives the form from
 * the bits that are set in all processes. Their first word is all ones if there is memory. */
static inline size_t proa_gather_bytes(size_t card_bytes)
{
    return sizeof(uint64_t) + 2 * card_bytes;
}

void proa_gather_show(const void *card, size_t bytes, int has_memory, uint64_t *bits);
struct proa_gather_form proa_gather_form(const uint64_t *bits, size_t bytes);

/* Copies the row of a card into row. */
void proa_gather_pack(const struct proa_gather_form *form, const void *card, uint64_t *row);

#endif
