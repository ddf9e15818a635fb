/* SPDX-License-Identifier: BSD-3-Clause */
/* See orders.c. */
#ifndef PROA_EXPLORE_ORDERS_H
#define PROA_EXPLORE_ORDERS_H

#include "explore.h"

/* Searches a scenario. Returns whether an error was found. */
typedef int explore_fails(const struct explore_scenario *scenario);

/* The scenarios have been searched, each with its number in explore_scenario_number. */
void explore_orders(const struct explore_scenario *const *scenarios, int count,
                    explore_fails *fails);

#endif
