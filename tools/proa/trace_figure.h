/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A picture of some epochs, as in the standard's figures: ranks as lifelines, time downward, dashed
 * arrows for synchronization and solid ones for data.
 *
 *   trace_figure.c       collects what belongs to the epochs
 *   trace_figure_layout.c  lays it out
 *   trace_figure_draw.c  writes it as SVG
 */
#ifndef PROA_TOOL_TRACE_FIGURE_H
#define PROA_TOOL_TRACE_FIGURE_H

#include "model.h"

#include <stdbool.h>
#include <stdio.h>

/* An event of the picture, and its name there. */
struct proa_figure_event {
    uint64_t id;
    enum proa_event_kind kind;
    int process, target; /* target: process; -1 for none */
    int64_t begin_ns, end_ns;
    int64_t wait_begin_ns, wait_end_ns; /* bounds of all its waits; equal for none */
    uint64_t bytes, epoch;
    unsigned mode;
    char name[32]; /* "put" */
};

struct proa_figure {
    struct proa_model *model;
    int window;
    uint64_t first, last;
    int epoch_count, event_count, arrow_count;
    struct proa_model_epoch *epochs;
    struct proa_figure_event *events; /* by id */
    struct proa_model_arrow *arrows;
    uint64_t *closed; /* number of epochs so far: by process, exposures apart */
    bool is_full;
};

/* Writes the picture. wish: "WINDOW:FIRST-LAST", numbers from 1: each process's epochs on that
 * window, counted in the order of their ends, exposure epochs apart from others. Returns 0, or -1
 * after an error message. */
int proa_trace_write_figure(struct proa_model *model, const char *wish, FILE *out);

/* Draws the collected epochs, at least one. */
void proa_figure_draw(const struct proa_figure *figure, FILE *out);

#endif
