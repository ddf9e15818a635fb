/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counting words in a hash table that lies in the windows of all ranks. Every rank counts its share
 * of the text straight into the table, wherever a word's slot may be; no rank serves another, and
 * no rank knows in advance which ranks will touch a slot.
 *
 * A slot is free as long as its hash is 0. A rank claims it by compare-and-swap of the hash: if
 * it finds 0 it puts the word; if it finds the word's own hash it has found the slot; if it finds
 * another hash it tries the next slot, on the next rank at the end of a rank's part.
 * Counts grow by fetch-and-op. Within the counting no rank reads a word: 64 bits of hash stand for
 * it. (Two words with one hash would be counted as one, and the comparison at the end would
 * show it.)
 */
#include <glob.h>
#include <inttypes.h>
#include <limits.h>
#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "example.h"

const char program[] = "wordcount";

#ifndef WORDCOUNT_DOCS
#define WORDCOUNT_DOCS "."
#endif

enum { WORD_BYTES = 48, TOP = 5, MAX_FILES = 1024, MAX_SLOTS = 1 << 24 };

struct slot {
    uint64_t hash; /* 0: free */
    int64_t count;
    char word[WORD_BYTES]; /* filled up with zeros; longer words are cut */
};

struct options {
    const char *docs;
    const char *files[MAX_FILES];
    int file_count;
    int slots;
    int repeat;
};

struct text {
    char *bytes;
    long length;
};

/* The table in the windows; slot g is slot g % per_rank of rank g / per_rank. */
struct table {
    MPI_Win win;
    struct slot *mine;
    long per_rank, slots;
    int rank, ranks;
};

/* Rank 0's own table, for the sequential count. */
struct count {
    struct slot slot;
    bool seen; /* found in the distributed table */
};

struct counter {
    struct count *slots;
    size_t capacity; /* a power of two */
};

/* ---- options ---- */

static void read_options(int argc, char **argv, struct options *opt)
{
    const struct example_option list[] = {
        {"docs", 'd', "DIR",
         "Without FILEs count README.md, CHANGELOG.md and doc/*.md of this folder (" WORDCOUNT_DOCS
         ")",
         .text = &opt->docs},
        {"slots", 's', "N", "Slots of the table, of all ranks together (65536)",
         .number = {&opt->slots, "slots", 1, MAX_SLOTS}},
        {"repeat", 'k', "K", "Count the files K times, so that there is something to measure (1)",
         .number = {&opt->repeat, "repeats", 1, INT_MAX}, .wanted = "a positive number"},
        {0}};
    const struct command_line line = {
        .options = list,
        .about = "Counts words in a hash table that lies in the windows of all ranks.\v"
                 "A word is a run of ASCII letters, digits and _, in any case. The result is "
                 "compared, word by word, with a sequential count.",
        .operands = {"[FILE...]", "files", opt->files, &opt->file_count, MAX_FILES}};
    read_command_line(argc, argv, line);
}

/* ---- the text ---- */

static bool append(struct text *text, const char *bytes, size_t count)
{
    char *grown = realloc(text->bytes, (size_t)text->length + count);
    if (!grown)
        return false;
    memcpy(grown + text->length, bytes, count);
    text->bytes = grown;
    text->length += (long)count;
    return true;
}

/* Adds a file and a line end, so that words of two files never join. */
static bool append_file(struct text *text, const char *path)
{
    FILE *file = fopen(path, "rb");
    char part[1 << 16];
    size_t got;
    bool good = true;
    if (!file) {
        perror(path);
        return false;
    }
    while (good && (got = fread(part, 1, sizeof(part), file)) > 0)
        good = append(text, part, got);
    good = good && !ferror(file) && append(text, "\n", 1);
    if (!good)
        fprintf(stderr, "wordcount: cannot read %s\n", path);
    fclose(file);
    return good;
}

static bool append_matching(struct text *text, const char *folder, const char *pattern)
{
    char full[4096];
    glob_t found;
    bool good = true;
    snprintf(full, sizeof(full), "%s/%s", folder, pattern);
    if (glob(full, 0, NULL, &found))
        return true; /* a document that is not there is not counted */
    for (size_t i = 0; i < found.gl_pathc; i++)
        good = append_file(text, found.gl_pathv[i]) && good;
    globfree(&found);
    return good;
}

