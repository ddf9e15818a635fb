/* SPDX-License-Identifier: BSD-3-Clause */
/* See packets.h. */
#include "packets.h"

#include "reader.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

/* Numbers of fields. */
enum {
    TRACE_PACKET = 1,

    PACKET_TIMESTAMP = 8,
    PACKET_SEQUENCE = 10,
    PACKET_EVENT = 11,
    PACKET_INTERNED = 12,
    PACKET_FLAGS = 13,
    PACKET_TRACK = 60,

    TRACK_UUID = 1,
    TRACK_NAME = 2,
    TRACK_PROCESS = 3,
    TRACK_THREAD = 4,
    TRACK_PARENT = 5,
    TRACK_COUNTER = 8,

    PROCESS_PID = 1,
    PROCESS_NAME = 6,
    THREAD_PID = 1,
    THREAD_TID = 2,
    THREAD_NAME = 5,
    COUNTER_UNIT = 3,

    EVENT_CATEGORY = 3,
    EVENT_ANNOTATION = 4,
    EVENT_TYPE = 9,
    EVENT_NAME = 10,
    EVENT_TRACK = 11,
    EVENT_COUNT = 30,
    EVENT_FLOW = 47,
    EVENT_FLOW_END = 48,

    ANNOTATION_NAME = 1,
    ANNOTATION_NUMBER = 4,
    ANNOTATION_TEXT = 17,

    INTERNED_NUMBER = 1,
    INTERNED_VALUE = 2
};

/* The tables in InternedData. */
static const unsigned table_field[PROA_TABLES] = {1, 2, 3, 29};

enum { SEQUENCE = 1, FLAG_CLEARED = 1, FLAG_NEEDS_STATE = 2, UNIT_BYTES = 3 };

struct proa_interned {
    char *text;
    uint64_t number;
    UT_hash_handle hh;
};

/* ---- packets ---- */

static void put_varint(FILE *out, uint64_t value)
{
    while (value >= 0x80) {
        fputc((int)(value & 0x7f) | 0x80, out);
        value >>= 7;
    }
    fputc((int)value, out);
}

static void packet_begin(struct proa_packets *packets)
{
    packets->packet.count = 0;
}

static void packet_end(struct proa_packets *packets, unsigned flags)
{
    proa_message_number(&packets->packet, PACKET_SEQUENCE, SEQUENCE);
    proa_message_number(&packets->packet, PACKET_FLAGS, flags);
    if (packets->interned.count)
        proa_message_inner(&packets->packet, PACKET_INTERNED, &packets->interned);
    packets->interned.count = 0;
    put_varint(packets->out, TRACE_PACKET << 3 | 2);
    put_varint(packets->out, packets->packet.count);
    fwrite(packets->packet.bytes, 1, packets->packet.count, packets->out);
}

static uint64_t number_of(struct proa_packets *packets, enum proa_table table, const char *text)
{
    struct proa_message entry = {0};
    struct proa_interned *interned;

    HASH_FIND_STR(packets->tables[table], text, interned);
    if (interned)
        return interned->number;
    interned = proa_need(NULL, sizeof *interned);
    *interned = (struct proa_interned){.text = strdup(text),
                                       .number = HASH_COUNT(packets->tables[table]) + 1};
    HASH_ADD_KEYPTR(hh, packets->tables[table], interned->text, strlen(text), interned);
    proa_message_number(&entry, INTERNED_NUMBER, interned->number);
    proa_message_text(&entry, INTERNED_VALUE, text);
    proa_message_inner(&packets->interned, table_field[table], &entry);
    proa_message_free(&entry);
    return interned->number;
}

void proa_packets_begin(struct proa_packets *packets, FILE *out)
{
    *packets = (struct proa_packets){.out = out};
    packet_begin(packets);
    packet_end(packets, FLAG_CLEARED);
}

void proa_packets_end(struct proa_packets *packets)
{
    struct proa_interned *interned, *next;

    for (int table = 0; table < PROA_TABLES; table++)
        HASH_ITER(hh, packets->tables[table], interned, next) {
            HASH_DEL(packets->tables[table], interned);
            free(interned->text);
            free(interned);
        }
    proa_message_free(&packets->interned);
    proa_message_free(&packets->packet);
    proa_message_free(&packets->event);
    proa_message_free(&packets->part);
}

