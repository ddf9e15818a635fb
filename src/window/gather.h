/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The exchange of cards at creation: every process gets a card of each.
 *
 * Most words of the cards of many processes are alike, such as flavor, size and displacement unit.
 * So where there are more than a few processes, they first find the words that all have alike, by
 * one reduction, and gather the others only. The reduction is also the agreement that each process
 * has memory for the cards.
 */
#ifndef PROA_WINDOW_GATHER_H
#define PROA_WINDOW_GATHER_H

#include "window/win.h"

enum {
    PROA_GATHER_FEW = 64,         /* up to so many processes gather whole cards */
    PROA_GATHER_WORDS_MOST = 128, /* of a card; a word has 8 bytes */
    PROA_GATHER_BITS_MOST = (1 + 2 * PROA_GATHER_WORDS_MOST) * 8 /* bytes of them */
};

/* The words of a card that the processes have alike, and the others, which are a row. */
struct proa_gather_form {
    size_t words, row_words;
    uint64_t is_alike[PROA_GATHER_WORDS_MOST];
};

/* Gathers the cards of all processes into `all`, in rank order; bytes: of a card, a multiple of 8.
 * all: room for all cards. NULL, among more than PROA_GATHER_FEW processes only: there is no memory
 * for it, and PROA_ERR_NO_MEM is the outcome on each process. Collective, with the same outcome. */
int proa_gather(const struct proa_group *group, const void *mine, size_t bytes, void *all);

/* The bits by which the processes find the words that they have alike: of those that are set in all
 * processes' bits, proa_gather_form makes the form. They begin with a word that says whether there
 * is memory, and are as many bytes as this. */
static inline size_t proa_gather_bytes(size_t card_bytes)
{
    return sizeof(uint64_t) + 2 * card_bytes;
}

void proa_gather_show(const void *card, size_t bytes, int has_memory, uint64_t *bits);
struct proa_gather_form proa_gather_form(const uint64_t *bits, size_t bytes);

/* The row of a card. */
void proa_gather_pack(const struct proa_gather_form *form, const void *card, uint64_t *row);

#endif
