/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Words and the values that loads may return: C11's memory model (7.17.3, 5.1.2.4), with the total
 * order of sequentially consistent operations as C++20 has it (P0668).
 *
 * Each word has all its stores, in the order in which they are made. Each thread has a vector
 * clock: the operations of each thread that happen before its next one. A load may return any store
 * that is not older than one that it must know: one that the thread, or a thread whose accesses
 * happen before, has stored or loaded. The total order of sequentially consistent operations is the
 * order in which they are executed. `known` has the accesses that sequentially consistent fences
 * add: they bound the values of loads, but order no plain data.
 *
 * The fences of membarrier(2) are those of P1202: a light and a heavy one are ordered as two
 * sequentially consistent ones, two light ones are not.
 *
 * Not seen: loads that return a value stored later (load buffering), and stores to two words that
 * two threads see in other orders than both were made in (2+2W).
 */
#include "core.h"
#include "base/atomic.h"

#include <stdio.h>
#include <string.h>

enum { WORDS = 4096, STORES = 16384, STORES_EACH = 600, SEEN = 65536, EVENTS = 16384 };

/* The operations that an operation comes after. */
struct view {
    uint16_t clock[EXPLORE_THREADS], known[EXPLORE_THREADS];
    uint32_t fence; /* the latest sequentially consistent fence, by its number among all steps */
};

struct store {
    uint64_t value;
    struct view released; /* for loads that acquire */
};

/* An access, with its thread's clock then, or the number of its step. */
struct seen {
    uint32_t when;
    uint16_t store, older;
};

struct word {
    const volatile void *address;
    uint32_t execution;       /* that the rest is of */
    uint8_t readers, writers; /* in all executions: a bit for each thread */
    size_t size;
    int stores, settled;
    uint16_t store[STORES_EACH];
    uint16_t seen[EXPLORE_THREADS], ordered; /* accesses; those that are sequentially consistent */
    int last_ordered;
    uint32_t changed[EXPLORE_THREADS]; /* the step of a thread's last store of another value */
};

static struct word words[WORDS];
static struct store stores[STORES];
static struct seen seen[SEEN];
static uint16_t stores_used, seen_used;
static uint32_t execution, step;

static struct {
    struct view now, acquired /* by relaxed loads */, released /* by a fence */, light;
    uint32_t heavy; /* the step of its last heavy fence */
} threads[EXPLORE_THREADS];
static int thread_count;
static struct view all_fences, heavy_fences;

/* ---- the trace ---- */

static struct event {
    const struct explore_place *place;
    const char *what;
    uint64_t value, before;
    int thread, order, age, is_change;
} events[EVENTS];
static int event_count;

struct explore_place *explore_places;
int explore_scenario_number;

static struct event *event(const struct explore_place *place, uint64_t value)
{
    struct event *e = &events[event_count < EVENTS - 1 ? event_count++ : event_count];

    *e = (struct event){.place = place, .value = value, .thread = explore_thread()};
    return e;
}

void explore_note(const char *what, uint64_t value)
{
    event(NULL, value)->what = what;
}

const char *explore_order_name(int order)
{
    return order == PROA_RELAXED    ? "relaxed"
           : order == PROA_ACQUIRE  ? "acquire"
           : order == PROA_RELEASE  ? "release"
           : order == PROA_ACQ_REL  ? "acq_rel"
           : order == PROA_SEQ_CST  ? "seq_cst"
           : order == EXPLORE_LIGHT ? "light"
                                    : "heavy";
}

static void event_print(const struct event *e)
{
    printf("  %*s%d  ", 4 * e->thread, "", e->thread);
    if (!e->place) {
        printf("%s %#llx\n", e->what, (unsigned long long)e->value);
        return;
    }
    printf("%s(%s) %s", e->place->operation, e->place->word,
           explore_order_name(explore_order(e->place)));
    if (e->is_change)
        printf(" %#llx -> %#llx", (unsigned long long)e->before, (unsigned long long)e->value);
    else if (e->place->word[0])
        printf(" %#llx", (unsigned long long)e->value);
    if (e->age)
        printf(", %d stores old", e->age);
    printf("    %s, %s:%d\n", e->place->function, e->place->file, e->place->line);
}

