/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The content of pages on its way between private memory and the file of adopted memory. A byte's
 * offset in the file is its address in place. Pages of zeros are holes of the file, and take no
 * memory.
 *
 * Called while the range in place is empty so nothing here may touch memory of the program's, and
 * before fork (adopt/remap.c). All under adoption's mutex, with signals blocked.
 */
#ifndef PROA_ADOPT_CONTENT_H
#define PROA_ADOPT_CONTENT_H

#include "adopt/touched.h"
#include "shm/segment.h"

#include <stdint.h>

/* A run of data in the file; all zero: not looked for yet. */
struct proa_data {
    uint64_t first, end;
};

static inline void *proa_at(uint64_t address)
{
    return (void *)(uintptr_t)address;
}

/* Copies the content of `bytes` bytes of pages aside to the file; first: of the range in place.
 * Sets *huge if they are a large page. 0 or an errno. */
int proa_content_in(const struct proa_segment *segment, const struct proa_touched *touched,
                    uint64_t first, uint64_t bytes, uint64_t aside, int *huge);

/* *data: the run that holds `position`, or the next; first UINT64_MAX: there is none. A run that
 * holds it already is kept: the kernel looks at each page to find an end, and data does not go
 * away. Where the kernel does not tell, all from `position` on is data. */
void proa_content_find(const struct proa_segment *segment, uint64_t position,
                       struct proa_data *data);

/* Copies the file's data of [first, end) aside. data: the last run that was found. 0 or an errno.
 */
int proa_content_out(const struct proa_segment *segment, uint64_t first, uint64_t end,
                     uint64_t aside, struct proa_data *data);

/* The file forgets its content of [first, end). */
void proa_content_punch(const struct proa_segment *segment, uint64_t first, uint64_t end);

#endif
