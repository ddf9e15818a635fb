/* SPDX-License-Identifier: BSD-3-Clause */
/* How much memory is left (shm/available.h), asked of folders that look like /proc and
 * /sys/fs/cgroup. */
#include "shm/available.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

static const uint64_t mib = 1 << 20;
enum { MARGIN = 64 }; /* MiB that are never given */

static char root[32];

/* ---- files under root ---- */

static void make_folders(char *path)
{
    for (char *slash = strchr(path + strlen(root) + 1, '/'); slash;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
}

static void put_text(const char *name, const char *text)
{
    char path[400];
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", root, name);
    make_folders(path);
    file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void put_mib(const char *folder, const char *name, uint64_t value)
{
    unsigned long long bytes = value * mib;
    char path[300], text[32];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    snprintf(text, sizeof text, "%llu\n", bytes);
    put_text(path, text);
}

static void group_v2(const char *folder, uint64_t limit, uint64_t use, const char *stat)
{
    char path[300];

    put_mib(folder, "memory.max", limit);
    put_mib(folder, "memory.current", use);
    snprintf(path, sizeof path, "%s/memory.stat", folder);
    put_text(path, stat);
}

static void group_v1(const char *folder, uint64_t limit, uint64_t use, const char *stat)
{
    char path[300];

    put_mib(folder, "memory.limit_in_bytes", limit);
    put_mib(folder, "memory.usage_in_bytes", use);
    snprintf(path, sizeof path, "%s/memory.stat", folder);
    put_text(path, stat);
}

/* 10 GiB on the node. */
static int open_root(void **state)
{
    (void)state;
    strcpy(root, "/tmp/proa-unit-XXXXXX");
    assert_non_null(mkdtemp(root));
    put_text("proc/meminfo",
             "MemTotal: 20971520 kB\nMemAvailable:   8388608 kB\nSwapFree: 2097152 kB\n");
    return 0;
}

static int close_root(void **state)
{
    char command[64];
    (void)state;

    snprintf(command, sizeof command, "rm -rf %s", root);
    return system(command);
}

static uint64_t left_mib(void)
{
    struct proa_groups groups;

    proa_groups_find(root, &groups);
    return proa_memory_available_in(root, &groups) / mib;
}

#define MOUNT_V2(shown) "30 20 0:26 " shown " /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw\n"
#define MOUNT_V1(shown) \
    "31 20 0:27 " shown " /sys/fs/cgroup/memory rw,nosuid - cgroup cgroup rw,memory\n"

/* ---- tests ---- */

static void node_alone(void **state)
{
    (void)state;
    assert_int_equal(left_mib(), 10240 - MARGIN);
    put_text("proc/self/mountinfo", MOUNT_V2("/"));
    put_text("proc/self/cgroup", "0::/job\n");
    put_text("sys/fs/cgroup/job/memory.max", "max\n");
    put_text("sys/fs/cgroup/job/memory.current", "1000000\n");
    assert_int_equal(left_mib(), 10240 - MARGIN);
    put_text("proc/meminfo", "nothing of use\n");
    assert_true(left_mib() == UINT64_MAX / mib);
}

/* A job that has read large files: all but 200 MiB of what it uses can be dropped. Shared memory
 * cannot. */
static void files_read_v2(void **state)
{
    (void)state;
    put_text("proc/self/mountinfo", MOUNT_V2("/"));
    put_text("proc/self/cgroup", "0::/job\n");
    group_v2("sys/fs/cgroup/job", 1000, 990,
             "anon 104857600\nfile 734003200\nshmem 104857600\ninactive_anon "
             "104857600\nactive_anon 104857600\n"
             "inactive_file 419430400\nactive_file 314572800\nslab_reclaimable "
             "94371840\nslab_unreclaimable 1048576\n");
    assert_int_equal(left_mib(), 1000 - (990 - 400 - 300 - 90) - MARGIN);
    group_v2("sys/fs/cgroup/job", 1000, 990, "anon 1038090240\ninactive_file 0\n");
    assert_int_equal(left_mib(), 0);
}

static void files_read_v1(void **state)
{
    (void)state;
    put_text("proc/self/mountinfo",
             "29 20 0:25 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n" MOUNT_V1("/"));
    put_text("proc/self/cgroup",
             "9:name=systemd:/job\n5:cpuset,memory,cpu:/job\n3:memoryless:/other\n0::/\n");
    group_v1("sys/fs/cgroup/memory/job", 500, 490,
             "cache 419430400\ninactive_file 1\nactive_file 1\ntotal_cache "
             "419430400\ntotal_inactive_file 209715200\ntotal_active_file 104857600\n");
    assert_int_equal(left_mib(), 500 - (490 - 200 - 100) - MARGIN);
}

/* The least of all that the group lies in. */
static void ancestors(void **state)
{
    (void)state;
    put_text("proc/self/mountinfo", MOUNT_V2("/"));
    put_text("proc/self/cgroup", "0::/slice/job/step\n");
    group_v2("sys/fs/cgroup/slice/job/step", 4000, 100, "");
    group_v2("sys/fs/cgroup/slice/job", 3000, 200, "");
    group_v2("sys/fs/cgroup/slice", 3000, 2500, "inactive_file 104857600\n");
    assert_int_equal(left_mib(), 600 - MARGIN);
    group_v2("sys/fs/cgroup/slice/job", 3000, 2900, "");
    assert_int_equal(left_mib(), 100 - MARGIN);
    group_v2("sys/fs/cgroup/slice/job/step", 4000, 3930, "");
    assert_int_equal(left_mib(), 70 - MARGIN);
}

/* In a container: the mount shows the container's own group as its root, and /proc/self/cgroup has
 * the whole path, which is not there. */
static void in_container(void **state)
{
    static const char *const paths[] = {"0::/docker/abc\n", "0::/docker/abc/inner\n", "0::/\n",
                                        "0::/../elsewhere\n", "0::/docker/abcdef\n"};
    (void)state;

    put_text("proc/self/mountinfo", MOUNT_V2("/docker/abc"));
    group_v2("sys/fs/cgroup", 800, 300, "inactive_file 104857600\n");
    group_v2("sys/fs/elsewhere", 90, 0, "");
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        put_text("proc/self/cgroup", paths[i]);
        assert_int_equal(left_mib(), 600 - MARGIN);
    }
    group_v2("sys/fs/cgroup/inner", 400, 0, "");
    put_text("proc/self/cgroup", "0::/docker/abc/inner\n");
    assert_int_equal(left_mib(), 400 - MARGIN);
}

/* Two hierarchies, one of each version: the memory controller is in the first. */
static void both_versions(void **state)
{
    (void)state;
    put_text("proc/self/mountinfo",
             MOUNT_V1("/") "32 20 0:28 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
    put_text("proc/self/cgroup", "4:memory:/job\n0::/job\n");
    group_v1("sys/fs/cgroup/memory/job", 700, 100, "");
    put_text("sys/fs/cgroup/unified/job/cgroup.procs", "1\n");
    assert_int_equal(left_mib(), 600 - MARGIN);
}

static uint64_t see_available(void)
{
    return proa_memory_available_in(root, &(struct proa_groups){0});
}

static uint64_t see_strict(void)
{
    return (uint64_t)proa_memory_is_strict_in(root);
}

/* A look is as good as a new one for a while. */
static void lately(void **state)
{
    struct proa_look available = {.see = see_available, .lasts_ns = 10},
                     strict = {.see = see_strict, .lasts_ns = 20};
    (void)state;

    put_text("proc/sys/vm/overcommit_memory", "2\n");
    assert_int_equal(proa_look_renew(&available, 5) / mib, 10240 - MARGIN);
    assert_int_equal(proa_look_renew(&strict, 5), 1);
    put_text("proc/meminfo", "MemAvailable: 1048576 kB\n");
    put_text("proc/sys/vm/overcommit_memory", "0\n");
    assert_int_equal(proa_look_renew(&available, 15) / mib, 10240 - MARGIN);
    assert_int_equal(proa_look_renew(&strict, 25), 1);
    assert_int_equal(proa_look_renew(&available, 16) / mib, 1024 - MARGIN);
    assert_int_equal(proa_look_renew(&strict, 26), 0);
}

/* On every machine: less than an address space, more than nothing. */
static void this_machine(void **state)
{
    uint64_t bytes = proa_memory_available(), before = proa_memory_available_lately();
    (void)state;

    assert_true(bytes > 0 && bytes < UINT64_C(1) << 50);
    assert_true(before > 0 && before < UINT64_C(1) << 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(node_alone, open_root, close_root),
        cmocka_unit_test_setup_teardown(files_read_v2, open_root, close_root),
        cmocka_unit_test_setup_teardown(files_read_v1, open_root, close_root),
        cmocka_unit_test_setup_teardown(ancestors, open_root, close_root),
        cmocka_unit_test_setup_teardown(in_container, open_root, close_root),
        cmocka_unit_test_setup_teardown(both_versions, open_root, close_root),
        cmocka_unit_test_setup_teardown(lately, open_root, close_root),
        cmocka_unit_test(this_machine),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