void explore_trace(void)
{
    for (int i = 0; i < event_count; i++)
        event_print(&events[i]);
}

/* ---- places ---- */

const char *explore_path(const struct explore_place *place)
{
    const char *path = strstr(place->file, "src/");

    return path ? path + strlen("src/") : NULL;
}

static int is_same_file(const struct explore_place *a, const struct explore_place *b)
{
    const char *path = explore_path(a), *other = explore_path(b);

    return strcmp(path ? path : a->file, other ? other : b->file) == 0;
}

static struct explore_place *place_known(struct explore_place *place)
{
    struct explore_place *p = explore_places;

    if (place->same)
        return place->same;
    while (p && (p->line != place->line || !is_same_file(p, place) ||
                 strcmp(p->function, place->function) != 0 || /* a macro may make several */
                 strcmp(p->operation, place->operation) != 0 || strcmp(p->word, place->word) != 0))
        p = p->next;
    if (!p) {
        p = place;
        p->next = explore_places;
        explore_places = p;
    }
    return place->same = p;
}

int explore_order(const struct explore_place *place)
{
    return place->same->weak >= 0 ? place->same->weak : place->order;
}

/* Notes that the place was come to. Returns its order. */
static int order_at(struct explore_place *place)
{
    struct explore_place *known = place_known(place);

    known->scenarios[explore_scenario_number / 64] |= 1ull << explore_scenario_number % 64;
    return explore_order(known);
}

static int acquires(int order)
{
    return order == PROA_ACQUIRE || order == PROA_ACQ_REL || order == PROA_SEQ_CST ||
           order == EXPLORE_HEAVY;
}

static int releases(int order)
{
    return order == PROA_RELEASE || order == PROA_ACQ_REL || order == PROA_SEQ_CST ||
           order == EXPLORE_HEAVY;
}

/* ---- views ---- */

static void view_join(struct view *to, const struct view *from)
{
    for (int i = 0; i < thread_count; i++) {
        to->clock[i] = to->clock[i] > from->clock[i] ? to->clock[i] : from->clock[i];
        to->known[i] = to->known[i] > from->known[i] ? to->known[i] : from->known[i];
    }
    to->fence = to->fence > from->fence ? to->fence : from->fence;
}

/* The operations before `from` are known. */
static void view_know(struct view *to, const struct view *from)
{
    for (int i = 0; i < thread_count; i++) {
        to->known[i] = to->known[i] > from->clock[i] ? to->known[i] : from->clock[i];
        to->known[i] = to->known[i] > from->known[i] ? to->known[i] : from->known[i];
    }
}

void explore_memory_reset(int count)
{
    memset(threads, 0, sizeof threads);
    all_fences = heavy_fences = (struct view){0};
    thread_count = count;
    execution++;
    stores_used = 0;
    seen_used = 1; /* 0: none */
    event_count = 0;
    step = 0;
}

void explore_memory_settle(void)
{
    for (int i = 0; i < WORDS; i++)
        if (words[i].execution == execution)
            words[i].settled = words[i].stores - 1;
}

/* ---- words ---- */

static uint64_t raw_load(const volatile void *word, size_t size)
{
    uint64_t value = 0;

    memcpy(&value, (const void *)word, size);
    return value;
}

static uint64_t cut(uint64_t value, size_t size)
{
    return size < 8 ? value & ((1ull << 8 * size) - 1) : value;
}

static void store_add(struct word *word, uint64_t value, const struct view *released)
{
    if (stores_used == STORES - 1 || word->stores == STORES_EACH)
        explore_fail("too many stores in one execution");
    stores[stores_used] = (struct store){.value = value};
    if (released)
        stores[stores_used].released = *released;
    word->store[word->stores++] = stores_used++;
}

