/* SPDX-License-Identifier: BSD-3-Clause */
/* See fork.h. Sources: fork(2), pthread_atfork(3), madvise(2). */
#include "adopt/fork.h"
#include "adopt/content.h"
#include "adopt/remap.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

/* The program has closed the file: the kernel still copies mapped pages, and reports others. */
static int copy_mapped(uint64_t first, uint64_t bytes, uint64_t to)
{
    struct iovec here = {proa_at(to), bytes}, there = {proa_at(first), bytes};

    return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == (ssize_t)bytes ? 0 : errno;
}

static int copy(const struct proa_segment *segment, const struct proa_range *moved)
{
    struct proa_data data = {0};

    return proa_segment_is_open(segment)
               ? proa_content_out(segment, moved->first, moved->end, moved->aside, &data)
               : copy_mapped(moved->first, moved->end - moved->first, moved->aside);
}

int proa_fork_copy(const struct proa_segment *segment, const struct proa_ranges *moves)
{
    int error = 0;

    for (size_t i = 0; i < moves->count && !error; i++)
        error = copy(segment, &moves->range[i]);
    return error;
}

void proa_fork_wipe(const struct proa_ranges *moves)
{
    for (size_t i = 0; i < moves->count; i++)
        madvise(proa_at(moves->range[i].aside), moves->range[i].end - moves->range[i].first,
                MADV_DONTNEED);
}

/* A child that cannot have the memory of its parent cannot go on: write(2) is all that is safe. */
static void end_child(int error)
{
    char text[256];
    int length =
        snprintf(text, sizeof text,
                 "proa: fork: the child cannot copy the memory of windows (%s), and ends\n",
                 strerror(error));

    if (write(STDERR_FILENO, text, (size_t)length) < 0)
        _exit(126);
    _exit(127);
}

void proa_fork_place(const struct proa_ranges *moves, int error)
{
    for (size_t i = 0; i < moves->count && !error; i++)
        error = proa_remap_place(moves->range[i].first, moves->range[i].end, moves->range[i].aside);
    if (error)
        end_child(error);
}
