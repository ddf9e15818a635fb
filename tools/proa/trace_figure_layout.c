/* SPDX-License-Identifier: BSD-3-Clause */
/* See trace_figure_layout.h. */
#include "trace_figure_layout.h"

#include "reader.h"

#include <stdlib.h>
#include <string.h>

enum { HEAD = 58, ROW = 32, END_PART = 13 };

static int by_time(const void *one, const void *other)
{
    const struct proa_figure_moment *a = one, *b = other;

    if (a->ns != b->ns)
        return a->ns < b->ns ? -1 : 1;
    return a->is_end - b->is_end;
}

void proa_figure_lay_rows(struct proa_figure_drawing *drawing)
{
    const struct proa_figure *figure = drawing->figure;
    double y = HEAD - ROW
    +26;

    drawing->moments =
        proa_need(NULL, (size_t)(2 * figure->event_count + 1) * sizeof *drawing->moments);
    for (int i = 0; i < figure->event_count; i++) {
        drawing->moments[drawing->moment_count++] =
            (struct proa_figure_moment){.ns = figure->events[i].begin_ns};
        drawing->moments[drawing->moment_count++] =
            (struct proa_figure_moment){.ns = figure->events[i].end_ns, .is_end = 1};
    }
    qsort(drawing->moments, (size_t)drawing->moment_count, sizeof *drawing->moments, by_time);
    for (int i = 0; i < drawing->moment_count; i++) {
        struct proa_figure_moment *moment = &drawing->moments[i];

        if (!moment->is_end)
            y += ROW;
        else if (i == 0 || moment[-1].ns != moment->ns)
            y += END_PART;
        moment->y = y;
    }
    drawing->bottom = y + ROW;
}

double proa_figure_y(const struct proa_figure_drawing *drawing, int64_t ns)
{
    const struct proa_figure_moment *moments = drawing->moments;
    int i = 0;

    while (i < drawing->moment_count && moments[i].ns < ns)
        i++;
    if (i == drawing->moment_count)
        return drawing->moment_count ? moments[i - 1].y : HEAD;
    if (i == 0 || moments[i].ns == ns)
        return moments[i].y;
    return moments[i - 1].y + (double)(ns - moments[i - 1].ns) * (moments[i].y - moments[i - 1].y) /
                                  (double)(moments[i].ns - moments[i - 1].ns);
}

void proa_figure_lay_columns(struct proa_figure_drawing *drawing)
{
    const struct proa_figure *figure = drawing->figure;
    const size_t count = (size_t)figure->model->process_count;

    drawing->column_of = proa_need(NULL, count * sizeof *drawing->column_of);
    memset(drawing->column_of, 0xff, count * sizeof *drawing->column_of);
    for (int i = 0; i < figure->epoch_count; i++)
        drawing->column_of[figure->epochs[i].process] = 0;
    for (int i = 0; i < figure->event_count; i++) {
        drawing->column_of[figure->events[i].process] = 0;
        if (figure->events[i].target >= 0)
            drawing->column_of[figure->events[i].target] = 0;
    }
    for (size_t process = 0; process < count; process++)
        if (drawing->column_of[process] >= 0)
            drawing->column_of[process] = drawing->columns++;
}

double proa_figure_x(const struct proa_figure_drawing *drawing, int process)
{
    return PROA_FIGURE_LEFT + (drawing->column_of[process] + 0.5) * PROA_FIGURE_COLUMN;
}

double proa_figure_half(const struct proa_figure_event *event)
{
    return 0.5 * PROA_FIGURE_LETTER * (double)strlen(event->name) + 8;
}

const struct proa_figure_event *proa_figure_event_of(const struct proa_figure_drawing *drawing,
                                                     uint64_t id)
{
    for (int i = 0; i < drawing->figure->event_count; i++)
        if (drawing->figure->events[i].id == id)
            return &drawing->figure->events[i];
    return NULL;
}
