/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes JSON, one value at a time: the writer adds commas and quotes. */
#ifndef PROA_TOOL_JSON_H
#define PROA_TOOL_JSON_H

#include <stdbool.h>
#include <stdio.h>

struct proa_json {
    FILE *out;
    int depth;
    bool follows; /* an element precedes in this object or list */
    bool in_page; /* within HTML, where a text must not end the script */
};

/* Each function takes a name, which is NULL in a list and at the top. */
void proa_json_open(struct proa_json *json, const char *name, char bracket); /* '{' or '[' */
void proa_json_close(struct proa_json *json, char bracket);                  /* '}' or ']' */
void proa_json_text(struct proa_json *json, const char *name,
                    const char *text); /* null if text is NULL */
void proa_json_number(struct proa_json *json, const char *name, long number);
void proa_json_truth(struct proa_json *json, const char *name, bool truth);

#endif
