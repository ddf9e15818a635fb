/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the environment once into struct proa_settings, at the first call that needs a setting. */
#include "base/settings.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct proa_setting proa_setting_rows[] = {
#define ROW_OF(variable, kind, fallback, values, whose, of_command, help) \
    {variable, PROA_SETTING_##kind, fallback, values, PROA_SETTING_##whose, of_command, help},
#define LIBRARY_ROW(field, variable, kind, fallback, values, whose, help) \
    ROW_OF(variable, kind, fallback, values, whose, 0, help)
#define COMMAND_ROW(field, variable, kind, fallback, values, whose, help) \
    ROW_OF(variable, kind, fallback, values, whose, 1, help)
    PROA_SETTINGS(LIBRARY_ROW) PROA_COMMAND_SETTINGS(COMMAND_ROW)
#undef LIBRARY_ROW
#undef COMMAND_ROW
#undef ROW_OF
        {0}};

/* ---- checks ---- */

static int is_number(const char *text, const char *values)
{
    char *end;
    long value, least, most;

    least = strtol(values, &end, 10);
    most = strtol(end + strlen(".."), NULL, 10);
    errno = 0;
    value = strtol(text, &end, 10);
    return !errno && end != text && !*end && value >= least && value <= most;
}

static int is_among(const char *text, const char *values)
{
    size_t length = strlen(text);

    for (; *values; values += strspn(values, "|")) {
        size_t here = strcspn(values, "|");

        if (here == length && strncmp(values, text, here) == 0)
            return 1;
        values += here;
    }
    return 0;
}

static int may_be(const struct proa_setting *row, const char *text)
{
    if (row->kind == PROA_SETTING_NUMBER)
        return is_number(text, row->values);
    return row->kind == PROA_SETTING_TEXT || is_among(text, row->values);
}

const char *proa_setting_value(const struct proa_setting *row, const char *text,
                               enum proa_setting_origin *origin)
{
    enum proa_setting_origin found = PROA_SETTING_DEFAULT;

    if (text && *text)
        found = may_be(row, text) ? PROA_SETTING_ENVIRONMENT : PROA_SETTING_REFUSED;
    if (origin)
        *origin = found;
    return found == PROA_SETTING_ENVIRONMENT ? text : row->fallback;
}

/* Converts "auto|always|never" into "auto, always or never". */
static void choice_words(const char *values, char *words, size_t room)
{
    for (size_t length = 0; *values && length < room; values++)
        if (*values != '|')
            length += (size_t)snprintf(words + length, room - length, "%c", *values);
        else
            length += (size_t)snprintf(words + length, room - length, "%s",
                                       strchr(values + 1, '|') ? ", " : " or ");
}

const char *proa_setting_words(const struct proa_setting *row, char *words, int room)
{
    if (row->kind == PROA_SETTING_NUMBER)
        snprintf(words, (size_t)room, "%.*s to %s", (int)strcspn(row->values, "."), row->values,
                 strstr(row->values, "..") + strlen(".."));
    else
        choice_words(row->values, words, (size_t)room);
    return words;
}

void proa_settings_complain(void (*say)(const char *sentence))
{
    char sentence[400], words[64];

    for (const struct proa_setting *row = proa_setting_rows; row->variable; row++) {
        const char *text = row->of_command ? NULL : getenv(row->variable);
        enum proa_setting_origin origin;
        const char *used = proa_setting_value(row, text, &origin);

        if (origin != PROA_SETTING_REFUSED)
            continue;
        snprintf(sentence, sizeof sentence, "%s=%.100s is not %s: %s, the default, is used",
                 row->variable, text, proa_setting_words(row, words, sizeof words), used);
        say(sentence);
    }
}

/* ---- the values in force ---- */

static struct proa_settings settings;
static pthread_once_t settings_once = PTHREAD_ONCE_INIT;

static int parse_FLAG(const char *text)
{
    return strcmp(text, "1") == 0;
}

static long parse_NUMBER(const char *text)
{
    return strtol(text, NULL, 10);
}

static const char *parse_TEXT(const char *text)
{
    return text;
}
#define parse_CHOICE parse_TEXT

static void settings_read(void)
{
    const struct proa_setting *row = proa_setting_rows;

#define PROA_READ(field, variable, kind, fallback, values, whose, help)             \
    settings.field = parse_##kind(proa_setting_value(row, getenv(variable), NULL)); \
    row++;
    PROA_SETTINGS(PROA_READ)
#undef PROA_READ
    settings.check = strcmp(settings.check_level, "0") != 0;
    settings.check_conflicts = settings.check && strcmp(settings.check_level, "usage") != 0;
    settings.check_memory = strcmp(settings.check_level, "memory") == 0;
}

const struct proa_settings *proa_settings(void)
{
    pthread_once(&settings_once, settings_read);
    return &settings;
}

void proa_settings_leave_check(void)
{
    pthread_once(&settings_once, settings_read);
    settings.check = settings.check_conflicts = settings.check_memory = 0;
}
