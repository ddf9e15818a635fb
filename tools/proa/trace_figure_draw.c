/* SPDX-License-Identifier: BSD-3-Clause */
/* See trace_figure.h: writes the picture as laid out by trace_figure_layout.c. */
#include "page.h"
#include "reader.h"
#include "trace_figure_layout.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_HALF = 10, LANE = 30 };

static double larger(double one, double other)
{
    return one > other ? one : other;
}

/* ---- parts ---- */

static void draw_style(const struct proa_figure_drawing *drawing)
{
    for (const struct proa_page_part *part = proa_page_parts; part->name; part++)
        if (strcmp(part->name, "figure.svg") == 0)
            fputs(part->text, drawing->out);
}

/* Formats a time. All times are in one unit, which depends on the last one. */
static void time_text(char *text, size_t bytes, int64_t ns, int64_t last_ns)
{
    if (last_ns < 10000)
        snprintf(text, bytes, "%" PRId64 " ns", ns);
    else if (last_ns < 1000000)
        snprintf(text, bytes, "%.2f \302\265s", (double)ns / 1e3);
    else
        snprintf(text, bytes, "%.3f ms", (double)ns / 1e6);
}

static void draw_rows(const struct proa_figure_drawing *drawing)
{
    const int width = PROA_FIGURE_LEFT + PROA_FIGURE_COLUMN * drawing->columns;

    for (int i = 0; i < drawing->moment_count; i++) {
        const struct proa_figure_moment *moment = &drawing->moments[i];
        char text[32];

        if (moment->is_end)
            continue;
        time_text(text, sizeof text, moment->ns - drawing->moments[0].ns,
                  drawing->moments[drawing->moment_count - 1].ns - drawing->moments[0].ns);
        fprintf(drawing->out,
                "<text class=\"small\" x=\"%d\" y=\"%g\" text-anchor=\"end\">%s</text>"
                "<path class=\"row\" d=\"M%d %gH%d\"/>\n",
                PROA_FIGURE_LEFT - 12, moment->y + 4, text, PROA_FIGURE_LEFT, moment->y, width);
    }
}

static const char *part_of(const struct proa_figure_drawing *drawing, int process)
{
    bool reaches = false, is_reached = false;

    for (int i = 0; i < drawing->figure->event_count; i++) {
        const struct proa_figure_event *event = &drawing->figure->events[i];

        reaches |= event->kind == PROA_EVENT_OPERATION && event->process == process;
        is_reached |= event->target == process;
    }
    if (reaches && is_reached)
        return "origin and target";
    return reaches ? "origin" : is_reached ? "target" : "";
}

static void draw_lives(const struct proa_figure_drawing *drawing)
{
    const struct proa_model *model = drawing->figure->model;

    for (int process = 0; process < model->process_count; process++) {
        double x;

        if (drawing->column_of[process] < 0)
            continue;
        x = proa_figure_x(drawing, process);
        fprintf(drawing->out,
                "<text class=\"rank\" x=\"%g\" y=\"20\" text-anchor=\"middle\">rank %d</text>"
                "<text class=\"small\" x=\"%g\" y=\"36\" text-anchor=\"middle\">%s</text>"
                "<path class=\"life\" d=\"M%g 44V%g\"/>\n",
                x, model->processes[process].rank, x, part_of(drawing, process), x,
                drawing->bottom);
    }
}

/* Overlapping epochs of a process on one side are drawn side by side. */
static int lane_of(const struct proa_figure *figure, int index)
{
    const struct proa_model_epoch *epoch = &figure->epochs[index];
    int lane = 0;

    for (int i = 0; i < index; i++) {
        const struct proa_model_epoch *other = &figure->epochs[i];

        lane += other->process == epoch->process &&
                (other->kind == PROA_MODEL_EXPOSURE) == (epoch->kind == PROA_MODEL_EXPOSURE) &&
                other->begin_ns < epoch->end_ns && epoch->begin_ns < other->end_ns &&
                epoch->kind != PROA_MODEL_FENCE;
    }
    return lane < 2 ? lane : 2;
}

static void draw_shade(const struct proa_figure_drawing *drawing,
                       const struct proa_model_epoch *epoch, double x, double y, double height)
{
    fprintf(drawing->out,
            "<rect class=\"%s\" x=\"%g\" y=\"%g\" width=\"%d\" height=\"%g\" data-rank=\"%d\"/>\n",
            proa_epoch_names[epoch->kind], x, y, LANE, height,
            drawing->figure->model->processes[epoch->process].rank);
}

