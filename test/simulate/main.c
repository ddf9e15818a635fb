/* SPDX-License-Identifier: BSD-3-Clause */
/* The program: tables of what calls cost, and bounds that hold. See README.md. */
#include "bounds.h"
#include "scenarios.h"

#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct row {
    const char *name, *of; /* of each mark, by commas; "-": it is not printed */
    simulate_body *body;
    int k;
    void (*hears)(int rank, const struct proa_wire_head *head, long at); /* not NULL: a storm */
    const char *values;
};

static const struct row rows[] = {
    {"create", "first,further,free,host", simulate_create, 0, NULL, NULL},
    {"fence", "empty,puts", simulate_fence, 4, NULL, NULL},
    {"pscw", "first,back", simulate_pscw, 4, NULL, NULL},
    {"lock", "first,next,hot,all", simulate_lock, 8, NULL, NULL},
    {"lock_all", "lock,flush,unlock,again", simulate_lock_all, 32, NULL, NULL},
    {"notify", "-,first,further", simulate_notify, 0, NULL, NULL},
    {"death", "-,told", simulate_death, 1, NULL, NULL},
    {"node_death", "-,told", simulate_death, INT_MAX, NULL, NULL},
    {"hot_lock", "waiters", simulate_hot_lock, 0, simulate_hears_lock,
     "a waiter was overtaken by %ld others; looks at waiters: %ld"},
    {"crowd", "waiters", simulate_crowd, 0, simulate_hears_lock, "heap of the target: %ld bytes"},
    {"recall", "all", simulate_recall, 0, simulate_hears_room, "messages of the keeper: %ld"},
    {"storm", "puts", simulate_storm, 4, simulate_hears_put, "heap of the target: %ld bytes"},
};

enum { ROWS = sizeof rows / sizeof *rows };

static int checks, checks_all, partners;

static int is_death(const struct row *row)
{
    return row->body == simulate_death;
}

/* ---- a row ---- */

static void print_head(void)
{
    if (!checks)
        printf("%-18s %8s %8s %12s %10s %6s %10s %10s\n", "call", "ranks", "a node", "us",
               "messages", "most", "KiB/rank", "gathered");
}

static int show_mark(const struct row *row, const char *of, const struct simulate_plan *plan,
                     const struct simulate_counts *counts)
{
    char call[64];

    snprintf(call, sizeof call, "%s.%.*s", row->name, (int)strcspn(of, ","), of);
    if (checks)
        return simulate_hold_mark(call, plan, counts);
    printf("%-18s %8d %8d %12.3f %10ld %6ld %10.1f %10ld\n", call, plan->ranks, plan->per_node,
           (double)counts->ns / 1000, counts->messages, counts->most, (double)counts->memory / 1024,
           counts->gathered);
    return 0;
}

static int show_values(const struct row *row, const struct simulate_plan *plan,
                       const struct simulate_result *result)
{
    if (checks)
        return simulate_hold_values(row->name, plan, result->values);
    if (row->values) {
        printf("    ");
        printf(row->values, result->values[0], result->values[1]);
        printf("\n");
    }
    return 0;
}

static int run_row(const struct row *row, struct simulate_plan plan)
{
    struct simulate_result result;
    struct simulate_numbers numbers = {partners && row->k && !is_death(row) ? partners : row->k};
    const char *of = row->of;
    int failed = 0;

    plan.body = row->body;
    plan.arg = &numbers;
    plan.hears = row->hears;
    if (row->hears)
        plan.real = plan.per_node = 1;
    if (plan.real < plan.ranks && is_death(row)) {
        fprintf(stderr, "simulate: %s is for simulations in which all ranks run\n", row->name);
        return 1;
    }
    if (simulate_run(&plan, &result))
        return 1;
    for (int i = 1; i < result.marks; i++) {
        if (*of != '-')
            failed |= show_mark(row, of, &plan, &result.counts[i]);
        of += strcspn(of, ",");
        of += *of == ',';
    }
    return failed | show_values(row, &plan, &result);
}

static int run_rows(struct simulate_plan plan, int names, char *const *name)
{
    int failed = 0;

    for (int i = 0; i < ROWS; i++) {
        int wanted = names == 0;

        for (int k = 0; k < names; k++)
            wanted |= !strcmp(name[k], rows[i].name);
        if (wanted)
            failed |= run_row(&rows[i], plan);
    }
    return failed;
}

