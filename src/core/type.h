/* A datatype as core knows it. Made by host/types.c, one for each datatype of the host that operations have used; never changed. */
#ifndef PROA_CORE_TYPE_H
#define PROA_CORE_TYPE_H

#include "core/basic.h"

struct proa_type {
    uint64_t size;      /* bytes from one element of a dense type to the next */
    uint8_t basic;      /* enum proa_basic of every part; PROA_MIXED */
    uint8_t dense;      /* elements without gaps, one behind the other, starting at the buffer's address */
    const char *trouble; /* not NULL: operations cannot use this type, and why */
};

#endif
