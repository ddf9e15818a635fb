/* SPDX-License-Identifier: BSD-3-Clause */
/* A client of PMIx that has no manager, for pmix.c: PREFIX stands before its names. Ranks 1 and 3
 * have put no key of Proa's; the keys of ranks 2 and 3 come when a key of theirs is fetched. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define GLUE(a, b) a##b
#define PASTE(a, b) GLUE(a, b)
#define NAME(name) PASTE(PREFIX, name)

enum { NOT_FOUND = -46, LOCAL = 1, GLOBAL = 3, INT = 6, PROCESS_BYTES = 256 };

/* As in the library's headers. */
struct value {
    uint16_t type;
    union {
        uint8_t flag;
        int integer;
        void *room[3];
    } data;
};

struct info {
    char key[512];
    uint32_t directives;
    struct value value;
};

int NAME(PMIx_Put)(uint8_t scope, const char *key, void *value);
int NAME(PMIx_Commit)(void);
int NAME(PMIx_Get)(const char *process, const char *key, const struct info *infos, size_t count,
                   void **value);
int client_start(void);

int client_starts, client_puts, client_commits, client_fetches;
static int uncommitted, is_fetched[4];
static struct value ours; /* the last that was put */

int NAME(PMIx_Put)(uint8_t scope, const char *key, void *value)
{
    (void)scope;
    if (strcmp(key, "proa") == 0) {
        memcpy(&ours, value, sizeof ours);
        uncommitted++;
    }
    return 0;
}

int NAME(PMIx_Commit)(void)
{
    client_puts += uncommitted;
    client_commits++;
    uncommitted = 0;
    return 0;
}

int NAME(PMIx_Get)(const char *process, const char *key, const struct info *infos, size_t count,
                   void **value)
{
    uint32_t rank;

    memcpy(&rank, process + PROCESS_BYTES, sizeof rank);
    if (count != 1)
        return NOT_FOUND;
    if (strcmp(infos->key, "pmix.timeout") == 0 && infos->value.type == INT &&
        strcmp(key, "host") == 0) {
        client_fetches++;
        is_fetched[rank] = 1;
    } else if (strcmp(infos->key, "pmix.immediate") != 0 || strcmp(key, "proa") != 0 ||
               rank % 2 == 1 || (rank == 2 && !is_fetched[rank])) {
        return NOT_FOUND;
    }
    *value = calloc(1, sizeof infos->value);
    if (*value && strcmp(key, "proa") == 0)
        memcpy(*value, &ours, sizeof ours);
    return 0;
}

/* As the host's start does; LOCAL keys stay on the node. A call at the very end would not be known
 * as this library's. */
int client_start(void)
{
    int status;

    NAME(PMIx_Put)(GLOBAL, "pmix.hname", NULL);
    NAME(PMIx_Put)(LOCAL, "near", NULL);
    NAME(PMIx_Put)(GLOBAL, "host", NULL);
    NAME(PMIx_Put)(GLOBAL, "not of all", NULL);
    status = NAME(PMIx_Commit)();
    client_starts++;
    return status;
}
