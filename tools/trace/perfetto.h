/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A trace in Perfetto's own form (packets.h), for https://ui.perfetto.dev:
 *
 *   a process     a rank; its number of a process is 1 + its index in the model
 *   a thread      its calls, with waits in them; messages of Proa's as instants
 *   other tracks  access epochs, exposure epochs, operations that were applied here: as many as
 *                 overlap, alike named, which the page draws as one
 *   a flow        an arrow of the model, from the beginning of a call to the end of another
 *   a counter     bytes of operations over the network that have been issued and are not complete
 */
#ifndef PROA_TRACE_PERFETTO_H
#define PROA_TRACE_PERFETTO_H

#include "model.h"

#include <stdio.h>

/* Writes the trace. The caller checks the stream for errors. */
void proa_perfetto_write(struct proa_model *model, FILE *out);

#endif
