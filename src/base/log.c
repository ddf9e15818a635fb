/* SPDX-License-Identifier: BSD-3-Clause */
/* See log.h. */
#include "base/log.h"
#include "base/hash.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

void proa_log(int level, const char *fmt, ...)
{
    char text[1000], line[1024];
    va_list args;
    int length;

    if (level > proa_settings()->log_level)
        return;
    va_start(args, fmt);
    /* NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized) */
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    length = snprintf(line, sizeof line, "proa: %s\n", text);
    if (write(STDERR_FILENO, line, (size_t)length) < 0)
        return; /* there is nowhere else to report this */
}

/* ---- lines that may come often ---- */

static uint64_t times_more(uint64_t line)
{
    enum { KEPT = 256 };
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    static struct {
        uint64_t line, times;
    } kept[KEPT];
    static unsigned next;
    uint64_t times;
    int i = 0;

    pthread_mutex_lock(&mutex);
    while (i < KEPT && kept[i].line != line)
        i++;
    if (i == KEPT) {
        i = (int)(next++ % KEPT);
        kept[i].line = line;
        kept[i].times = 0;
    }
    times = ++kept[i].times;
    pthread_mutex_unlock(&mutex);
    return times;
}

static int is_power_of_ten(uint64_t number)
{
    while (number % 10 == 0)
        number /= 10;
    return number == 1;
}

void proa_log_often(int level, const void *place, const char *text)
{
    uint64_t times;

    if (level > proa_settings()->log_level)
        return;
    times = times_more(
        proa_hash_text(proa_hash_bytes(PROA_HASH_OF_NOTHING, &place, sizeof place), text));
    if (times == 1)
        proa_log(level, "%s", text);
    else if (is_power_of_ten(times))
        proa_log(level, "%s (%llu times so far)", text, (unsigned long long)times);
}
