/* SPDX-License-Identifier: BSD-3-Clause */
/* See settings_text.h. */
#include "settings_text.h"

#include "base/settings.h"

#include <string.h>

enum { COLUMNS = 80 };

void proa_wrap(const char *text, int indent, FILE *out)
{
    int column = 0;

    while (*text) {
        int length = (int)strcspn(text, " ");
        if (column == 0 || column + 1 + length > COLUMNS)
            column = fprintf(out, "%s%*s%.*s", column ? "\n" : "", indent, "", length, text) -
                     (column != 0);
        else
            column += fprintf(out, " %.*s", length, text);
        text += length + strspn(text + length, " ");
    }
    fputc('\n', out);
}

static const char *shown_default(const struct proa_setting *row)
{
    return *row->fallback ? row->fallback : "not set";
}

/* A dot or a quote at the start of a line would be a request. */
static void write_mdoc_row(const struct proa_setting *row, FILE *out)
{
    char words[64];

    fprintf(out, ".It Ev %s\n%s, by default %s:\n%s.\n", row->variable,
            proa_setting_words(row, words, sizeof words), shown_default(row), row->help);
}

/* The manual is for users: test/README.md has the settings for developers. */
static void write_mdoc(FILE *out, int of_command)
{
    fprintf(out, ".Bl -tag -width \"PROA_CHECK_FAIL_ON\"\n");
    for (const struct proa_setting *row = proa_setting_rows; row->variable; row++)
        if (row->of_command == of_command && row->whose != PROA_SETTING_DEVELOPER)
            write_mdoc_row(row, out);
    fprintf(out, ".El\n");
}

static void write_markdown_cell(const char *text, FILE *out)
{
    for (; *text; text++)
        fprintf(out, *text == '|' ? "\\|" : "%c", *text);
}

static void write_markdown(FILE *out, int of_command)
{
    char words[64];

    fprintf(out, "| variable | can be | default | meaning |\n|---|---|---|---|\n");
    for (const struct proa_setting *row = proa_setting_rows; row->variable; row++) {
        if (row->of_command != of_command)
            continue;
        fprintf(out, "| `%s`%s | %s | %s | ", row->variable,
                row->whose == PROA_SETTING_DEVELOPER ? " (for developers)" : "",
                proa_setting_words(row, words, sizeof words), shown_default(row));
        write_markdown_cell(row->help, out);
        fprintf(out, " |\n");
    }
}

bool proa_settings_text(const char *form, FILE *out)
{
    void (*write)(FILE *, int) = strcmp(form, "mdoc") == 0       ? write_mdoc
                                 : strcmp(form, "markdown") == 0 ? write_markdown
                                                                 : NULL;

    if (!write)
        return false;
    fprintf(out, write == write_mdoc ? "The ranks of a program read:\n" : "The ranks read:\n\n");
    write(out, 0);
    fprintf(out,
            write == write_mdoc ? "The command\n.Nm proa\nreads:\n" : "\nThe command reads:\n\n");
    write(out, 1);
    return true;
}
