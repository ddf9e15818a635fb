/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads that the kernel does straight into memory (O_DIRECT) while windows are made and freed
 * there. The device holds the page from the read's begin to its end, and what it brings must be in
 * the program's memory after that: beside the window, in the pages where it begins and ends, and
 * inside it.
 *
 *   direct_read WAY_PLACE    aio, uring, fixed or thread; beside or inside
 *
 * A read goes to a large buffer first, which takes milliseconds, and to the place in question last.
 */
#include "reader.h"

enum { before_bytes = 4 << 20, piece_most = 1 << 17, rounds = 24 };

enum order { READ_AND_WINDOW, WINDOW_AND_READ, READ_OVER_ALL, norders };

static const char *const order_names[norders] = {"begun before the window was made",
                                                 "begun while the window lived",
                                                 "begun before the window, done after its end"};

static char *before; /* read first */
static long damaged[norders], done[norders];

static char byte_of(size_t i)
{
    return (char)(1 + (i * 7 + i / 509) % 100); /* never 0 */
}

/* The descriptor, by which pages of the cache are not used; -1: this file system has no such. */
static int file_make(void)
{
    char name[400];
    const char *folder = getenv("TMPDIR");
    snprintf(name, sizeof name, "%s/direct-read-XXXXXX", folder ? folder : "/tmp");
    int file = mkstemp(name);
    size_t bytes = before_bytes + piece_most;
    char *content = need(malloc(bytes));
    for (size_t i = 0; i < bytes; i++)
        content[i] = byte_of(i);
    CHECK(write(file, content, bytes) == (ssize_t)bytes && fsync(file) == 0, "no file to read");
    free(content);
    close(file);
    file = open(name, O_RDONLY | O_DIRECT);
    unlink(name);
    return file;
}

static size_t wrong_bytes(const struct iovec *piece)
{
    const char *at = piece->iov_base;
    size_t wrong = 0;
    for (size_t i = 0; i < piece->iov_len; i++)
        wrong += at[i] != byte_of(before_bytes + i);
    return wrong;
}

static void end(struct reader *reader)
{
    ssize_t all = (ssize_t)(before_bytes + reader->piece[1].iov_len);
    reader_wait(reader);
    CHECK(reader->got == all, "a read brought %zd bytes, not %zd", reader->got, all);
}

/* The buffer is registered, if it is at all, before the window (early) or while it lives. */
static void read_once(struct reader *reader, struct room *room, enum order order, int early)
{
    int error = early ? reader_register(reader) : 0;
    size_t wrong = 0;
    if (order != WINDOW_AND_READ && early)
        reader_begin(reader);
    room_open(room, 0);
    error = early ? error : reader_register(reader);
    CHECK(error == 0, "the buffer is refused: %s", strerror(error));
    if (order == WINDOW_AND_READ || !early)
        reader_begin(reader);
    if (order == READ_AND_WINDOW) {
        end(reader);
        wrong = wrong_bytes(&reader->piece[1]);
    }
    room_close(room);
    if (order != READ_AND_WINDOW)
        end(reader);
    wrong += wrong_bytes(&reader->piece[1]);
    damaged[order] += wrong > 0;
    done[order]++;
    reader_unregister(reader);
}

/* Each window a little shorter, so that none is on the very same memory as the last. */
static void read_often(struct reader *reader, const char *place)
{
    for (int i = 0; i < rounds; i++) {
        struct room room = room_make((enum memory)(i % nmemories));
        size_t half = room.page / 2;
        char *at = strcmp(place, "inside") == 0 ? room.inside : i % 2 ? room.head : room.tail;
        reader->piece[0] = (struct iovec){before, before_bytes};
        reader->piece[1] = (struct iovec){at, at == room.inside ? 3 * room.page : half};
        room.bytes -= 8 * (size_t)i;
        read_once(reader, &room, (enum order)(i / 2 % norders), reader->way != FIXED || i % 4 < 2);
        room_give_back(&room);
    }
}

int main(int argc, char **argv)
{
    struct reader reader;
    start(&argc, &argv);
    enum way way = AIO;
    const char *place = argc > 1 ? strchr(argv[1], '_') : NULL;
    while (way < nways && place && strncmp(argv[1], way_names[way], strlen(way_names[way])) != 0)
        way++;
    if (!place || way == nways)
        return skip("no such way to read");
    int file = file_make(), error = reader_open(&reader, way, file);
    if (file < 0)
        return skip("no O_DIRECT in the folder for temporary files");
    if (error)
        return skip(strerror(error));
    before = map_pages(before_bytes, 0);
    read_often(&reader, place + 1);
    for (enum order order = READ_AND_WINDOW; order < norders; order++)
        CHECK(damaged[order] == 0, "%ld of %ld direct reads by %s, %s the window, %s, are damaged",
              damaged[order], done[order], way_names[way], place + 1, order_names[order]);
    return finish("direct_read");
}
