/* SPDX-License-Identifier: BSD-3-Clause */
/* See gather.h. */
#include "window/gather.h"
#include "base/fail.h"

#include <string.h>

enum { WORD = sizeof(uint64_t) };

/* The bits are: memory, the words, and their complements. A word is alike if each of its bits is
 * set in all words, or in all complements. */
void proa_gather_show(const void *card, size_t bytes, int has_memory, uint64_t *bits)
{
    const size_t words = bytes / WORD;

    bits[0] = has_memory ? UINT64_MAX : 0;
    memcpy(bits + 1, card, bytes);
    for (size_t i = 1; i <= words; i++)
        bits[words + i] = ~bits[i];
}

struct proa_gather_form proa_gather_form(const uint64_t *bits, size_t bytes)
{
    struct proa_gather_form form = {.words = bytes / WORD};

    for (size_t i = 0; i < form.words; i++) {
        form.is_alike[i] = (bits[1 + i] | bits[1 + form.words + i]) == UINT64_MAX;
        form.row_words += !form.is_alike[i];
    }
    return form;
}

void proa_gather_pack(const struct proa_gather_form *form, const void *card, uint64_t *row)
{
    for (size_t i = 0; i < form->words; i++)
        if (!form->is_alike[i])
            memcpy(row++, (const char *)card + i * WORD, WORD);
}

static void unpack(const struct proa_gather_form *form, const uint64_t *row, uint64_t *card)
{
    for (size_t i = 0; i < form->words; i++)
        if (!form->is_alike[i])
            card[i] = *row++;
}

/* The rows are contiguous at the end of the room, so each row is read before a card overwrites
 * it. */
static void spread(const struct proa_gather_form *form, const void *mine, const char *rows,
                   char *all, int count)
{
    const size_t bytes = form->words * WORD, row_bytes = form->row_words * WORD;
    uint64_t card[PROA_GATHER_WORDS_MOST], row[PROA_GATHER_WORDS_MOST];

    memcpy(card, mine, bytes);
    for (int i = 0; i < count; i++) {
        memcpy(row, rows + (size_t)i * row_bytes, row_bytes);
        unpack(form, row, card);
        memcpy(all + (size_t)i * bytes, card, bytes);
    }
}

static int gather_rows(const struct proa_group *group, const struct proa_gather_form *form,
                       const void *mine, char *all)
{
    const size_t row_bytes = form->row_words * WORD;
    char *rows = all + (size_t)group->size * (form->words * WORD - row_bytes);
    uint64_t row[PROA_GATHER_WORDS_MOST];
    int error = PROA_OK;

    proa_gather_pack(form, mine, row);
    if (row_bytes)
        error = group->allgather(group->context, row, rows, row_bytes);
    if (!error)
        spread(form, mine, rows, all, group->size);
    return error;
}

int proa_gather(const struct proa_group *group, const void *mine, size_t bytes, void *all)
{
    uint64_t bits[1 + 2 * PROA_GATHER_WORDS_MOST];
    struct proa_gather_form form;
    int error;

    if (group->size <= PROA_GATHER_FEW)
        return group->allgather(group->context, mine, all, bytes);
    proa_gather_show(mine, bytes, all != NULL, bits);
    error = group->intersect(group->context, bits, proa_gather_bytes(bytes));
    if (error)
        return error;
    if (!all || !bits[0])
        return proa_fail(PROA_ERR_NO_MEM, "%s for a window of %d processes",
                         all ? "another rank has not enough memory" : "out of memory", group->size);
    form = proa_gather_form(bits, bytes);
    return gather_rows(group, &form, mine, all);
}
