/* SPDX-License-Identifier: BSD-3-Clause */
/* An archive of OTF2: its locations, and definitions that are created when events need them. */
#ifndef PROA_TRACE_ARCHIVE_H
#define PROA_TRACE_ARCHIVE_H

#include "model.h"

#include <otf2/otf2.h>

struct proa_definition; /* a string, a region or a group */

/* A location; its events are in the order of their times. */
struct proa_location {
    OTF2_EvtWriter *writer;
    int process;
    OTF2_StringRef name;
    int64_t last_ns;
};

struct proa_archive {
    const struct proa_model *model;
    OTF2_Archive *archive;
    struct proa_location *locations;
    int location_count, location_room;
    struct proa_definition *strings, *regions, *groups;
    OTF2_GlobalDefWriter *definitions; /* set at the end: new strings are written at once */
};

/* Opens an archive. Its first locations are thread 0 of each process. Returns 0, or -1 after an
 * error message. */
int proa_archive_open(struct proa_archive *archive, const struct proa_model *model,
                      const char *folder);
/* Writes all definitions. Returns 0, or -1 after an error message. */
int proa_archive_close(struct proa_archive *archive);

/* Returns the number of a new location. */
int proa_archive_location(struct proa_archive *archive, int process, const char *name);

/* Returns the time of an event there, no earlier than the last one. */
OTF2_TimeStamp proa_archive_time(struct proa_location *location, int64_t ns);

OTF2_StringRef proa_archive_string(struct proa_archive *archive, const char *text);
OTF2_RegionRef proa_archive_region(struct proa_archive *archive, const char *name);
/* Returns the group of ranks of a window. */
OTF2_GroupRef proa_archive_group(struct proa_archive *archive, int window, const int32_t *ranks,
                                 int count);

enum { PROA_ATTRIBUTE_AT, PROA_ATTRIBUTES }; /* file and line of a call */

#endif
