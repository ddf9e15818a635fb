/* SPDX-License-Identifier: BSD-3-Clause */
/* See available.h. Sources: /proc/meminfo, /proc/PID/mountinfo (proc(5)), cgroups(7), the kernel's
 * cgroup-v2.rst and cgroup-v1/memory.rst. */
#include "shm/available.h"
#include "base/hash.h"
#include "base/system.h"
#include "shm/segment.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const uint64_t margin_bytes = 64ull << 20;

enum { LINE_ROOM = 1024 };

/* The names of the same values in the two versions of control groups. */
static const struct {
    const char *limit, *use, *droppable[3];
} names[] = {
    [1] = {"memory.limit_in_bytes",
           "memory.usage_in_bytes",
           {"total_inactive_file", "total_active_file"}},
    [2] = {"memory.max", "memory.current", {"inactive_file", "active_file", "slab_reclaimable"}},
};

static uint64_t less(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

static FILE *open_in(const char *folder, const char *name)
{
    char path[PROA_GROUP_ROOM + 64];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    return fopen(path, "re");
}

/* Returns the sum of the values with these names in a file, one a line; UINT64_MAX if there is
 * none. */
static uint64_t sum_in(const char *folder, const char *file_name, const char *const names[3])
{
    FILE *file = open_in(folder, file_name);
    char line[128], name[64];
    uint64_t value, total = 0;
    int found = 0;

    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "%63s %" SCNu64, name, &value) == 2)
            for (int i = 0; i < 3; i++)
                if (names[i] && strcmp(name, names[i]) == 0) {
                    total += value;
                    found = 1;
                }
    if (file)
        fclose(file);
    return found ? total : UINT64_MAX;
}

static uint64_t node_available(const char *root)
{
    static const char *const kib[3] = {"MemAvailable:", "SwapFree:"};
    uint64_t sum = sum_in(root, "proc/meminfo", kib);

    return sum == UINT64_MAX ? sum : sum << 10;
}

/* ---- one control group ---- */

/* Returns the number in a file; UINT64_MAX for "max" or if there is no such file. It avoids stdio,
 * whose buffers take longer than the kernel. */
static uint64_t number_in(const char *folder, const char *name)
{
    char path[PROA_GROUP_ROOM + 64], text[32];
    uint64_t value;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    proa_file_read(path, text, sizeof text);
    return sscanf(text, "%" SCNu64, &value) == 1 ? value : UINT64_MAX;
}

/* Returns the bytes left to the group, at most `most`. Droppable memory counts as used, but the
 * kernel reclaims it on demand: cached contents of files, and the kernel's own data about them.
 * Shared memory is not droppable, though it lies in files too. Droppable memory is read only if
 * needed, as the kernel sums it up for each reader. */
static uint64_t left_to(const char *folder, int version, uint64_t most)
{
    uint64_t limit = number_in(folder, names[version].limit),
             use = number_in(folder, names[version].use), left, droppable;

    if (limit == UINT64_MAX || use == UINT64_MAX)
        return most;
    left = less(limit, use);
    if (left < most) {
        droppable = sum_in(folder, "memory.stat", names[version].droppable);
        left = less(limit, droppable == UINT64_MAX ? use : less(use, droppable));
    }
    return left < most ? left : most;
}

/* ---- which control groups ---- */

/* Adds folder and all its parents up to top. */
static void add_upwards(struct proa_groups *groups, int version, char *folder, size_t top)
{
    const char *slash;

    while (groups->count < PROA_GROUPS_MOST) {
        groups->group[groups->count].version = version;
        snprintf(groups->group[groups->count++].folder, PROA_GROUP_ROOM, "%s", folder);
        slash = strrchr(folder, '/');
        if (!slash || (size_t)(slash - folder) < top)
            return;
        folder[slash - folder] = '\0';
    }
}

/* Returns whether "memory" is one of the names, which are separated by commas. */
static int has_memory(const char *names_begin, const char *names_end)
{
    for (const char *name = names_begin; name < names_end; name += strcspn(name, ",:") + 1)
        if (strcspn(name, ",:") == 6 && strncmp(name, "memory", 6) == 0)
            return 1;
    return 0;
}

/* Finds the path of the process's group in the hierarchy of this version, from /proc/self/cgroup.
 * Returns 1, or 0 if the process is in none. */
static int group_path(const char *root, int version, char path[LINE_ROOM])
{
    FILE *file = open_in(root, "proc/self/cgroup");
    char line[LINE_ROOM];
    int found = 0;

    while (file && !found && fgets(line, sizeof line, file)) {
        const char *controllers = strchr(line, ':'),
                   *at = controllers ? strchr(controllers + 1, ':') : NULL;

        if (!at)
            continue;
        line[strcspn(line, "\n")] = '\0';
        found = version == 2 ? strncmp(line, "0::", 3) == 0 : has_memory(controllers + 1, at);
        if (found)
            strcpy(path, at + 1);
    }
    if (file)
        fclose(file);
    return found;
}

