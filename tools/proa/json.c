/* SPDX-License-Identifier: BSD-3-Clause */
/* See json.h. */
#include "json.h"

#include "text.h"

static void write_text(const struct proa_json *json, const char *text)
{
    FILE *out = json->out;

    fputc('"', out);
    for (int length = 0; *text; text += length ? length : 1) {
        length = proa_text_character(text);
        if (length != 1)
            fprintf(out, "%.*s", length ? length : 6, length ? text : "\\ufffd");
        else if (*text == '"' || *text == '\\')
            fprintf(out, "\\%c", *text);
        else if ((unsigned char)*text < ' ' || (json->in_page && *text == '<'))
            fprintf(out, "\\u%04x", (unsigned char)*text);
        else
            fputc(*text, out);
    }
    fputc('"', out);
}

static void begin(struct proa_json *json, const char *name)
{
    if (json->depth > 0)
        fprintf(json->out, "%s\n%*s", json->follows ? "," : "", 2 * json->depth, "");
    if (name) {
        write_text(json, name);
        fputs(": ", json->out);
    }
    json->follows = true;
}

void proa_json_open(struct proa_json *json, const char *name, char bracket)
{
    begin(json, name);
    fputc(bracket, json->out);
    json->depth++;
    json->follows = false;
}

void proa_json_close(struct proa_json *json, char bracket)
{
    json->depth--;
    if (json->follows)
        fprintf(json->out, "\n%*s", 2 * json->depth, "");
    fputc(bracket, json->out);
    json->follows = true;
    if (json->depth == 0)
        fputc('\n', json->out);
}

void proa_json_text(struct proa_json *json, const char *name, const char *text)
{
    begin(json, name);
    if (text)
        write_text(json, text);
    else
        fputs("null", json->out);
}

void proa_json_number(struct proa_json *json, const char *name, long number)
{
    begin(json, name);
    fprintf(json->out, "%ld", number);
}

void proa_json_truth(struct proa_json *json, const char *name, bool truth)
{
    begin(json, name);
    fputs(truth ? "true" : "false", json->out);
}