/* Rank 0 reads. The length is -1 if there is nothing to count. */
static struct text read_text(const struct options *opt)
{
    struct text text = {0};
    bool good = true;
    for (int i = 0; i < opt->file_count; i++)
        good = append_file(&text, opt->files[i]) && good;
    if (!opt->file_count)
        good = append_matching(&text, opt->docs, "README.md") &&
               append_matching(&text, opt->docs, "CHANGELOG.md") &&
               append_matching(&text, opt->docs, "doc/*.md");
    if (good && text.length > INT32_MAX) {
        fprintf(stderr, "wordcount: more than 2 GiB of text\n");
        good = false;
    }
    if (good && !text.length && !opt->file_count)
        fprintf(stderr, "wordcount: no documents in %s; name files, or the folder with --docs\n",
                opt->docs);
    if (!good || (!text.length && !opt->file_count))
        text.length = -1;
    return text;
}

/* All ranks get the same text from rank 0, also if they see other files themselves. Returns false,
 * on every rank, without text. */
static bool share_text(const struct options *opt, int rank, struct text *text)
{
    if (rank == 0)
        *text = read_text(opt);
    MPI_Bcast(&text->length, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    if (text->length < 0)
        return false;
    if (rank != 0)
        text->bytes = checked_calloc((size_t)text->length, 1);
    MPI_Bcast(text->bytes, (int)text->length, MPI_CHAR, 0, MPI_COMM_WORLD);
    return true;
}

/* ---- words ---- */

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool is_letter(char c)
{
    return (lower(c) >= 'a' && lower(c) <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

/* Finds the first word that starts at *at or later, but before end; leaves *at behind it. */
static bool next_word(const struct text *text, long *at, long end, char word[WORD_BYTES])
{
    while (*at < end && !is_letter(text->bytes[*at]))
        ++*at;
    if (*at >= end)
        return false;
    memset(word, 0, WORD_BYTES);
    for (int i = 0; *at < text->length && is_letter(text->bytes[*at]); ++*at, i++)
        if (i < WORD_BYTES - 1)
            word[i] = lower(text->bytes[*at]);
    return true;
}

/* Start of a share: a word that is cut by the border belongs to the share in which it starts. */
static long share_start(const struct text *text, int share, int shares)
{
    long at = (long)((int64_t)text->length * share / shares);
    while (at > 0 && at < text->length && is_letter(text->bytes[at - 1]) &&
           is_letter(text->bytes[at]))
        at++;
    return at;
}

/* FNV-1a, stirred once more as its upper bits are weak for short words. */
static uint64_t hash_of(const char word[WORD_BYTES])
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (int i = 0; i < WORD_BYTES && word[i]; i++)
        hash = (hash ^ (unsigned char)word[i]) * 0x100000001b3u;
    hash ^= hash >> 31;
    hash *= 0x9e3779b97f4a7c15u;
    hash ^= hash >> 29;
    return hash ? hash : 1;
}

/* ---- the table in the windows ---- */

static MPI_Aint place(const struct table *table, long slot, size_t member)
{
    return (MPI_Aint)(slot % table->per_rank) * (MPI_Aint)sizeof(struct slot) + (MPI_Aint)member;
}

static void make_table(struct table *table, long slots)
{
    MPI_Comm_rank(MPI_COMM_WORLD, &table->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &table->ranks);
    table->per_rank = (slots + table->ranks - 1) / table->ranks;
    table->slots = table->per_rank * table->ranks;
    MPI_Aint bytes = (MPI_Aint)table->per_rank * (MPI_Aint)sizeof(struct slot);
    MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &table->mine, &table->win);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, table->rank, 0, table->win);
    memset(table->mine, 0, (size_t)bytes);
    MPI_Win_unlock(table->rank, table->win);
    MPI_Barrier(MPI_COMM_WORLD); /* no rank may count into a part that is yet to be cleared */
}

