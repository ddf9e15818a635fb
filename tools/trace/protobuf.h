/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages of protobuf, as bytes (https://protobuf.dev/programming-guides/encoding): a field is its
 * number and its type, then its value. Only the types that perfetto.c writes are supported.
 */
#ifndef PROA_TRACE_PROTOBUF_H
#define PROA_TRACE_PROTOBUF_H

#include <stddef.h>
#include <stdint.h>

/* Initially {0}; for reuse set count to 0. */
struct proa_message {
    unsigned char *bytes;
    size_t count, room;
};

void proa_message_free(struct proa_message *message);

/* Appends the field: a varint (uint64, int64, enum, bool), 8 bytes (fixed64), a text without its
 * final 0, or another message. */
void proa_message_number(struct proa_message *message, unsigned field, uint64_t value);
void proa_message_fixed(struct proa_message *message, unsigned field, uint64_t value);
void proa_message_text(struct proa_message *message, unsigned field, const char *text);
void proa_message_inner(struct proa_message *message, unsigned field,
                        const struct proa_message *inner);

#endif
