/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where the things of a still picture are. Downward runs the order of moments, as in the
 * page (view.js): the begin of a call takes a row, its end a part of one. So names do not collide
 * however close the calls are in time; the times stand at the left.
 */
#ifndef PROA_TOOL_TRACE_FIGURE_LAYOUT_H
#define PROA_TOOL_TRACE_FIGURE_LAYOUT_H

#include "trace_figure.h"

#include <stdint.h>
#include <stdio.h>

/* In pixels, as all below. */
enum { PROA_FIGURE_LEFT = 104, PROA_FIGURE_COLUMN = 220 };

#define PROA_FIGURE_LETTER 6.3 /* width of a letter of 11 px, on the average */

struct proa_figure_moment {
    int64_t ns;
    int is_end;
    double y;
};

struct proa_figure_point {
    double x, y;
};

struct proa_figure_drawing {
    const struct proa_figure *figure;
    FILE *out;
    int moment_count;
    struct proa_figure_moment *moments;
    int columns;
    int *column_of; /* by process; -1: not in the picture */
    double bottom;
    int text_count; /* of arrows, so far */
    struct proa_figure_point *texts;
};

/* Lays rows: moments, and the bottom of the picture. */
void proa_figure_lay_rows(struct proa_figure_drawing *drawing);

/* Lays columns: processes that have an epoch or an event, or are the target of an operation. */
void proa_figure_lay_columns(struct proa_figure_drawing *drawing);

/* A moment's place downward, and the place of a process's lifeline. */
double proa_figure_y(const struct proa_figure_drawing *drawing, int64_t ns);
double proa_figure_x(const struct proa_figure_drawing *drawing, int process);

/* Half of the width of the event's name. */
double proa_figure_half(const struct proa_figure_event *event);

/* The event of that number; NULL: it is not in the picture. */
const struct proa_figure_event *proa_figure_event_of(const struct proa_figure_drawing *drawing,
                                                     uint64_t id);

#endif
