/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two hashes. FNV-1a, 64 bits (Fowler, Noll, Vo), hashes bytes to a short name for contents that
 * are equal in several processes. Multiplicative hashing (Knuth, The Art of Computer Programming 3,
 * 6.4) hashes a number to its place in a table.
 */
#ifndef PROA_BASE_HASH_H
#define PROA_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* ---- of bytes ---- */

/* The initial hash, that of no bytes. */
#define PROA_HASH_OF_NOTHING 0xcbf29ce484222325ull

/* Continues a hash. hash: hash of the bytes so far. Returns the hash of those bytes followed by
 * these. */
static inline uint64_t proa_hash_bytes(uint64_t hash, const void *bytes, size_t count)
{
    const unsigned char *p = bytes;

    for (size_t i = 0; i < count; i++)
        hash = (hash ^ p[i]) * 0x100000001b3ull;
    return hash;
}

/* Continues a hash with a text and the 0 at its end, so "ab" and "c" differ from "a" and "bc". NULL
 * hashes as "". */
static inline uint64_t proa_hash_text(uint64_t hash, const char *text)
{
    return proa_hash_bytes(hash, text ? text : "", text ? strlen(text) + 1 : 1);
}

/* ---- of a number ---- */

/* 2^64 divided by the golden ratio. */
#define PROA_HASH_GOLDEN 0x9e3779b97f4a7c15ull

/* Returns the upper 64 - shift bits of the product, which depend on all bits of the number. factor:
 * an odd number. */
static inline uint64_t proa_hash_by(uint64_t number, uint64_t factor, int shift)
{
    return number * factor >> shift;
}

/* Returns the hash of a number. bits: width of the hash, 1 to 64. */
static inline uint64_t proa_hash_number(uint64_t number, int bits)
{
    return proa_hash_by(number, PROA_HASH_GOLDEN, 64 - bits);
}

#endif
