/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory that lasts as long as the command (keep.h). All blocks are in one list, so a leak checker
 * finds them in use. */
#include "keep.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct piece {
    struct piece *next;
    max_align_t bytes[];
};

static struct piece *pieces;

void *proa_keep(size_t size_bytes)
{
    struct piece *piece = calloc(1, sizeof *piece + size_bytes);

    if (!piece) {
        fputs("proa: no memory left\n", stderr);
        exit(EXIT_FAILURE);
    }
    piece->next = pieces;
    pieces = piece;
    return piece->bytes;
}

char *proa_text(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);

    char *text = proa_keep((size_t)length + 1);
    va_start(args, format);
    vsnprintf(text, (size_t)length + 1, format, args);
    va_end(args);
    return text;
}

void proa_words_add(struct proa_words *words, const char *word)
{
    if (words->count + 1 >= words->room) {
        size_t room = words->room ? 2 * words->room : 32;
        char **list = proa_keep(room * sizeof *list);
        if (words->count)
            memcpy(list, words->list, words->count * sizeof *list);
        words->list = list;
        words->room = room;
    }
    words->list[words->count++] =
        (char *)word; /* exec takes char *, but does not change the text */
}