/* All rows on a few sizes; all: on larger ones too, which take ten times as long. */
static int check(int all, int names, char *const *name)
{
    static const struct simulate_plan plans[] = {{.ranks = 2, .real = 2, .per_node = 1},
                                                 {.ranks = 30, .real = 30, .per_node = 4},
                                                 {.ranks = 64, .real = 64, .per_node = 1},
                                                 {.ranks = 128, .real = 128, .per_node = 1},
                                                 {.ranks = 256, .real = 256, .per_node = 16}};
    enum { FEW = 3 };
    static const struct simulate_plan many = {.ranks = 102400, .real = 4, .per_node = 4};
    static char create[] = "create", *const created[] = {create};
    int failed = 0;

    checks = 1;
    for (size_t i = 0; i < (all ? sizeof plans / sizeof *plans : FEW); i++)
        failed |= run_rows(plans[i], names, name);
    if (all && names == 0)
        failed |= run_rows(many, 1, created);
    return failed;
}

/* ---- the command ---- */

static const struct option options[] = {{"ranks", 1, NULL, 'r'},    {"real", 1, NULL, 'R'},
                                        {"per-node", 1, NULL, 'n'}, {"latency", 1, NULL, 'L'},
                                        {"overhead", 1, NULL, 'o'}, {"gap", 1, NULL, 'g'},
                                        {"byte", 1, NULL, 'G'},     {"noise", 1, NULL, 'N'},
                                        {"noise-ns", 1, NULL, 'M'}, {"slow", 1, NULL, 's'},
                                        {"slowly", 1, NULL, 'S'},   {"partners", 1, NULL, 'k'},
                                        {"check", 0, NULL, 'c'},    {"all", 0, NULL, 'a'},
                                        {"help", 0, NULL, 'h'},     {0}};

static void usage(void)
{
    printf(
        "simulate [OPTION...] [NAME...]    prints what calls cost in a window over many nodes\n"
        "--ranks N        of the window (64)\n"
        "--real N         the first N run the core, the others mirror them (all run it)\n"
        "--per-node N     ranks of a node (4)\n"
        "--partners K     of a rank, in the rows that have some (fence, pscw 4, lock_all 32, lock "
        "8)\n"
        "--latency NS     of a message (1000); --overhead NS: of its sender and its receiver "
        "(300)\n"
        "--gap NS         between two messages of a process (100); --byte NS: for each byte (0.1)\n"
        "--noise N        of 100 messages meet other work, which takes --noise-ns NS (1000)\n"
        "--slow RANK      this one is --slowly N times as slow (10)\n"
        "--check          prints nothing but bounds that do not hold, on a few sizes; --check "
        "--all: on "
        "larger ones too\n"
        "The names:");
    for (int i = 0; i < ROWS; i++)
        printf(" %s", rows[i].name);
    printf("\n");
}

static int set(int option, const char *value, struct simulate_plan *plan)
{
    struct simulate_model *m = &simulate_model;
    int *numbers[] = {
        ['r'] = &plan->ranks, ['R'] = &plan->real, ['n'] = &plan->per_node, ['N'] = &m->noise,
        ['s'] = &m->slow,     ['S'] = &m->slowly,  ['k'] = &partners};
    long *times[] = {
        ['L'] = &m->latency, ['o'] = &m->overhead, ['g'] = &m->gap, ['M'] = &m->noise_ns};

    if (option == 'c')
        checks = 1;
    else if (option == 'a')
        checks = checks_all = 1;
    else if (option == 'G')
        m->byte = atof(value);
    else if (option < (int)(sizeof numbers / sizeof *numbers) && numbers[option])
        *numbers[option] = atoi(value);
    else if (option < (int)(sizeof times / sizeof *times) && times[option])
        *times[option] = atol(value);
    else
        return 0;
    return 1;
}

int main(int argc, char **argv)
{
    struct simulate_plan plan = {.ranks = 64, .per_node = 4};
    int option;

    while ((option = getopt_long(argc, argv, "", options, NULL)) >= 0)
        if (!set(option, optarg, &plan)) {
            usage();
            return option == 'h' ? 0 : 2;
        }
    if (checks)
        return check(checks_all, argc - optind, argv + optind);
    if (!plan.real || plan.real > plan.ranks)
        plan.real = plan.ranks;
    if (plan.real < plan.ranks && (plan.real != plan.per_node || plan.ranks % plan.per_node)) {
        fprintf(stderr, "simulate: --real is --per-node, and --ranks a multiple of it\n");
        return 2;
    }
    print_head();
    return run_rows(plan, argc - optind, argv + optind);
}