static struct word *word_at(const volatile void *address, size_t size)
{
    uintptr_t i = ((uintptr_t)address >> 3) * 0x9e3779b97f4a7c15ull >> 52;
    struct word *word;
    int tries = 0;

    for (i += (uintptr_t)address & 7;; i++) {
        word = &words[i % WORDS];
        if (!word->address || word->address == address)
            break;
        if (++tries == WORDS)
            explore_fail("too many words");
    }
    word->address = address;
    if (word->execution != execution) {
        word->execution = execution;
        word->size = size;
        word->stores = word->settled = word->ordered = 0;
        word->last_ordered = 0;
        memset(word->seen, 0, sizeof word->seen);
        memset(word->changed, 0, sizeof word->changed);
        store_add(word, raw_load(address, size), NULL);
    }
    if (word->size != size)
        explore_fail("a word of %zu bytes is accessed as one of %zu", word->size, size);
    return word;
}

/* A plain store of a thread that has the word to itself is its newest value: explore_plain has
 * looked whether it has. */
static void plain_stores_take_in(struct word *word)
{
    uint64_t there = raw_load(word->address, word->size);

    if (there == stores[word->store[word->stores - 1]].value)
        return;
    store_add(word, there, NULL);
    word->settled = word->stores - 1;
}

/* A word that threads use in ways that another one can notice. */
static int is_shared(const struct word *word)
{
    int all = word->readers | word->writers;

    return word->writers && (all & (all - 1));
}

static void word_used(struct word *word, int writes)
{
    int before = is_shared(word), bit = 1 << explore_thread();

    if (writes)
        word->writers |= (uint8_t)bit;
    else
        word->readers |= (uint8_t)bit;
    if (!before && is_shared(word))
        explore_restart();
}

static int newest_until(uint16_t list, uint32_t when)
{
    while (list && seen[list].when > when)
        list = seen[list].older;
    return list ? seen[list].store : 0;
}

static void seen_add(uint16_t *list, uint32_t when, int store)
{
    if (*list && seen[*list].store == store)
        return;
    if (seen_used == SEEN - 1)
        explore_fail("too many accesses in one execution");
    seen[seen_used] = (struct seen){when, (uint16_t)store, *list};
    *list = seen_used++;
}

/* The oldest store that a load may return. */
static int oldest_for(const struct word *word, int ordered)
{
    const struct view *now = &threads[explore_thread()].now;
    int oldest = word->settled, other;

    for (int i = 0; i < thread_count; i++) {
        uint32_t when = now->clock[i] > now->known[i] ? now->clock[i] : now->known[i];

        if (ordered && all_fences.clock[i] > when)
            when = all_fences.clock[i];
        other = newest_until(word->seen[i], when);
        oldest = other > oldest ? other : oldest;
    }
    other = ordered ? word->last_ordered : newest_until(word->ordered, now->fence);
    return other > oldest ? other : oldest;
}

static void access_note(struct word *word, int store, int order)
{
    int t = explore_thread();

    seen_add(&word->seen[t], threads[t].now.clock[t], store);
    if (order == PROA_SEQ_CST) {
        seen_add(&word->ordered, step, store);
        word->last_ordered = store > word->last_ordered ? store : word->last_ordered;
    }
}

/* ---- the operations ---- */

/* A step of the running thread begins, which others can notice if the word is shared. */
static void step_begin(const struct word *word)
{
    int t;

    if (!word || is_shared(word))
        explore_point();
    t = explore_thread();
    step++;
    threads[t].now.clock[t]++;
}

static uint64_t load_from(struct word *word, int i, int order)
{
    int t = explore_thread();
    const struct store *store = &stores[word->store[i]];

    access_note(word, i, order);
    view_join(acquires(order) ? &threads[t].now : &threads[t].acquired, &store->released);
    return store->value;
}

