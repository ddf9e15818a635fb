/* SPDX-License-Identifier: BSD-3-Clause */
/* Findings as sentences on standard error. */
#ifndef PROA_FINDINGS_SENTENCES_H
#define PROA_FINDINGS_SENTENCES_H

#include "findings/finding.h"

#include <stdio.h>

/* Writes the finding to standard error, in one piece. */
void proa_sentences_tell(const struct proa_found *found);

/* Returns the sequences around a word of that weight; "" without color (PROA_COLOR). */
const char *proa_sentences_color(enum proa_verdict verdict);
const char *proa_sentences_plain(void);

/* Text that is written to standard error in one piece and starts on a new line. So lines of several
 * processes, and of the program, do not mix. begin: returns NULL without memory. end: writes and
 * frees the text. */
struct proa_piece {
    char *text;
    size_t length;
    FILE *out;
};
FILE *proa_piece_open(struct proa_piece *piece);
void proa_piece_close(struct proa_piece *piece);

#endif
