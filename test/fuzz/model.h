/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Datatypes made from fuzz input twice: by Proa, through recipes, and as plain lists of elements
 * that the definitions of MPI-4.1, 5.1 give. A list is kept only while it is short; sizes and
 * bounds are known of every type, in 128 bits.
 */
#ifndef PROA_FUZZ_MODEL_H
#define PROA_FUZZ_MODEL_H

#include "type/recipe.h"

#include <stdlib.h>

enum { MODEL_TYPES = 40, MODEL_ELEMENTS = 1000 };

typedef __int128 wide;

struct model_element {
    int64_t at;
    enum proa_basic basic;
};

struct model_type {
    struct proa_type type;
    int depth;
    int listed; /* elements[] holds all of them */
    size_t count;
    struct model_element *elements; /* in the order of the type map */
    wide size, total;               /* bytes of data, basic elements */
};

struct model {
    struct model_type types[MODEL_TYPES];
    size_t count;
};

struct input {
    const uint8_t *bytes;
    size_t left;
};

/* The next byte; 0 once there are no more. */
uint8_t input_byte(struct input *input);

/* Makes types until the input is used up or the table is full; aborts where Proa and the definition
 * differ. only: the one basic type to start with, or PROA_BASIC_COUNT for several. */
void model_build(struct model *model, struct input *input, enum proa_basic only);

/* Releases all types and lists. */
void model_free(struct model *model);

/* The offsets of all bytes that `count` elements of the type have, in order. units: whole elements,
 * with the padding of pairs. *bytes is how many. NULL if there are more than `most`, or the type
 * has no list. The caller frees it. */
int64_t *model_bytes(const struct model_type *type, uint64_t count, int units, size_t most,
                     size_t *bytes);

/* Ends the program where Proa's answer is wrong, after saying what was asked. */
#define MUST(condition)                                    \
    do {                                                   \
        if (!(condition))                                  \
            model_differs(__FILE__, __LINE__, #condition); \
    } while (0)

/* What MUST does then: prints the condition and the type in the making, and aborts. */
void model_differs(const char *file, int line, const char *condition) __attribute__((noreturn));

#endif