static void store_to(struct word *word, int order, uint64_t value, const struct store *continued)
{
    int t = explore_thread();
    struct view released = releases(order) ? threads[t].now : threads[t].released;

    if (continued) /* a release sequence goes on */
        view_join(&released, &continued->released);
    value = cut(value, word->size);
    if (value != stores[word->store[word->stores - 1]].value)
        word->changed[t] = step;
    store_add(word, value, &released);
    access_note(word, word->stores - 1, order);
    memcpy((void *)word->address, &value, word->size);
    explore_shared_dirty(explore_shared_at(word->address), word->size);
    explore_stored();
}

static struct word *shared_word(const volatile void *address, size_t size)
{
    if (explore_thread() < 0 || explore_shared_at(address) < 0)
        return NULL;
    return word_at(address, size);
}

static void raw_store(volatile void *word, size_t size, uint64_t value)
{
    memcpy((void *)word, &value, size);
    if (explore_shared_at(word) >= 0)
        explore_shared_dirty(explore_shared_at(word), size);
}

static uint64_t changed(enum explore_change change, uint64_t before, uint64_t value)
{
    switch (change) {
    case EXPLORE_ADD:
        return before + value;
    case EXPLORE_SUB:
        return before - value;
    case EXPLORE_OR:
        return before | value;
    case EXPLORE_AND:
        return before & value;
    default:
        return value;
    }
}

uint64_t explore_load(struct explore_place *place, const volatile void *address, size_t size)
{
    struct word *word = shared_word(address, size);
    int order, newest, oldest, age = 0;
    uint64_t value;

    if (!word)
        return raw_load(address, size);
    step_begin(word);
    order = order_at(place);
    word_used(word, 0);
    explore_atomic(address, size, 0);
    plain_stores_take_in(word);
    newest = word->stores - 1;
    oldest = oldest_for(word, order == PROA_SEQ_CST);
    if (oldest < newest && explore_may_be_stale())
        age = explore_choose(newest - oldest + 1);
    if (age)
        explore_stale_taken();
    value = load_from(word, newest - age, order);
    event(place, value)->age = age;
    return value;
}

void explore_store(struct explore_place *place, volatile void *address, size_t size, uint64_t value)
{
    struct word *word = shared_word(address, size);
    int order;

    if (!word) {
        raw_store(address, size, value);
        return;
    }
    step_begin(word);
    order = order_at(place);
    word_used(word, 1);
    explore_atomic(address, size, 1);
    plain_stores_take_in(word);
    store_to(word, order, value, NULL);
    event(place, cut(value, size));
}

uint64_t explore_change(struct explore_place *place, volatile void *address, size_t size,
                        enum explore_change change, uint64_t value)
{
    struct word *word = shared_word(address, size);
    uint64_t before = raw_load(address, size);
    struct event *e;
    int order, newest;

    if (!word) {
        raw_store(address, size, changed(change, before, value));
        return before;
    }
    step_begin(word);
    order = order_at(place);
    word_used(word, 1);
    explore_atomic(address, size, 1);
    plain_stores_take_in(word);
    newest = word->stores - 1;
    before = load_from(word, newest, order);
    value = cut(changed(change, before, value), size);
    store_to(word, order, value, &stores[word->store[newest]]);
    e = event(place, value);
    e->before = before;
    e->is_change = 1;
    return before;
}

/* The ages of stores that the failing exchange may return: not the expected value. */
static int failures_of(const struct word *word, int order, uint64_t expected, int *ages)
{
    int newest = word->stores - 1, oldest = oldest_for(word, order == PROA_SEQ_CST), count = 0;

    for (int i = newest; i >= oldest; i--)
        if (stores[word->store[i]].value != expected)
            ages[count++] = newest - i;
    return count;
}

