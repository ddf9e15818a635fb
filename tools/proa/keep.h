/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory for a command that runs for an instant: it is kept until the process ends or becomes the
 * launcher, and never freed by hand. */
#ifndef PROA_TOOL_KEEP_H
#define PROA_TOOL_KEEP_H

#include <stddef.h>

/* Zeroed memory. No memory left is the end of the command, so callers have nothing to check. */
void *proa_keep(size_t size_bytes);

/* The text that printf would print. */
char *proa_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A list of words that ends in NULL, as exec wants it. Starts as all zero. */
struct proa_words {
    char **list;
    size_t count;
    size_t room;
};

void proa_words_add(struct proa_words *words, const char *word);

#endif