static const char *epoch_name(const struct proa_model_epoch *epoch)
{
    switch (epoch->kind) {
    case PROA_MODEL_FENCE:
        return "fence epoch";
    case PROA_MODEL_ACCESS:
        return "access epoch";
    case PROA_MODEL_EXPOSURE:
        return "exposure epoch";
    case PROA_MODEL_LOCK:
        return epoch->mode & PROA_TRACE_EXCLUSIVE ? "exclusive lock" : "shared lock";
    default:
        return "lock_all";
    }
}

/* Draws the name if there is room for it. */
static void draw_epoch_name(const struct proa_figure_drawing *drawing,
                            const struct proa_model_epoch *epoch, double x, double y, double height)
{
    const char *name = epoch_name(epoch);

    if ((double)strlen(name) * PROA_FIGURE_LETTER < height)
        fprintf(drawing->out,
                "<text class=\"over\" transform=\"translate(%g %g) rotate(-90)\" "
                "text-anchor=\"middle\">%s</text>\n",
                x, y + height / 2, name);
}

static void draw_epochs(const struct proa_figure_drawing *drawing)
{
    for (int i = 0; i < drawing->figure->epoch_count; i++) {
        const struct proa_model_epoch *epoch = &drawing->figure->epochs[i];
        const double x = proa_figure_x(drawing, epoch->process),
                     y = proa_figure_y(drawing, epoch->begin_ns);
        const double height = proa_figure_y(drawing, epoch->end_ns) - y;
        const int off = LANE * lane_of(drawing->figure, i);

        if (epoch->kind != PROA_MODEL_EXPOSURE)
            draw_shade(drawing, epoch, x - LANE - off - 2, y, height);
        if (epoch->kind == PROA_MODEL_EXPOSURE || epoch->kind == PROA_MODEL_FENCE)
            draw_shade(drawing, epoch, x + off + 2, y, height);
    }
}

/* Draws names over arrows. */
static void draw_epoch_names(const struct proa_figure_drawing *drawing)
{
    for (int i = 0; i < drawing->figure->epoch_count; i++) {
        const struct proa_model_epoch *epoch = &drawing->figure->epochs[i];
        const double y = proa_figure_y(drawing, epoch->begin_ns);
        const double off = LANE * (lane_of(drawing->figure, i) + 1) + 16;

        draw_epoch_name(drawing, epoch,
                        proa_figure_x(drawing, epoch->process) +
                            (epoch->kind == PROA_MODEL_EXPOSURE ? off + 8 : -off),
                        y, proa_figure_y(drawing, epoch->end_ns) - y);
    }
}

static const char *class_of(const struct proa_figure_event *event)
{
    if (event->kind == PROA_EVENT_FINDING || event->mode & PROA_TRACE_FAILED)
        return "finding";
    if (event->kind == PROA_EVENT_MOVED)
        return "moved";
    return event->kind == PROA_EVENT_CALL ? "call" : "operation";
}

static void draw_bar(const struct proa_figure_drawing *drawing,
                     const struct proa_figure_event *event)
{
    const double x = proa_figure_x(drawing, event->process),
                 y = proa_figure_y(drawing, event->begin_ns);

    fprintf(drawing->out, "<rect class=\"%s\" x=\"%g\" y=\"%g\" width=\"8\" height=\"%g\"/>\n",
            class_of(event), x - 4, y, proa_figure_y(drawing, event->end_ns) - y);
    if (event->wait_end_ns > event->wait_begin_ns) {
        const double from = larger(y, proa_figure_y(drawing, event->wait_begin_ns));

        fprintf(drawing->out,
                "<rect class=\"wait\" x=\"%g\" y=\"%g\" width=\"12\" height=\"%g\"/>\n", x - 6,
                from, larger(0, proa_figure_y(drawing, event->wait_end_ns) - from));
    }
}

static void draw_name(const struct proa_figure_drawing *drawing,
                      const struct proa_figure_event *event)
{
    const double x = proa_figure_x(drawing, event->process),
                 y = proa_figure_y(drawing, event->begin_ns);

    fprintf(drawing->out,
            "<g class=\"event\" data-rank=\"%d\" data-call=\"%s\"><rect class=\"%s\" x=\"%g\" "
            "y=\"%g\" width=\"%g\" height=\"%d\" rx=\"5\"/><text class=\"on\" x=\"%g\" y=\"%g\" "
            "text-anchor=\"middle\">%s</text></g>\n",
            drawing->figure->model->processes[event->process].rank, event->name, class_of(event),
            x - proa_figure_half(event), y - NAME_HALF, 2 * proa_figure_half(event), 2 * NAME_HALF,
            x, y + 4, event->name);
}

