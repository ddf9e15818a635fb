/* SPDX-License-Identifier: BSD-3-Clause */
/* Names that a program has given, which may be any bytes, as the forms of a trace can have them. */
#ifndef PROA_TRACE_TEXT_H
#define PROA_TRACE_TEXT_H

/* Bytes of the character of UTF-8 at `text`; 0: it is malformed, or the end. */
int proa_text_character(const char *text);

/* The same text, allocated, for terminals, XML and viewers: a control character becomes the picture
 * of it (U+2400 on), and what is no character U+FFFD. */
char *proa_text_shown(const char *text);

#endif
