/* See available.h. Sources: /proc/meminfo (proc(5)), cgroup v2 memory.max and memory.current, cgroup v1 memory.limit_in_bytes. */
#include "core/available.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const uint64_t margin_bytes = 64ull << 20;

static uint64_t less(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

static uint64_t meminfo_available(void)
{
    FILE *file = fopen("/proc/meminfo", "re");
    char line[128];
    uint64_t kib, total = 0, found = 0;

    if (!file)
        return UINT64_MAX;
    while (fgets(line, sizeof line, file))
        if (sscanf(line, "MemAvailable: %" SCNu64, &kib) == 1 || sscanf(line, "SwapFree: %" SCNu64, &kib) == 1) {
            total += kib << 10;
            found = 1;
        }
    fclose(file);
    return found ? total : UINT64_MAX;
}

/* The number in DIR/NAME; UINT64_MAX for "max" or no such file. */
static uint64_t cgroup_number(const char *dir, const char *name)
{
    char path[600];
    uint64_t value = UINT64_MAX;
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", dir, name);
    file = fopen(path, "re");
    if (!file)
        return UINT64_MAX;
    if (fscanf(file, "%" SCNu64, &value) != 1)
        value = UINT64_MAX;
    fclose(file);
    return value;
}

static uint64_t cgroup_left(const char *dir, const char *limit_name, const char *use_name)
{
    uint64_t limit = cgroup_number(dir, limit_name), use = cgroup_number(dir, use_name);

    return limit == UINT64_MAX || use == UINT64_MAX ? UINT64_MAX : less(limit, use);
}

static uint64_t cgroup_available(void)
{
    FILE *file = fopen("/proc/self/cgroup", "re");
    char line[512], dir[560];
    uint64_t left = UINT64_MAX, here;

    if (!file)
        return left;
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        here = UINT64_MAX;
        if (strncmp(line, "0::", 3) == 0) {
            snprintf(dir, sizeof dir, "/sys/fs/cgroup%s", line + 3);
            here = cgroup_left(dir, "memory.max", "memory.current");
        } else if (strstr(line, ":memory:")) {
            snprintf(dir, sizeof dir, "/sys/fs/cgroup/memory%s", strstr(line, ":memory:") + 8);
            here = cgroup_left(dir, "memory.limit_in_bytes", "memory.usage_in_bytes");
        }
        left = here < left ? here : left;
    }
    fclose(file);
    return left;
}

uint64_t proa_memory_available(void)
{
    uint64_t node = meminfo_available(), group = cgroup_available();
    uint64_t least = node < group ? node : group;

    return least == UINT64_MAX ? least : less(least, margin_bytes);
}
