/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The memory operands of an instruction of the program's, in a handler of signals: which bytes it
 * is about to load or store. Of a load to a vector register it is the first byte alone: where a
 * loop takes every second element, compilers load those between as well, and functions of strings
 * load beyond the end. Stores write no more than the program does.
 *
 * An instruction that is not in the table has no operands here, so what is found is exact. So are
 * accesses relative to a segment, by 32-bit addresses, and by masked or scattered elements.
 */
#ifndef PROA_TRAPS_OPERAND_H
#define PROA_TRAPS_OPERAND_H

#include <stddef.h>
#include <stdint.h>

enum { PROA_OPERANDS = 2 /* of one instruction */ };

struct proa_operand {
    uintptr_t address;
    size_t bytes; /* of a repeated string instruction: those of all its repetitions */
    int stores;   /* it may load as well */
};

/* Reads the instruction at the context's instruction pointer, which has not been done: context is
 * the third argument of a handler. Returns the number of operands; 0: none, or none that is known.
 * Elsewhere than on x86-64: 0. */
int proa_operands(const void *context, struct proa_operand operands[PROA_OPERANDS]);

#endif
