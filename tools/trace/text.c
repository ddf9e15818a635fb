/* SPDX-License-Identifier: BSD-3-Clause */
/* See text.h. */
#include "text.h"

#include "reader.h"

#include <string.h>

#define REPLACEMENT "\xef\xbf\xbd"

/* Returns the length by the first byte; 0 if it starts no character. */
static int length_of(unsigned char first)
{
    if (first < 0x80)
        return first != 0;
    if (first < 0xc2 || first > 0xf4)
        return 0;
    return first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

/* Excludes overlong forms, UTF-16 surrogates, and values above U+10FFFF. */
static int is_second(unsigned char first, unsigned char second)
{
    const unsigned char least = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
    const unsigned char most = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;

    return second >= least && second <= most;
}

int proa_text_character(const char *text)
{
    const unsigned char *byte = (const unsigned char *)text;
    const int length = length_of(byte[0]);

    if (length > 1 && !is_second(byte[0], byte[1]))
        return 0;
    for (int i = 2; i < length; i++)
        if ((byte[i] & 0xc0) != 0x80)
            return 0;
    return length;
}

/* Excludes control characters, which from U+0080 on have two bytes, and U+FFFE and U+FFFF, which
 * XML forbids. */
static int is_shown(const char *text, int length)
{
    const unsigned char *byte = (const unsigned char *)text;

    if (length == 2)
        return byte[0] != 0xc2 || byte[1] >= 0xa0;
    return length > 0 && (length != 3 || memcmp(text, "\xef\xbf\xbe", 3) < 0 ||
                          memcmp(text, "\xef\xbf\xbf", 3) > 0);
}

char *proa_text_shown(const char *text)
{
    char *shown = proa_need(NULL, 3 * strlen(text) + 1), *at = shown;

    while (*text) {
        const int length = proa_text_character(text);
        const unsigned char first = (unsigned char)*text;

        if (first < ' ' || first == 0x7f) {
            memcpy(at, (const char[]){'\xe2', '\x90', (char)(first == 0x7f ? 0xa1 : 0x80 + first)},
                   3);
            at += 3;
        } else if (is_shown(text, length)) {
            memcpy(at, text, (size_t)length);
            at += length;
        } else {
            memcpy(at, REPLACEMENT, 3);
            at += 3;
        }
        text += length ? length : 1;
    }
    *at = 0;
    return shown;
}