int explore_compare_exchange(struct explore_place *place, struct explore_place *failed,
                             volatile void *address, volatile void *expected, size_t size,
                             uint64_t value)
{
    struct word *word = shared_word(address, size);
    uint64_t awaited = raw_load(expected, size), found;
    int ages[STORES_EACH], order, failed_order, count, succeeds, newest, taken;
    struct event *e;

    if (!word) {
        found = raw_load(address, size);
        memcpy((void *)expected, &found, size);
        if (found == awaited)
            raw_store(address, size, value);
        return found == awaited;
    }
    step_begin(word);
    order = order_at(place);
    failed_order = order_at(failed);
    word_used(word, 1);
    explore_atomic(address, size, 1);
    plain_stores_take_in(word);
    newest = word->stores - 1;
    succeeds = stores[word->store[newest]].value == awaited;
    count = failures_of(word, failed_order, awaited, ages);
    if (!explore_may_be_stale())
        count = !succeeds;
    taken = explore_choose(succeeds + count);
    if (taken || (!succeeds && ages[0]))
        explore_stale_taken();
    if (succeeds && taken == 0) {
        load_from(word, newest, order);
        store_to(word, order, value, &stores[word->store[newest]]);
        e = event(place, cut(value, size));
        e->before = awaited;
        e->is_change = 1;
        return 1;
    }
    found = load_from(word, newest - ages[taken - succeeds], failed_order);
    memcpy((void *)expected, &found, size);
    event(failed, found)->age = ages[taken - succeeds];
    return 0;
}

static void fence_ordered(int t)
{
    view_join(&all_fences, &threads[t].now);
    view_know(&threads[t].now, &all_fences);
    threads[t].now.fence = step;
}

static void fence_heavy(int t)
{
    for (int i = 0; i < thread_count; i++)
        view_join(&all_fences, &threads[i].light);
    fence_ordered(t);
    heavy_fences = threads[t].now;
    view_know(&heavy_fences, &all_fences);
}

static void fence_light(int t)
{
    threads[t].light = threads[t].now;
    view_know(&threads[t].now, &heavy_fences);
    if (heavy_fences.fence > threads[t].now.fence)
        threads[t].now.fence = heavy_fences.fence;
}

void explore_fence(struct explore_place *place)
{
    int t = explore_thread(), order;

    if (t < 0)
        return;
    order = order_at(place);
    if (order == PROA_SEQ_CST || order == EXPLORE_LIGHT || order == EXPLORE_HEAVY)
        step_begin(NULL);
    if (place->order == EXPLORE_HEAVY)
        threads[t].heavy = step;
    if (acquires(order))
        view_join(&threads[t].now, &threads[t].acquired);
    if (order == PROA_SEQ_CST)
        fence_ordered(t);
    if (order == EXPLORE_HEAVY)
        fence_heavy(t);
    if (order == EXPLORE_LIGHT)
        fence_light(t);
    if (releases(order))
        threads[t].released = threads[t].now;
    event(place, 0);
}

int explore_is_fenced(const volatile void *address, size_t size)
{
    int t = explore_thread();

    return threads[t].heavy > word_at(address, size)->changed[t];
}

/* ---- mutexes ---- */

static struct mutex {
    const void *address;
    uint32_t execution;
    struct view released;
} mutexes[16];

static struct mutex *mutex_at(const void *address)
{
    struct mutex *mutex = mutexes;

    while (mutex->address && mutex->address != address)
        if (++mutex == mutexes + sizeof mutexes / sizeof mutexes[0])
            explore_fail("too many mutexes");
    if (mutex->execution != execution)
        *mutex = (struct mutex){.address = address, .execution = execution};
    return mutex;
}

void explore_mutex_taken(const void *address)
{
    int t = explore_thread();

    threads[t].now.clock[t]++;
    view_join(&threads[t].now, &mutex_at(address)->released);
}

void explore_mutex_given(const void *address)
{
    int t = explore_thread();

    threads[t].now.clock[t]++;
    mutex_at(address)->released = threads[t].now;
}

uint32_t explore_clock(int of)
{
    return threads[explore_thread()].now.clock[of];
}
