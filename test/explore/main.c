/* SPDX-License-Identifier: BSD-3-Clause */
/* The program: runs scenarios, or weakens each order in turn (README.md). */
#include "core.h"
#include "orders.h"
#include "base/atomic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <signal.h>
#include <sys/time.h>

extern const struct explore_scenario explore_selftest[], explore_bells[], explore_locks[],
    explore_epochs[], explore_table[], explore_guards[], explore_requests[], explore_permits[],
    explore_arenas[], explore_segments[], explore_regions[], explore_progress[], explore_batches[],
    explore_adoption[], explore_counters[], explore_rosters[], explore_boards[], explore_traces[],
    explore_types[], explore_thread_calls[], explore_doze[], explore_waits[], explore_greqs[],
    explore_shadows[], explore_presences[], explore_combines[];

static const struct explore_scenario *const groups[] = {
    explore_selftest, explore_bells,    explore_locks,   explore_epochs,    explore_table,
    explore_guards,   explore_requests, explore_permits, explore_arenas,    explore_segments,
    explore_regions,  explore_progress, explore_batches, explore_adoption,  explore_counters,
    explore_rosters,  explore_boards,   explore_traces,  explore_types,     explore_thread_calls,
    explore_waits,    explore_greqs,    explore_shadows, explore_presences, explore_combines,
#ifdef PROA_HAS_LIBFABRIC
    explore_doze,
#endif
};

static struct {
    int deeper, lists, traces, weakens;
    long most, random;
    uint64_t seed;
} options = {.most = 20000000, .seed = 1};

static const char usage[] =
    "usage: explore [OPTION]... [NAME]...\n"
    "Runs the scenarios of these names, or all.\n"
    "  --list           prints their names\n"
    "  --deeper N       raises the bounds of each scenario by N\n"
    "  --most N         the most executions of a scenario\n"
    "  --random N       runs that many executions by chance instead\n"
    "  --seed N         of them\n"
    "  --trace          prints the operations of a failed execution\n"
    "  --orders         prints for each order whether an error is found with a weaker one\n";

/* ---- crashes and endless loops end an execution ---- */

static void crashed(int number)
{
    explore_fail("signal %d: %s", number, strsignal(number));
}

static void ticked(int number)
{
    static long before;

    (void)number;
    if (explore_executions == before && explore_thread() >= 0)
        explore_fail("an execution does not end");
    before = explore_executions;
}

static void catch (void)
{
    static char stack[1 << 16];
    struct itimerval tick = {{5, 0}, {5, 0}};
    struct sigaction action = {.sa_handler = crashed, .sa_flags = SA_ONSTACK | SA_NODEFER};

    sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof stack}, NULL);
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGBUS, &action, NULL);
    sigaction(SIGFPE, &action, NULL);
    sigaction(SIGABRT, &action, NULL); /* an assertion of utlist */
    action.sa_handler = ticked;
    sigaction(SIGVTALRM, &action, NULL);
    setitimer(ITIMER_VIRTUAL, &tick, NULL);
}

/* ---- scenarios ---- */

static int bound(int given)
{
    return given == 0 ? 2 : given < 0 ? 0 : given;
}

static enum explore_result search(const struct explore_scenario *scenario, long *runs)
{
    int deeper = options.random ? 100 : options.deeper,
        preemptions = bound(scenario->preemptions) + deeper;
    struct explore_bounds bounds = {.stale = bound(scenario->stale) + deeper,
                                    .random = options.random != 0,
                                    .most = options.random ? options.random : options.most,
                                    .seed = options.seed};
    enum explore_result result = EXPLORE_ALL;

    explore_seams_begin();
    if (scenario->prepare)
        scenario->prepare();
    for (int i = options.random ? preemptions : 0; i <= preemptions && result == EXPLORE_ALL; i++) {
        bounds.preemptions = i;
        result = explore_search(scenario, &bounds, runs);
    }
    return result;
}

/* Returns whether all is as it must be. */
static int run(const struct explore_scenario *scenario)
{
    static const char *const words[] = {"all executions within the bounds", "cut off", "an error"};
    enum explore_result result;
    const char *found;
    long runs;
    int is_right;

    result = search(scenario, &runs);
    found = result == EXPLORE_FOUND ? explore_failure() : "";
    is_right = scenario->wrong ? strstr(found, scenario->wrong) != NULL : result != EXPLORE_FOUND;
    fprintf(options.weakens ? stderr : stdout, "%s %s: %s, %ld executions%s%s\n",
            is_right ? "right" : "WRONG", scenario->name, words[result], runs,
            result == EXPLORE_FOUND ? ": " : "", found);
    if (result == EXPLORE_FOUND && (options.traces || !is_right))
        explore_trace();
    fflush(stdout);
    return is_right;
}

static int is_wanted(const struct explore_scenario *scenario, char **names)
{
    if (!*names)
        return 1;
    while (*names && strncmp(scenario->name, *names, strlen(*names)) != 0)
        names++;
    return *names != NULL;
}

enum { SCENARIOS = 8 * sizeof(((struct explore_place *)0)->scenarios) };
static const struct explore_scenario *wanted[SCENARIOS];
static int wanted_count;

static void want(char **names)
{
    /* the self-test has no places of src/ */
    for (size_t i = options.weakens; i < sizeof groups / sizeof groups[0]; i++)
        for (const struct explore_scenario *s = groups[i]; s->name; s++)
            if (is_wanted(s, names)) {
                if (wanted_count == SCENARIOS) {
                    fputs("explore: more scenarios than struct explore_place has bits\n", stderr);
                    exit(2);
                }
                wanted[wanted_count++] = s;
            }
}

static int run_all(void)
{
    int wrong = wanted_count == 0;

    for (int i = 0; i < wanted_count; i++) {
        explore_scenario_number = i;
        if (options.lists)
            puts(wanted[i]->name);
        else
            wrong |= !run(wanted[i]);
    }
    return wrong;
}

static int fails(const struct explore_scenario *scenario)
{
    long runs;

    return !scenario->wrong && search(scenario, &runs) == EXPLORE_FOUND;
}

static long number(char *const *arguments)
{
    char *end;
    long value = arguments[1] ? strtol(arguments[1], &end, 10) : -1;

    if (value < 0 || *end) {
        fprintf(stderr, "explore: %s needs a number\n%s", arguments[0], usage);
        exit(2);
    }
    return value;
}

int main(int count, char **arguments)
{
    (void)count;
    for (arguments++; *arguments && strncmp(*arguments, "--", 2) == 0; arguments++) {
        if (strcmp(*arguments, "--list") == 0)
            options.lists = 1;
        else if (strcmp(*arguments, "--trace") == 0)
            options.traces = 1;
        else if (strcmp(*arguments, "--orders") == 0)
            options.weakens = 1;
        else if (strcmp(*arguments, "--deeper") == 0)
            options.deeper = (int)number(arguments++);
        else if (strcmp(*arguments, "--most") == 0)
            options.most = number(arguments++);
        else if (strcmp(*arguments, "--random") == 0)
            options.random = number(arguments++);
        else if (strcmp(*arguments, "--seed") == 0)
            options.seed = (uint64_t)number(arguments++);
        else {
            fputs(usage, stderr);
            return 2;
        }
    }
    catch ();
    want(arguments);
    if (run_all())
        return 1;
    if (options.weakens)
        explore_orders(wanted, wanted_count, fails);
    return 0;
}
