/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Weakening: each order of each place of src/ that a scenario comes to is made weaker in turn, and
 * the scenarios that come there are searched for an error. Prints a table in Markdown: the orders
 * with which a scenario fails, and those with which none does.
 */
#include "core.h"
#include "orders.h"
#include "base/atomic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PLACES = 400, WEAKER = 5 };

/* The orders weaker than one, the weakest first; -1 ends them. relaxed, of a fence: none. */
static const int *weaker(const struct explore_place *place)
{
    static const int load[] = {PROA_RELAXED, PROA_ACQUIRE, -1},
                     store[] = {PROA_RELAXED, PROA_RELEASE, -1},
                     change[] = {PROA_RELAXED, PROA_ACQUIRE, PROA_RELEASE, PROA_ACQ_REL, -1},
                     fence[] = {PROA_RELAXED, PROA_ACQ_REL, -1},
                     heavy[] = {PROA_RELAXED, PROA_SEQ_CST, -1}, one[] = {PROA_RELAXED, -1},
                     both[] = {PROA_RELAXED, PROA_ACQUIRE, PROA_RELEASE, -1}, none[] = {-1};
    int is_fence = place->word[0] == 0, is_load = strcmp(place->operation, "load") == 0 ||
                                                  strstr(place->operation, "failed") != NULL;

    switch (place->order) {
    case PROA_RELAXED:
        return none;
    case PROA_ACQ_REL:
        return both;
    case PROA_SEQ_CST:
        return is_fence                                 ? fence
               : is_load                                ? load
               : strcmp(place->operation, "store") == 0 ? store
                                                        : change;
    case EXPLORE_HEAVY:
        return heavy;
    default:
        return one;
    }
}

static int compare(const void *left, const void *right)
{
    const struct explore_place *a = *(struct explore_place *const *)left,
                               *b = *(struct explore_place *const *)right;
    int by_path = strcmp(explore_path(a), explore_path(b));

    return by_path              ? by_path
           : a->line != b->line ? a->line - b->line
                                : strcmp(a->operation, b->operation);
}

static int places_collect(struct explore_place **list)
{
    int count = 0;

    for (struct explore_place *p = explore_places; p && count < PLACES; p = p->next)
        if (explore_path(p) && weaker(p)[0] >= 0)
            list[count++] = p;
    qsort(list, (size_t)count, sizeof *list, compare);
    return count;
}

/* The name of a scenario that fails with this order at the place; NULL: none does. */
static const char *noticed_by(struct explore_place *place, int order,
                              const struct explore_scenario *const *scenarios, int count,
                              explore_fails *fails)
{
    const char *name = NULL;

    place->weak = order;
    for (int i = 0; i < count && !name; i++) {
        explore_scenario_number = i;
        if (place->scenarios[i / 64] >> i % 64 & 1 && fails(scenarios[i]))
            name = scenarios[i]->name;
    }
    place->weak = -1;
    return name;
}

static const char *said(const struct explore_place *place, int order)
{
    return place->word[0] == 0 && order == PROA_RELAXED ? "none" : explore_order_name(order);
}

/* A name that a scenario has had to change ends in _. */
static int length_of(const char *function)
{
    size_t length = strlen(function);

    return (int)(length && function[length - 1] == '_' ? length - 1 : length);
}

/* Returns whether any weaker order goes unnoticed. */
static int row(struct explore_place *place, const struct explore_scenario *const *scenarios,
               int count, explore_fails *fails)
{
    char noticed[600] = "", passed[100] = "";
    const char *name;

    for (const int *order = weaker(place); *order >= 0; order++) {
        /* where the weakest order passes, so do those between */
        name = passed[0] && order == weaker(place) + 1
                   ? NULL
                   : noticed_by(place, *order, scenarios, count, fails);
        if (!name) {
            snprintf(passed + strlen(passed), sizeof passed - strlen(passed), "%s%s",
                     passed[0] ? ", " : "", said(place, *order));
            if (order == weaker(place))
                break;
        } else {
            snprintf(noticed + strlen(noticed), sizeof noticed - strlen(noticed), "%s%s: %s",
                     noticed[0] ? ", " : "", said(place, *order), name);
        }
    }
    if (place->word[0])
        printf("| `%s` | `%.*s` | `%s(%s)` | %s | %s | %s |\n", explore_path(place),
               length_of(place->function), place->function, place->operation, place->word,
               said(place, place->order), noticed, passed);
    else
        printf("| `%s` | `%.*s` | `%s` | %s | %s | %s |\n", explore_path(place),
               length_of(place->function), place->function, place->operation,
               said(place, place->order), noticed, passed);
    fflush(stdout);
    return passed[0] != 0;
}

void explore_orders(const struct explore_scenario *const *scenarios, int count,
                    explore_fails *fails)
{
    static struct explore_place *list[PLACES];
    int places = places_collect(list), passed = 0;

    puts("| file | function | operation | order | noticed with | not noticed with "
         "|\n|---|---|---|---|---|---|");
    for (int i = 0; i < places; i++)
        passed += row(list[i], scenarios, count, fails);
    fprintf(stderr, "%d places; a weaker order goes unnoticed at %d\n", places, passed);
}
