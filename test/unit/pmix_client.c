/* SPDX-License-Identifier: BSD-3-Clause */
/* A client of PMIx that has no manager, for pmix.c: PREFIX stands before its names. Rank 1 alone
 * has put no key. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define GLUE(a, b) a##b
#define PASTE(a, b) GLUE(a, b)
#define NAME(name) PASTE(PREFIX, name)

enum { NOT_FOUND = -46, BOOL = 1, PROCESS_BYTES = 256 };

/* As in the library's headers. */
struct info {
    char key[512];
    uint32_t directives;
    struct {
        uint16_t type;
        union {
            uint8_t flag;
            void *room[3];
        } data;
    } value;
};

int NAME(PMIx_Put)(uint8_t scope, const char *key, void *value);
int NAME(PMIx_Commit)(void);
int NAME(PMIx_Get)(const char *process, const char *key, const struct info *infos, size_t count,
                   void **value);
int NAME(PMIx_Fence)(const void *processes, size_t n, const struct info *infos, size_t count);
int NAME(PMIx_Fence_nb)(const void *processes, size_t n, const struct info *infos, size_t count,
                        void (*done)(int, void *), void *context);
int client_start(int brings_keys, int waits);

int client_puts, client_fences;
static int uncommitted;

int NAME(PMIx_Put)(uint8_t scope, const char *key, void *value)
{
    (void)scope;
    (void)value;
    uncommitted += strcmp(key, "proa") == 0;
    return 0;
}

int NAME(PMIx_Commit)(void)
{
    client_puts += uncommitted;
    uncommitted = 0;
    return 0;
}

int NAME(PMIx_Get)(const char *process, const char *key, const struct info *infos, size_t count,
                   void **value)
{
    uint32_t rank;

    memcpy(&rank, process + PROCESS_BYTES, sizeof rank);
    if (rank == 1 || strcmp(key, "proa") != 0 || count != 1 ||
        strcmp(infos->key, "pmix.immediate") != 0)
        return NOT_FOUND;
    *value = calloc(1, sizeof infos->value);
    return 0;
}

int NAME(PMIx_Fence)(const void *processes, size_t n, const struct info *infos, size_t count)
{
    (void)processes;
    (void)n;
    (void)infos;
    (void)count;
    client_fences++;
    return 0;
}

int NAME(PMIx_Fence_nb)(const void *processes, size_t n, const struct info *infos, size_t count,
                        void (*done)(int, void *), void *context)
{
    int status = NAME(PMIx_Fence)(processes, n, infos, count);

    if (done)
        done(status, context);
    return status;
}

/* What the host's start does. */
int client_start(int brings_keys, int waits)
{
    struct info collect = {.key = "pmix.collect", .value = {.type = BOOL}};

    collect.value.data.flag = (uint8_t)brings_keys;
    return waits ? NAME(PMIx_Fence)(NULL, 0, &collect, 1)
                 : NAME(PMIx_Fence_nb)(NULL, 0, &collect, 1, NULL, NULL);
}
