/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the environment once into struct proa_settings. Called lazily by everyone who needs a
 * setting. */
#include "base/settings.h"

#include <pthread.h>
#include <stdlib.h>

static struct proa_settings settings;
static pthread_once_t settings_once = PTHREAD_ONCE_INIT;

static int parse_FLAG(const char *text, int fallback)
{
    return text ? atoi(text) != 0 : fallback;
}

static long parse_NUMBER(const char *text, long fallback)
{
    char *end;
    long value = text ? strtol(text, &end, 10) : fallback;
    return text && end == text ? fallback : value;
}

static const char *parse_TEXT(const char *text, const char *fallback)
{
    return text ? text : fallback;
}

static void settings_read(void)
{
#define PROA_READ(field, variable, kind, fallback, help) \
    settings.field = parse_##kind(getenv(variable), fallback);
    PROA_SETTINGS(PROA_READ)
#undef PROA_READ
}

const struct proa_settings *proa_settings(void)
{
    pthread_once(&settings_once, settings_read);
    return &settings;
}
