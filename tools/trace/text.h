/* SPDX-License-Identifier: BSD-3-Clause */
/* Converts names set by a program, which may be any bytes, for the outputs of a trace. */
#ifndef PROA_TRACE_TEXT_H
#define PROA_TRACE_TEXT_H

/* Returns the length of the UTF-8 character at `text`, bytes; 0 if it is malformed, or at the
 * end. */
int proa_text_character(const char *text);

/* Returns an allocated copy for terminals, XML and viewers. A control character becomes its picture
 * (U+2400 and after), and an invalid character U+FFFD. */
char *proa_text_shown(const char *text);

#endif
