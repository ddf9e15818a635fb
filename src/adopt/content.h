/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The content of pages on its way between private memory and the file of adopted memory. A byte's
 * offset in the file is its address in place. Pages of zeros are holes of the file, and take no
 * memory.
 *
 * Called while the range in place is empty (adopt/relocate.c), so nothing here may touch memory of
 * the program's, and before fork (adopt/fork.c). All under adoption's mutex, with signals blocked.
 */
#ifndef PROA_ADOPT_CONTENT_H
#define PROA_ADOPT_CONTENT_H

#include "adopt/touched.h"
#include "shm/segment.h"

#include <stdint.h>

/* A run of data in the file. */
struct proa_data {
    uint64_t first, end;
};

/* Copies the content of `bytes` bytes of pages aside to the file; first: of the range in place.
 * Sets *huge if they are a large page. 0 or an errno. */
int proa_content_in(const struct proa_segment *segment, const struct proa_touched *touched,
                    uint64_t first, uint64_t bytes, uint64_t aside, int *huge);

/* The first data of the file at or above `position`; UINT64_MAX: there is none. */
struct proa_data proa_content_next(const struct proa_segment *segment, uint64_t position);

/* Copies the file's data of [first, end) aside. *data: a run that is known, or none; the kernel
 * looks at each page to find a run's end, so it is asked once for each run, and not for each piece
 * of memory. Data does not go away. 0 or an errno. */
int proa_content_out(const struct proa_segment *segment, uint64_t first, uint64_t end,
                     uint64_t aside, struct proa_data *data);

/* The file forgets its content of [first, end). */
void proa_content_punch(const struct proa_segment *segment, uint64_t first, uint64_t end);

#endif
