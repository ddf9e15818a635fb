/* SPDX-License-Identifier: BSD-3-Clause */
/* The bodies of limit that all processes of a team run at once: on one word, one lock, one table,
 * or with both neighbours of a ring. */
#ifndef BENCH_TOGETHER_H
#define BENCH_TOGETHER_H

#include "team.h"

team_body together_counter, together_mutex, together_random;
team_body together_halo_fence, together_halo_pscw, together_halo_notify, together_pipeline;

#endif