/* Makes the slot the word's own, or finds that it is. flush_local is enough: the fetched
 * value is here when it returns, and the put word has left its buffer. Its arrival matters only to
 * the readers after the flush_all at the end. */
static bool claim(struct table *table, long slot, uint64_t hash, const char word[WORD_BYTES])
{
    const uint64_t free_slot = 0;
    uint64_t found = 0;
    int owner = (int)(slot / table->per_rank);
    MPI_Compare_and_swap(&hash, &free_slot, &found, MPI_UINT64_T, owner,
                         place(table, slot, offsetof(struct slot, hash)), table->win);
    MPI_Win_flush_local(owner, table->win);
    if (found == free_slot) {
        MPI_Put(word, WORD_BYTES, MPI_CHAR, owner, place(table, slot, offsetof(struct slot, word)),
                WORD_BYTES, MPI_CHAR, table->win);
        MPI_Win_flush_local(owner, table->win);
    }
    return found == free_slot || found == hash;
}

static void count_up(struct table *table, long slot)
{
    const int64_t one = 1;
    int64_t before;
    int owner = (int)(slot / table->per_rank);
    MPI_Fetch_and_op(&one, &before, MPI_INT64_T, owner,
                     place(table, slot, offsetof(struct slot, count)), MPI_SUM, table->win);
    MPI_Win_flush_local(owner, table->win);
}

/* Returns false if every slot belongs to another word. */
static bool count_word(struct table *table, const char word[WORD_BYTES])
{
    uint64_t hash = hash_of(word);
    long first = (long)(hash % (uint64_t)table->slots);
    for (long tries = 0; tries < table->slots; tries++) {
        long slot = (first + tries) % table->slots;
        if (!claim(table, slot, hash, word))
            continue;
        count_up(table, slot);
        return true;
    }
    return false;
}

/* Each time round the ranks take other shares, so that every rank meets all of the words. */
static bool count_shares(struct table *table, const struct text *text, int repeat)
{
    char word[WORD_BYTES];
    for (int round = 0; round < repeat; round++) {
        int share = (table->rank + round) % table->ranks;
        long at = share_start(text, share, table->ranks),
             end = share_start(text, share + 1, table->ranks);
        while (next_word(text, &at, end, word))
            if (!count_word(table, word))
                return false;
    }
    return true;
}

/* The counting itself. Leaves the lock_all epoch open for rank 0, which reads the table. Returns
 * false, on every rank, if the table was too small. */
static bool count_text(struct table *table, const struct text *text, int repeat, double *seconds)
{
    struct watch watch;
    start_watch(&watch);
    MPI_Win_lock_all(0, table->win);
    int good = count_shares(table, text, repeat);
    MPI_Win_flush_all(table->win);
    MPI_Barrier(MPI_COMM_WORLD);
    *seconds = stop_watch(&watch);
    MPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    return good;
}

static struct slot *read_table(struct table *table)
{
    struct slot *all = checked_calloc((size_t)table->slots, sizeof(*all));
    int bytes = (int)(table->per_rank * (long)sizeof(*all));
    for (int owner = 0; owner < table->ranks; owner++)
        MPI_Get(all + owner * table->per_rank, bytes, MPI_BYTE, owner, 0, bytes, MPI_BYTE,
                table->win);
    MPI_Win_flush_all(table->win);
    return all;
}

/* ---- the sequential count ---- */

/* The word's entry, or the free one where it belongs. Compares the words themselves, unlike the
 * table in the windows. */
static struct count *look_up(struct counter *counter, const char word[WORD_BYTES])
{
    size_t at = hash_of(word) & (counter->capacity - 1);
    while (counter->slots[at].slot.hash && memcmp(counter->slots[at].slot.word, word, WORD_BYTES))
        at = (at + 1) & (counter->capacity - 1);
    return &counter->slots[at];
}

static long words_in(const struct text *text)
{
    char word[WORD_BYTES];
    long at = 0, words = 0;
    while (next_word(text, &at, text->length, word))
        words++;
    return words;
}

