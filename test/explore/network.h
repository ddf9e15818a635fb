/* SPDX-License-Identifier: BSD-3-Clause */
/* The networks of the one process of a scenario that has any: they stand in the place of
 * src/progress/endpoints.c. All but the last two is inside the progress engine. */
#ifndef PROA_EXPLORE_NETWORK_H
#define PROA_EXPLORE_NETWORK_H

#include "progress/progress.h"

struct network {
    /* NULL: nothing comes, and all is sent at once */
    int (*progress)(void);
    int (*send)(const void *body, size_t bytes);
    int (*move)(void *here, size_t bytes, uint64_t token);
};

/* For `setup`: the scenario's. NULL: nothing comes or goes. */
void network_make(const struct network *network);

/* For `prepare`: the lists of requests of that process (requests.c). */
void requests_share(void);

/* What the network's library keeps for itself, as plain data: each call that is inside changes it,
 * and so does the library's end. */
void network_library(void);

/* Something has come, of which a doze hears. */
void network_arrives(void);

#endif
