/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * 4 GiB and 8 bytes of one dense type in one call, the same on both sides: the fast path must not
 * count them in 32 bits. Both buffers are long stretches of addresses over the same few pages again
 * and again, so this needs little memory: block i shows page group i % distinct. Only the end of
 * each has pages of its own.
 */
#include "window.h"
#include <stdbool.h>
#include <sys/mman.h>

enum { block = 8 << 20, blocks = 512, distinct = 3, tail = 4096, pieces = 4 };

struct folded {
    char *base;
    int file;
};

static void *map_at(const struct folded *f, char *at, size_t bytes, off_t offset)
{
    void *mapped =
        mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | (at ? MAP_FIXED : 0), f->file, offset);
    return need(mapped == MAP_FAILED ? NULL : mapped);
}

static struct folded fold(const char *name)
{
    const size_t bytes = (size_t)blocks * block + tail;
    struct folded f = {.file = memfd_create(name, MFD_CLOEXEC)};
    need(f.file >= 0 && ftruncate(f.file, distinct * block + tail) == 0 ? &f : NULL);
    f.base = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    need(f.base == MAP_FAILED ? NULL : f.base);
    for (int i = 0; i < blocks; i++)
        map_at(&f, f.base + (size_t)i * block, block, (off_t)(i % distinct) * block);
    map_at(&f, f.base + (size_t)blocks * block, tail, (off_t)distinct * block);
    return f;
}

static void unfold(struct folded *f)
{
    munmap(f->base, (size_t)blocks * block + tail);
    close(f->file);
}

/* Every group and the tail, in words that tell where they are; or all the same. */
static void fill(const struct folded *f, bool pattern)
{
    uint64_t *word = (uint64_t *)(void *)f->base,
             *end = (uint64_t *)(void *)(f->base + (size_t)blocks * block);
    for (size_t i = 0; i < (size_t)distinct * block / 8; i++)
        word[i] = pattern ? i * 0x9e3779b97f4a7c15u + 1 : 0;
    for (size_t i = 0; i < tail / 8; i++)
        end[i] = pattern ? ~(uint64_t)i : 0;
}

static void compare(const char *call, const struct folded *to, const struct folded *from)
{
    const char *to_end = to->base + (size_t)blocks * block,
               *from_end = from->base + (size_t)blocks * block;
    uint64_t behind;
    memcpy(&behind, to_end + 8, sizeof behind);
    for (size_t i = 0; i < distinct; i++)
        CHECK(memcmp(to->base + i * block, from->base + i * block, block) == 0,
              "%s: block %d is not what was sent", call, (int)i);
    CHECK(memcmp(to_end, from_end, 8) == 0, "%s: the last 8 bytes are not what was sent", call);
    CHECK(behind == 0, "%s: what lies behind has been written", call);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return skip("sanitizers need memory for every address");
#endif
    struct folded window = fold("window"), origin = fold("origin");
    MPI_Datatype piece; /* 1 GiB and 2 bytes */
    MPI_Win win;
    MPI_Type_contiguous(block / 2 * (blocks / pieces) + 1, MPI_SHORT, &piece);
    MPI_Type_commit(&piece);
    MPI_Win_create(window.base, (MPI_Aint)blocks * block + tail, 1, MPI_INFO_NULL, MPI_COMM_WORLD,
                   &win);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win);
    fill(&window, false);
    fill(&origin, true);
    MPI_Put(origin.base, pieces, piece, rank, 0, pieces, piece, win);
    MPI_Win_flush(rank, win);
    compare("put", &window, &origin);
    fill(&origin, false);
    fill(&window, true);
    MPI_Get(origin.base, pieces, piece, rank, 0, pieces, piece, win);
    MPI_Win_unlock(rank, win);
    compare("get", &origin, &window);
    MPI_Win_free(&win);
    MPI_Type_free(&piece);
    unfold(&window);
    unfold(&origin);
    return finish("op_dense");
}
