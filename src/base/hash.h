/* SPDX-License-Identifier: BSD-3-Clause */
/* A short name for what is equal in several processes: FNV-1a, 64 bits (Fowler, Noll, Vo). */
#ifndef PROA_BASE_HASH_H
#define PROA_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* To begin with. */
#define PROA_HASH_OF_NOTHING 0xcbf29ce484222325ull

/* The hash of what `hash` is of, followed by so many bytes. */
static inline uint64_t proa_hash_bytes(uint64_t hash, const void *bytes, size_t count)
{
    const unsigned char *p = bytes;

    for (size_t i = 0; i < count; i++)
        hash = (hash ^ p[i]) * 0x100000001b3ull;
    return hash;
}

/* The same of a text, with the 0 at its end: "ab" and "c" differ from "a" and "bc". NULL is as "".
 */
static inline uint64_t proa_hash_text(uint64_t hash, const char *text)
{
    return proa_hash_bytes(hash, text ? text : "", text ? strlen(text) + 1 : 1);
}

#endif