/* ---- tracks ---- */

static void track_begin(struct proa_packets *packets, uint64_t track, const char *name)
{
    packets->event.count = packets->part.count = 0;
    proa_message_number(&packets->event, TRACK_UUID, track);
    if (name)
        proa_message_text(&packets->event, TRACK_NAME, name);
}

static void track_end(struct proa_packets *packets)
{
    packet_begin(packets);
    proa_message_inner(&packets->packet, PACKET_TRACK, &packets->event);
    packet_end(packets, FLAG_NEEDS_STATE);
}

void proa_track_process(struct proa_packets *packets, uint64_t track, int pid, const char *name)
{
    track_begin(packets, track, NULL);
    proa_message_number(&packets->part, PROCESS_PID, (uint64_t)pid);
    proa_message_text(&packets->part, PROCESS_NAME, name);
    proa_message_inner(&packets->event, TRACK_PROCESS, &packets->part);
    track_end(packets);
}

void proa_track_thread(struct proa_packets *packets, uint64_t track, int pid, int tid,
                       const char *name)
{
    track_begin(packets, track, NULL);
    proa_message_number(&packets->part, THREAD_PID, (uint64_t)pid);
    proa_message_number(&packets->part, THREAD_TID, (uint64_t)tid);
    proa_message_text(&packets->part, THREAD_NAME, name);
    proa_message_inner(&packets->event, TRACK_THREAD, &packets->part);
    track_end(packets);
}

void proa_track_other(struct proa_packets *packets, uint64_t track, uint64_t process,
                      const char *name, int counts_bytes)
{
    track_begin(packets, track, name);
    proa_message_number(&packets->event, TRACK_PARENT, process);
    if (counts_bytes) {
        proa_message_number(&packets->part, COUNTER_UNIT, UNIT_BYTES);
        proa_message_inner(&packets->event, TRACK_COUNTER, &packets->part);
    }
    track_end(packets);
}

/* ---- events ---- */

void proa_event_begin(struct proa_packets *packets, enum proa_track_event type, uint64_t track,
                      int64_t ns)
{
    packets->event.count = 0;
    packets->ns = ns > 0 ? ns : 0; /* a clock of another node may be ahead of the first record */
    proa_message_number(&packets->event, EVENT_TYPE, type);
    proa_message_number(&packets->event, EVENT_TRACK, track);
}

void proa_event_name(struct proa_packets *packets, const char *category, const char *name)
{
    proa_message_number(&packets->event, EVENT_CATEGORY,
                        number_of(packets, PROA_TABLE_CATEGORY, category));
    proa_message_number(&packets->event, EVENT_NAME, number_of(packets, PROA_TABLE_NAME, name));
}

static void annotate(struct proa_packets *packets, const char *note, unsigned field, uint64_t value)
{
    packets->part.count = 0;
    proa_message_number(&packets->part, ANNOTATION_NAME, number_of(packets, PROA_TABLE_NOTE, note));
    proa_message_number(&packets->part, field, value);
    proa_message_inner(&packets->event, EVENT_ANNOTATION, &packets->part);
}

void proa_event_text(struct proa_packets *packets, const char *note, const char *text)
{
    annotate(packets, note, ANNOTATION_TEXT, number_of(packets, PROA_TABLE_TEXT, text));
}

void proa_event_number(struct proa_packets *packets, const char *note, int64_t number)
{
    annotate(packets, note, ANNOTATION_NUMBER, (uint64_t)number);
}

void proa_event_flow(struct proa_packets *packets, uint64_t flow, int ends)
{
    proa_message_fixed(&packets->event, ends ? EVENT_FLOW_END : EVENT_FLOW, flow);
}

void proa_event_count(struct proa_packets *packets, int64_t value)
{
    proa_message_number(&packets->event, EVENT_COUNT, (uint64_t)value);
}

void proa_event_end(struct proa_packets *packets)
{
    packet_begin(packets);
    proa_message_number(&packets->packet, PACKET_TIMESTAMP, (uint64_t)packets->ns);
    proa_message_inner(&packets->packet, PACKET_EVENT, &packets->event);
    packet_end(packets, FLAG_NEEDS_STATE);
}