static struct counter count_sequentially(const struct text *text, int repeat)
{
    struct counter counter = {.capacity = 1};
    char word[WORD_BYTES];
    long at = 0, words = words_in(text);
    while (counter.capacity < 2 * (size_t)words)
        counter.capacity *= 2;
    counter.slots = checked_calloc(counter.capacity, sizeof(*counter.slots));
    while (next_word(text, &at, text->length, word)) {
        struct count *count = look_up(&counter, word);
        count->slot.hash = hash_of(word);
        memcpy(count->slot.word, word, WORD_BYTES);
        count->slot.count += repeat;
    }
    return counter;
}

static void complain(long *wrong, const char *word, int64_t count, int64_t expected)
{
    if ((*wrong)++ < TOP)
        fprintf(stderr,
                "wordcount: '%.*s' was counted %" PRId64 " times, the sequential count is %" PRId64
                "\n",
                WORD_BYTES, word, count, expected);
}

/* Both ways: the words of the table must be in the sequential count, once and with the same number,
 * and no word may be missing. */
static long compare(const struct slot *all, long slots, struct counter *counter)
{
    long wrong = 0;
    for (long i = 0; i < slots; i++) {
        if (!all[i].hash)
            continue;
        struct count *count = look_up(counter, all[i].word);
        if (!count->slot.hash || count->slot.count != all[i].count || count->seen)
            complain(&wrong, all[i].word, all[i].count, count->seen ? 0 : count->slot.count);
        count->seen = true;
    }
    for (size_t i = 0; i < counter->capacity; i++)
        if (counter->slots[i].slot.hash && !counter->slots[i].seen)
            complain(&wrong, counter->slots[i].slot.word, 0, counter->slots[i].slot.count);
    return wrong;
}

/* ---- the result ---- */

static int by_count(const void *left, const void *right)
{
    const struct slot *a = left, *b = right;
    if (a->count != b->count)
        return a->count < b->count ? 1 : -1;
    return strcmp(a->word, b->word);
}

/* Sorts the table; free slots, which count 0, come last. */
static void print_top(struct slot *all, long slots)
{
    qsort(all, (size_t)slots, sizeof(*all), by_count);
    printf("wordcount: most frequent:");
    for (long i = 0; i < TOP && i < slots && all[i].count; i++)
        printf(" %.*s %" PRId64, WORD_BYTES, all[i].word, all[i].count);
    printf("\n");
}

static bool judge(struct table *table, const struct text *text, int repeat, double seconds)
{
    struct slot *all = read_table(table);
    struct counter counter = count_sequentially(text, repeat);
    long wrong = compare(all, table->slots, &counter), distinct = 0;
    for (long i = 0; i < table->slots; i++)
        distinct += all[i].hash != 0;
    print_top(all, table->slots);
    print_result(!wrong, seconds);
    printf("%ld words (%ld different) counted by %d ranks", words_in(text) * repeat, distinct,
           table->ranks);
    if (wrong)
        printf("; %ld differ from the sequential count\n", wrong);
    else
        printf(", each as in the sequential count\n");
    free(all);
    free(counter.slots);
    return !wrong;
}

/* Counts and compares; the verdict is the same on every rank. */
static bool run(const struct options *opt, const struct text *text)
{
    struct table table;
    double seconds;
    make_table(&table, opt->slots);
    int good = count_text(&table, text, opt->repeat, &seconds);
    if (!good && table.rank == 0)
        fprintf(stderr,
                "wordcount: the table is full: %ld slots are too few for the different words; use "
                "--slots\n",
                table.slots);
    if (good && table.rank == 0)
        good = judge(&table, text, opt->repeat, seconds);
    MPI_Win_unlock_all(table.win);
    MPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    MPI_Win_free(&table.win);
    return good;
}

int main(int argc, char **argv)
{
    static struct options opt = {.docs = WORDCOUNT_DOCS, .slots = 65536, .repeat = 1};
    struct text text = {0};
    int rank;
    read_options(argc, argv, &opt); /* before MPI_Init: --help needs no MPI */
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    bool good = share_text(&opt, rank, &text) && run(&opt, &text);
    free(text.bytes);
    MPI_Finalize();
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
