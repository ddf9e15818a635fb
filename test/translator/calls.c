/* SPDX-License-Identifier: BSD-3-Clause */
/* System calls on watched memory: they do what they do without the tool, and the bytes that the
 * kernel has read or written for the program are seen. */
#include "seen.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static char data[8192] __attribute__((aligned(4096)));

static void expect(const void *first, size_t bytes, int what)
{
    struct proa_touched_counts counts;
    const struct proa_touched *found;

    seen_take(&counts);
    found = seen_find(first, bytes, what);
    CHECK(found && found->is_of_call);
    CHECK(seen_count == 1);
}

static void read_and_write(int file)
{
    CHECK(write(file, data, 5000) == 5000);
    expect(data, 5000, PROA_LOADS);
    CHECK(pread(file, data + 100, 4500, 0) == 4500);
    expect(data + 100, 4500, PROA_STORES);
    CHECK(pread(file, data, 1000, 4800) == 200); /* the file ends there */
    expect(data, 200, PROA_STORES);
    CHECK(read(file, data, 100) == 0);
    seen_expect_nothing();
}

static void in_pieces(int file)
{
    struct iovec pieces[2] = {{data + 10, 20}, {data + 100, 30}};
    struct proa_touched_counts counts;

    CHECK(preadv(file, pieces, 2, 0) == 50);
    seen_take(&counts);
    CHECK(seen_count == 2 && seen_find(data + 10, 20, PROA_STORES));
    CHECK(seen_find(data + 100, 30, PROA_STORES));
}

static void names(void)
{
    CHECK(getcwd(data, 4096) == data);
    const size_t bytes = strlen(data) + 1;
    struct proa_touched_counts counts;
    struct stat state;

    seen_take(&counts);
    CHECK(stat(data, &state) == 0);
    expect(data, bytes, PROA_LOADS);
    CHECK(stat("/", (struct stat *)data) == 0);
    expect(data, sizeof state, PROA_STORES);
}

int main(void)
{
    int file;

    seen_begin();
    seen_watch(data, sizeof data, PROA_LOADS_AND_STORES);
    file = memfd_create("calls", 0);
    CHECK(file >= 0);
    read_and_write(file);
    in_pieces(file);
    names();
    CHECK(system("exit 3") == 3 << 8);
    return 0;
}