/* Adds path as visible through a mount that shows only the part below `shown`. Containers see a
 * part of the hierarchy, or a path that does not exist there. */
static void add_below(struct proa_groups *groups, int version, const char *mount, const char *shown,
                      const char *path)
{
    char folder[PROA_GROUP_ROOM];
    size_t top = strlen(mount), length = strcmp(shown, "/") == 0 ? 0 : strlen(shown);

    if (top + strlen(path) >= sizeof folder)
        return;
    snprintf(folder, sizeof folder, "%s", mount);
    if (!strstr(path, "/..") && strncmp(path, shown, length) == 0 &&
        (path[length] == '/' || path[length] == '\0') && strcmp(path + length, "/") != 0)
        snprintf(folder + top, sizeof folder - top, "%s", path + length);
    if (access(folder, F_OK) != 0)
        folder[top] = '\0';
    add_upwards(groups, version, folder, top);
}

/* Returns the version of the hierarchy in this line of mountinfo, or 0 if it has no memory
 * controller. Type, source and options follow " - ". */
static int mount_version(const char *line)
{
    const char *type = strstr(line, " - ");

    if (type && strncmp(type, " - cgroup2 ", 11) == 0)
        return 2;
    return type && strncmp(type, " - cgroup ", 10) == 0 && strstr(type, "memory") ? 1 : 0;
}

void proa_groups_find(const char *root, struct proa_groups *groups)
{
    FILE *file = open_in(root, "proc/self/mountinfo");
    char line[LINE_ROOM], path[LINE_ROOM], shown[PROA_GROUP_ROOM], at[PROA_GROUP_ROOM],
        mount[2 * PROA_GROUP_ROOM];
    int version, seen[3] = {0}; /* the first mount of a hierarchy suffices */

    groups->count = 0;
    while (file && fgets(line, sizeof line, file)) {
        version = mount_version(line);
        if (!version || seen[version] || sscanf(line, "%*s %*s %*s %511s %511s", shown, at) != 2 ||
            !group_path(root, version, path))
            continue;
        seen[version] = 1;
        snprintf(mount, sizeof mount, "%s%s", root, at);
        add_below(groups, version, mount, shown, path);
    }
    if (file)
        fclose(file);
}

/* ---- the whole ---- */

uint64_t proa_memory_available_in(const char *root, const struct proa_groups *groups)
{
    uint64_t least = node_available(root);

    for (int i = 0; i < groups->count; i++)
        least = left_to(groups->group[i].folder, groups->group[i].version, least);
    return least == UINT64_MAX ? least : less(least, margin_bytes);
}

/* Returns the hash of the kernel's list of the groups of this process; 0 if there is none. */
static uint64_t group_lines(void)
{
    FILE *file = open_in("", "proc/self/cgroup");
    char line[LINE_ROOM];
    uint64_t hash = 0;

    while (file && fgets(line, sizeof line, file))
        hash = proa_hash_text(hash, line);
    if (file)
        fclose(file);
    return hash;
}

/* The groups are searched again if the process was moved: a batch system may move it after its
 * start. */
uint64_t proa_memory_available(void)
{
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    static struct proa_groups groups;
    static uint64_t lines;
    static int are_known;
    struct proa_groups now;
    uint64_t lines_now;

    pthread_mutex_lock(&mutex);
    lines_now = group_lines();
    if (!are_known || lines != lines_now) {
        lines = lines_now;
        proa_groups_find("", &groups);
        are_known = 1;
    }
    now = groups;
    pthread_mutex_unlock(&mutex);
    return proa_memory_available_in("", &now);
}

/* ---- lately ---- */

int proa_memory_is_strict_in(const char *root)
{
    return number_in(root, "proc/sys/vm/overcommit_memory") == 2;
}

static uint64_t strict_now(void)
{
    return (uint64_t)proa_memory_is_strict_in("");
}

uint64_t proa_look_renew(struct proa_look *look, int64_t now_ns)
{
    if (!look->at_ns || now_ns - look->at_ns > look->lasts_ns) {
        look->seen = look->see();
        look->at_ns = now_ns;
    }
    return look->seen;
}

static uint64_t look_lately(struct proa_look *look)
{
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    uint64_t seen;

    pthread_mutex_lock(&mutex);
    seen = proa_look_renew(look, proa_system->now_ns());
    pthread_mutex_unlock(&mutex);
    return seen;
}

uint64_t proa_memory_available_lately(void)
{
    static struct proa_look look = {.see = proa_memory_available, .lasts_ns = PROA_LOOK_NS};

    return look_lately(&look);
}

int proa_memory_is_strict(void)
{
    static struct proa_look look = {.see = strict_now, .lasts_ns = PROA_STRICT_NS};

    return look_lately(&look) != 0;
}
