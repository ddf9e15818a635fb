/* SPDX-License-Identifier: BSD-3-Clause */
/* Each kind of instruction that loads or stores, and the bytes and the number of its accesses. */
#include "seen.h"

static unsigned char data[4 * 4096] __attribute__((aligned(4096)));
static unsigned char other[4096] __attribute__((aligned(64)));

#define DO(...) __asm__ volatile(__VA_ARGS__)

static void plain(void)
{
    unsigned char *at = data + 8;

    DO("movb %%al, (%0)" ::"r"(at) : "memory");
    seen_expect(data, 8, 9, PROA_STORES, 1);
    DO("movw (%0), %%ax" ::"r"(at) : "rax");
    seen_expect(data, 8, 10, PROA_LOADS, 1);
    DO("movl %%eax, 3(%0)" ::"r"(at) : "memory");
    seen_expect(data, 11, 15, PROA_STORES, 1);
    DO("movq (%0), %%rax" ::"r"(data + 4092) : "rax"); /* over the end of a page */
    seen_expect(data, 4092, 4100, PROA_LOADS, 1);
    DO("incl (%0)" ::"r"(at) : "memory");
    {
        struct proa_touched_counts counts;

        seen_take(&counts);
        CHECK(seen_find(at, 4, PROA_LOADS) && seen_find(at, 4, PROA_STORES));
        CHECK(counts.of[PROA_LOADS] == 1 && counts.of[PROA_STORES] == 1);
    }
    DO("movl %%eax, (%0)" ::"r"(other) : "memory");
    seen_expect_nothing();
}

static void atomic(void)
{
    volatile unsigned long *at = (volatile unsigned long *)(data + 64);
    unsigned long old = 7;

    *at = 5;
    seen_expect(data, 64, 72, PROA_STORES, 1);
    DO("lock addq $1, (%0)" ::"r"(at) : "memory");
    seen_expect(data, 64, 72, PROA_LOADS_AND_STORES, 1);
    DO("xchgl %%eax, (%0)" ::"r"(at) : "rax", "memory");
    seen_expect(data, 64, 68, PROA_LOADS_AND_STORES, 1);
    DO("lock xaddw %%ax, 2(%0)" ::"r"(at) : "rax", "memory");
    seen_expect(data, 66, 68, PROA_LOADS_AND_STORES, 1);
    *at = 5;
    seen_expect(data, 64, 72, PROA_STORES, 1);
    DO("lock cmpxchgq %%rcx, (%1)" : "+a"(old) : "r"(at), "c"(9UL) : "memory"); /* fails */
    seen_expect(data, 64, 72, PROA_LOADS, 1);
    DO("lock cmpxchgq %%rcx, (%1)" : "+a"(old) : "r"(at), "c"(9UL) : "memory");
    seen_expect(data, 64, 72, PROA_LOADS_AND_STORES, 1);
}

static void wide_swap(void)
{
    volatile unsigned long *at = (volatile unsigned long *)(data + 128);
    unsigned long low = 1, high = 2;

    at[0] = 3;
    seen_expect(data, 128, 136, PROA_STORES, 1);
    at[1] = 4;
    seen_expect(data, 136, 144, PROA_STORES, 1);
    DO("lock cmpxchg16b (%2)" : "+a"(low), "+d"(high) : "r"(at), "b"(5UL), "c"(6UL) : "memory");
    seen_expect(data, 128, 144, PROA_LOADS, 1);
    DO("lock cmpxchg16b (%2)" : "+a"(low), "+d"(high) : "r"(at), "b"(5UL), "c"(6UL) : "memory");
    seen_expect(data, 128, 144, PROA_LOADS_AND_STORES, 1);
}

static void strings(void)
{
    unsigned char *from = data + 1000, *to = data + 2000;
    unsigned long count = 300;
    struct proa_touched_counts counts;

    DO("rep movsb" : "+S"(from), "+D"(to), "+c"(count)::"memory");
    seen_take(&counts);
    CHECK(seen_find(data + 1000, 300, PROA_LOADS) && seen_find(data + 2000, 300, PROA_STORES));
    CHECK(counts.of[PROA_LOADS] == 300 && counts.of[PROA_STORES] == 300 && seen_count == 2);
    to = data + 2000, count = 10;
    DO("rep stosq" : "+D"(to), "+c"(count) : "a"(0UL) : "memory");
    seen_expect(data, 2000, 2080, PROA_STORES, 10);
}

static void floating(void)
{
    DO("fldt (%0)\n\tfstpt 16(%0)" ::"r"(data + 256) : "st", "memory");
    struct proa_touched_counts counts;

    seen_take(&counts);
    CHECK(seen_find(data + 256, 10, PROA_LOADS) && seen_find(data + 272, 10, PROA_STORES));
    CHECK(counts.of[PROA_LOADS] == 1 && counts.of[PROA_STORES] == 1);
    DO("fldl (%0)\n\tfstp %%st" ::"r"(data + 256) : "st");
    seen_expect(data, 256, 264, PROA_LOADS, 1);
}