/* ---- arrows ---- */

/* Returns the point at the edge of the event's name if that is near, else at the lifeline. */
static struct proa_figure_point end_at(const struct proa_figure_drawing *drawing,
                                       const struct proa_figure_event *event, int process,
                                       int64_t ns, double toward)
{
    const double x = proa_figure_x(drawing, process), y = proa_figure_y(drawing, ns),
                 side = toward > x ? 1 : -1;
    const double at = event ? proa_figure_y(drawing, event->begin_ns) : 0;

    if (event && fabs(at - y) < NAME_HALF + 4)
        return (struct proa_figure_point){x + side * (proa_figure_half(event) + 1), at};
    return (struct proa_figure_point){x + side * 7, y};
}

static void draw_line(const struct proa_figure_drawing *drawing, const char *kind,
                      struct proa_figure_point from, struct proa_figure_point to, bool ahead,
                      bool back)
{
    const char tip = strcmp(kind, "data") == 0 ? 'd' : 's';

    fprintf(drawing->out, "<path class=\"%s\" data-kind=\"%s\" d=\"M%g %gL%g %g\"",
            tip == 'd' ? "data" : "sync", kind, from.x, from.y, to.x, to.y);
    if (ahead)
        fprintf(drawing->out, " marker-end=\"url(#%c)\"", tip);
    if (back)
        fprintf(drawing->out, " marker-start=\"url(#%c)\"", tip);
    fputs("/>\n", drawing->out);
}

static void draw_synchronization(const struct proa_figure_drawing *drawing)
{
    for (int i = 0; i < drawing->figure->arrow_count; i++) {
        const struct proa_model_arrow *arrow = &drawing->figure->arrows[i];

        if (arrow->kind == PROA_ARROW_DATA)
            continue;
        draw_line(drawing, proa_arrow_names[arrow->kind],
                  end_at(drawing, proa_figure_event_of(drawing, arrow->from.event),
                         arrow->from.process, arrow->from.ns,
                         proa_figure_x(drawing, arrow->to.process)),
                  end_at(drawing, proa_figure_event_of(drawing, arrow->to.event), arrow->to.process,
                         arrow->to.ns, proa_figure_x(drawing, arrow->from.process)),
                  true, false);
    }
}

/* Returns the arrow to the place and time of its application, which is recorded separately between
 * nodes. Returns NULL on one node, where it is within the call. */
static const struct proa_model_arrow *delivery_of(const struct proa_figure_drawing *drawing,
                                                  const struct proa_figure_event *event)
{
    for (int i = 0; i < drawing->figure->arrow_count; i++) {
        const struct proa_model_arrow *arrow = &drawing->figure->arrows[i];

        if (arrow->kind == PROA_ARROW_DATA && arrow->from.event == event->id)
            return arrow;
    }
    return NULL;
}

/* Draws the text above the arrow, in its middle or to a side of that, clear of other such texts. */
static void draw_bytes(struct proa_figure_drawing *drawing, struct proa_figure_point from,
                       struct proa_figure_point to, uint64_t bytes)
{
    static const double places[] = {0.5, 0.3, 0.7, 0.15, 0.85};
    struct proa_figure_point at = from;

    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        bool is_free;

        at = (struct proa_figure_point){from.x + places[i] * (to.x - from.x),
                                        from.y + places[i] * (to.y - from.y) - 5};
        is_free = abs((int)(at.x - PROA_FIGURE_LEFT) % PROA_FIGURE_COLUMN -
                      PROA_FIGURE_COLUMN / 2) > 24; /* of lifelines */
        for (int j = 0; j < drawing->text_count; j++)
            is_free &=
                fabs(drawing->texts[j].x - at.x) > 40 || fabs(drawing->texts[j].y - at.y) > 13;
        if (is_free)
            break;
    }
    drawing->texts[drawing->text_count++] = at;
    fprintf(drawing->out,
            "<text class=\"over\" x=\"%g\" y=\"%g\" text-anchor=\"middle\">%" PRIu64 " B</text>\n",
            at.x, at.y, bytes);
}

