/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of settings as text: for the manual, for test/README.md, and for the terminal. */
#ifndef PROA_TOOL_SETTINGS_TEXT_H
#define PROA_TOOL_SETTINGS_TEXT_H

#include <stdbool.h>
#include <stdio.h>

/* Writes the settings. form: "mdoc" for the settings of users, or "markdown" for all. Returns
 * false, and writes nothing, for another form. */
bool proa_settings_text(const char *form, FILE *out);

/* Writes text in lines of 80 columns. indent: indentation, columns. */
void proa_wrap(const char *text, int indent, FILE *out);

#endif