static void vectors(void)
{
    DO("movups (%0), %%xmm0" ::"r"(data + 512) : "xmm0");
    seen_expect(data, 512, 528, PROA_LOADS, 1);
    DO("movss %%xmm0, (%0)" ::"r"(data + 512) : "memory");
    seen_expect(data, 512, 516, PROA_STORES, 1);
    if (!__builtin_cpu_supports("avx2"))
        return;
    DO("vmovups %%ymm0, (%0)" ::"r"(data + 513) : "memory");
    seen_expect(data, 513, 545, PROA_STORES, 1);
}

/* Elements 0 and 2. */
static void masked(void)
{
    static const int mask[8] = {-1, 0, -1, 0, 0, 0, 0, 0}, index[8] = {0, 9, 3, 9, 9, 9, 9, 9};
    struct proa_touched_counts counts;

    if (!__builtin_cpu_supports("avx2"))
        return;
    DO("vmovdqu (%1), %%ymm1\n\tvmaskmovps %%ymm0, %%ymm1, (%0)" ::"r"(data + 512), "r"(mask)
       : "xmm1", "memory");
    seen_take(&counts);
    CHECK(seen_count == 2 && seen_find(data + 512, 4, PROA_STORES));
    CHECK(seen_find(data + 520, 4, PROA_STORES) && counts.of[PROA_STORES] == 2);
    DO("vmovdqu (%1), %%ymm1\n\tvmaskmovps (%0), %%ymm1, %%ymm0" ::"r"(data + 512), "r"(mask)
       : "xmm0", "xmm1");
    seen_take(&counts);
    CHECK(seen_count == 2 && seen_find(data + 512, 4, PROA_LOADS));
    CHECK(seen_find(data + 520, 4, PROA_LOADS) && counts.of[PROA_LOADS] == 2);
    DO("vmovdqu (%1), %%ymm1\n\tvmovdqu (%2), %%ymm2\n\tvpgatherdd %%ymm1, (%0,%%ymm2,4), %%ymm0" ::
           "r"(data + 512),
       "r"(mask), "r"(index)
       : "xmm0", "xmm1", "xmm2");
    seen_take(&counts);
    CHECK(seen_count == 2 && seen_find(data + 512, 4, PROA_LOADS));
    CHECK(seen_find(data + 524, 4, PROA_LOADS) && counts.of[PROA_LOADS] == 2);
}

/* Of an access the watched bytes alone, of a range loads or stores alone, of two ranges each. */
static void ranges(void)
{
    unsigned char *at = other + 100;

    seen_watch(at, 4, PROA_LOADS);
    seen_watch(at + 6, 2, PROA_STORES);
    DO("movq (%0), %%rax" ::"r"(at - 2) : "rax");
    seen_expect(at, 0, 4, PROA_LOADS, 1);
    DO("movq %%rax, (%0)" ::"r"(at) : "memory");
    seen_expect(at, 6, 8, PROA_STORES, 1);
    seen_watch(at, 8, PROA_LOADS_AND_STORES);
    seen_unwatch(at, 4, PROA_LOADS);
    DO("movq (%0), %%rax" ::"r"(at) : "rax");
    seen_expect(at, 0, 8, PROA_LOADS, 1);
    seen_unwatch(at, 8, PROA_LOADS_AND_STORES);
    DO("movq %%rax, (%0)" ::"r"(at) : "memory");
    seen_expect(at, 6, 8, PROA_STORES, 1);
    seen_unwatch(at + 6, 2, PROA_STORES);
    DO("movq %%rax, (%0)" ::"r"(at) : "memory");
    seen_expect_nothing();
}

/* 2 GiB: addresses in it share a place of the map. */
static void large(void)
{
    const size_t bytes = (size_t)1 << 31;
    unsigned char *memory = malloc(bytes + 128);

    seen_watch(memory, bytes, PROA_LOADS_AND_STORES);
    memory[bytes] = 1;
    seen_expect_nothing();
    memory[bytes - 1] = 1;
    seen_expect(memory, bytes - 1, bytes, PROA_STORES, 1);
    *(volatile int *)(memory + bytes - 2) = 1;
    seen_expect(memory, bytes - 2, bytes, PROA_STORES, 1);
    seen_unwatch(memory, bytes, PROA_LOADS_AND_STORES);
    memory[bytes - 1] = 2;
    seen_expect_nothing();
    free(memory);
}

int main(void)
{
    seen_begin();
    data[8] = 1;
    seen_expect_nothing(); /* nothing is watched */
    seen_watch(data, sizeof data, PROA_LOADS_AND_STORES);
    plain();
    atomic();
    wide_swap();
    strings();
    floating();
    vectors();
    masked();
    ranges();
    large();
    return 0;
}
