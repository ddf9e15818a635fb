/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of settings as text: for the manual, for test/README.md, and for people. */
#ifndef PROA_TOOL_SETTINGS_TEXT_H
#define PROA_TOOL_SETTINGS_TEXT_H

#include <stdbool.h>
#include <stdio.h>

/* form: "mdoc", the settings of users, or "markdown", all. False: it is neither, and nothing is
 * written. */
bool proa_settings_text(const char *form, FILE *out);

/* Writes text in lines of 80 columns, indented by so many blanks. */
void proa_wrap(const char *text, int indent, FILE *out);

#endif
