/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Layout of a picture. The vertical axis is the order of moments, as in the page (view.js): the
 * start of a call takes a row, its end a part of one. So names do not collide, however close the
 * calls are in time. The times are at the left.
 */
#ifndef PROA_TOOL_TRACE_FIGURE_LAYOUT_H
#define PROA_TOOL_TRACE_FIGURE_LAYOUT_H

#include "trace_figure.h"

#include <stdint.h>
#include <stdio.h>

/* In pixels, as all sizes below. */
enum { PROA_FIGURE_LEFT = 104, PROA_FIGURE_COLUMN = 220 };

#define PROA_FIGURE_LETTER 6.3 /* average width of a letter of 11 px */

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
    int *column_of; /* by process; -1 if not in the picture */
    double bottom;
    int text_count; /* number of arrow texts so far */
    struct proa_figure_point *texts;
};

/* Lays out the rows: moments, and the bottom of the picture. */
void proa_figure_lay_rows(struct proa_figure_drawing *drawing);

/* Lays out the columns: processes that have an epoch or an event, or are the target of an
 * operation. */
void proa_figure_lay_columns(struct proa_figure_drawing *drawing);

/* Vertical position of a moment, and horizontal position of a process's lifeline. */
double proa_figure_y(const struct proa_figure_drawing *drawing, int64_t ns);
double proa_figure_x(const struct proa_figure_drawing *drawing, int process);

/* Returns half of the width of the event's name. */
double proa_figure_half(const struct proa_figure_event *event);

/* Returns the event of that number, or NULL if it is not in the picture. */
const struct proa_figure_event *proa_figure_event_of(const struct proa_figure_drawing *drawing,
                                                     uint64_t id);

#endif
