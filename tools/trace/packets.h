/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A file for Perfetto: packets of protobuf with tracks and their events (TrackEvent). Numbers of
 * fields are those of the public schema, protos/perfetto/trace. A text is written once; later
 * packets contain its number (InternedData).
 */
#ifndef PROA_TRACE_PACKETS_H
#define PROA_TRACE_PACKETS_H

#include "protobuf.h"

#include <stdint.h>
#include <stdio.h>

struct proa_interned;

/* Tables of texts. */
enum proa_table {
    PROA_TABLE_CATEGORY,
    PROA_TABLE_NAME,
    PROA_TABLE_NOTE, /* names of annotations */
    PROA_TABLE_TEXT, /* values of annotations */
    PROA_TABLES
};

struct proa_packets {
    FILE *out;
    struct proa_interned *tables[PROA_TABLES];
    struct proa_message interned; /* for the next packet */
    struct proa_message packet, event, part;
    int64_t ns; /* time of the event */
};

void proa_packets_begin(struct proa_packets *packets, FILE *out);
void proa_packets_end(struct proa_packets *packets);

/* ---- tracks: each has a nonzero number ---- */

void proa_track_process(struct proa_packets *packets, uint64_t track, int pid, const char *name);
void proa_track_thread(struct proa_packets *packets, uint64_t track, int pid, int tid,
                       const char *name);
/* Adds a track of a process. counts_bytes: true for a counter. */
void proa_track_other(struct proa_packets *packets, uint64_t track, uint64_t process,
                      const char *name, int counts_bytes);

/* ---- events: begin, contents, end ---- */

enum proa_track_event { PROA_SLICE_BEGIN = 1, PROA_SLICE_END, PROA_INSTANT, PROA_COUNTER };

void proa_event_begin(struct proa_packets *packets, enum proa_track_event type, uint64_t track,
                      int64_t ns);
void proa_event_name(struct proa_packets *packets, const char *category, const char *name);
void proa_event_text(struct proa_packets *packets, const char *note, const char *text);
void proa_event_number(struct proa_packets *packets, const char *note, int64_t number);
/* An arrow starts or ends here. flow: its number, nonzero. ends: true if it ends. */
void proa_event_flow(struct proa_packets *packets, uint64_t flow, int ends);
void proa_event_count(struct proa_packets *packets, int64_t value);
void proa_event_end(struct proa_packets *packets);

#endif