static void draw_data(struct proa_figure_drawing *drawing, const struct proa_figure_event *event)
{
    const bool is_get = strcmp(event->name, "get") == 0 || strcmp(event->name, "rget") == 0;
    const bool is_both = strstr(event->name, "fetch") || strstr(event->name, "get_acc") ||
                         strstr(event->name, "compare");
    const int64_t issued_ns =
        event->wait_end_ns > event->begin_ns ? event->wait_end_ns : event->begin_ns;
    const struct proa_model_arrow *delivery = delivery_of(drawing, event);
    struct proa_figure_point from, to;

    if (event->target < 0 || event->target == event->process)
        return;
    from = end_at(drawing, event, event->process, issued_ns, proa_figure_x(drawing, event->target));
    to = end_at(drawing, delivery ? proa_figure_event_of(drawing, delivery->to.event) : NULL,
                event->target, delivery ? delivery->to.ns : event->end_ns, from.x);
    to.y = larger(to.y, from.y + 10);
    draw_line(drawing, "data", from, to, !is_get, is_get || is_both);
    draw_bytes(drawing, from, to, event->bytes);
}

/* ---- the figure ---- */

static void draw_head(const struct proa_figure_drawing *drawing)
{
    const struct proa_figure *figure = drawing->figure;
    const int width = PROA_FIGURE_LEFT + PROA_FIGURE_COLUMN * drawing->columns + 16;
    const char *name = figure->model->windows[figure->window].shown;

    fprintf(drawing->out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %g\" width=\"%d\" "
            "height=\"%g\" role=\"img\">\n<title>Window %d",
            width, drawing->bottom + 40, width, drawing->bottom + 40, figure->window + 1);
    for (fputs(*name ? " " : "", drawing->out); *name; name++) {
        if (strchr("<>&", *name))
            fprintf(drawing->out, "&#%d;", *name);
        else
            fputc(*name, drawing->out);
    }
    fprintf(drawing->out, ": epochs %" PRIu64 " to %" PRIu64 "</title>\n", figure->first,
            figure->last);
    draw_style(drawing);
}

static void draw_legend(const struct proa_figure_drawing *drawing)
{
    const double y = drawing->bottom + 20;

    fprintf(drawing->out,
            "<path class=\"data\" d=\"M%d %gh34\" marker-end=\"url(#d)\"/>"
            "<text class=\"small\" x=\"%d\" y=\"%g\">data</text>"
            "<path class=\"sync\" d=\"M%d %gh34\" marker-end=\"url(#s)\"/>"
            "<text class=\"small\" x=\"%d\" y=\"%g\">synchronization</text>"
            "<rect class=\"wait\" x=\"%d\" y=\"%g\" width=\"12\" height=\"14\"/>"
            "<text class=\"small\" x=\"%d\" y=\"%g\">waits</text>\n",
            PROA_FIGURE_LEFT, y, PROA_FIGURE_LEFT + 40, y + 4, PROA_FIGURE_LEFT + 84, y,
            PROA_FIGURE_LEFT + 124, y + 4, PROA_FIGURE_LEFT + 224, y - 7, PROA_FIGURE_LEFT + 242,
            y + 4);
    fprintf(drawing->out,
            "<text class=\"small\" x=\"%d\" y=\"36\" text-anchor=\"end\">time "
            "&#8595;</text>\n",
            PROA_FIGURE_LEFT - 12);
}

void proa_figure_draw(const struct proa_figure *figure, FILE *out)
{
    struct proa_figure_drawing drawing = {.figure = figure, .out = out};

    drawing.texts = proa_need(NULL, (size_t)(figure->event_count + 1) * sizeof *drawing.texts);
    proa_figure_lay_rows(&drawing);
    proa_figure_lay_columns(&drawing);
    draw_head(&drawing);
    draw_rows(&drawing);
    draw_epochs(&drawing);
    draw_lives(&drawing);
    draw_synchronization(&drawing);
    for (int i = 0; i < figure->event_count; i++)
        draw_bar(&drawing, &figure->events[i]);
    for (int i = 0; i < figure->event_count; i++)
        if (figure->events[i].kind == PROA_EVENT_OPERATION)
            draw_data(&drawing, &figure->events[i]);
    draw_epoch_names(&drawing);
    for (int i = 0; i < figure->event_count; i++)
        draw_name(&drawing, &figure->events[i]);
    draw_legend(&drawing);
    fputs("</svg>\n", out);
    free(drawing.texts);
    free(drawing.moments);
    free(drawing.column_of);
}
