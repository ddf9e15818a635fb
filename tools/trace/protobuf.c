/* SPDX-License-Identifier: BSD-3-Clause */
/* See protobuf.h. */
#include "protobuf.h"

#include "reader.h"

#include <stdlib.h>
#include <string.h>

enum type { VARINT, FIXED64, LENGTH };

void proa_message_free(struct proa_message *message)
{
    free(message->bytes);
    *message = (struct proa_message){0};
}

static unsigned char *more(struct proa_message *message, size_t bytes)
{
    unsigned char *at;

    if (message->count + bytes > message->room) {
        message->room = 2 * (message->count + bytes);
        message->bytes = proa_need(message->bytes, message->room);
    }
    at = message->bytes + message->count;
    message->count += bytes;
    return at;
}

/* Seven bits per byte, lowest first; the eighth bit is set if more bytes follow. */
static void varint(struct proa_message *message, uint64_t value)
{
    while (value >= 0x80) {
        *more(message, 1) = (unsigned char)(value | 0x80);
        value >>= 7;
    }
    *more(message, 1) = (unsigned char)value;
}

static void tag(struct proa_message *message, unsigned field, enum type type)
{
    varint(message, (uint64_t)field << 3 | type);
}

void proa_message_number(struct proa_message *message, unsigned field, uint64_t value)
{
    tag(message, field, VARINT);
    varint(message, value);
}

void proa_message_fixed(struct proa_message *message, unsigned field, uint64_t value)
{
    unsigned char *at;

    tag(message, field, FIXED64);
    at = more(message, 8);
    for (int i = 0; i < 8; i++)
        at[i] = (unsigned char)(value >> 8 * i);
}

static void put(struct proa_message *message, unsigned field, const void *bytes, size_t count)
{
    tag(message, field, LENGTH);
    varint(message, count);
    if (count)
        memcpy(more(message, count), bytes, count);
}

void proa_message_text(struct proa_message *message, unsigned field, const char *text)
{
    put(message, field, text, strlen(text));
}

void proa_message_inner(struct proa_message *message, unsigned field,
                        const struct proa_message *inner)
{
    put(message, field, inner->bytes, inner->count);
}
