/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Type signatures (MPI-4.1, 5.1): the basic types of a datatype, in order. Each is kept as a hash,
 * which is a polynomial in the basic types. So the hash of two consecutive signatures, and that of
 * a repeated one, follow from the hashes and the numbers of elements of their parts. Different
 * signatures have different hashes, except for a collision in 64 bits.
 */
#ifndef PROA_TYPE_SIGNATURE_H
#define PROA_TYPE_SIGNATURE_H

#include <stdint.h>

/* Odd, so that no basic type is lost. */
#define PROA_SIGNATURE_BASE 0x9e3779b97f4a7c15ull

struct proa_signature {
    uint64_t hash;
    uint64_t power; /* power of the base, with the number of elements as exponent */
};

static inline struct proa_signature proa_signature_join(struct proa_signature first,
                                                        struct proa_signature second)
{
    return (struct proa_signature){first.hash * second.power + second.hash,
                                   first.power * second.power};
}

/* Returns the signature of `count` repetitions. */
static inline struct proa_signature proa_signature_repeat(struct proa_signature part,
                                                          uint64_t count)
{
    struct proa_signature all = {0, 1};

    for (; count; count >>= 1) {
        if (count & 1)
            all = proa_signature_join(all, part);
        part = proa_signature_join(part, part);
    }
    return all;
}

#endif
