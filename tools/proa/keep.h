/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory for a short command: it is kept until the process ends or executes the launcher, and never
 * freed explicitly. */
#ifndef PROA_TOOL_KEEP_H
#define PROA_TOOL_KEEP_H

#include <stddef.h>

/* Returns zeroed memory. Exits if there is none, so callers need not check. */
void *proa_keep(size_t size_bytes);

/* Returns the text that printf would print. */
char *proa_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A list of words that ends in NULL, as exec requires. Initially all zero. */
struct proa_words {
    char **list;
    size_t count;
    size_t room;
};

void proa_words_add(struct proa_words *words, const char *word);

#endif
