/* SPDX-License-Identifier: BSD-3-Clause */
/* The key that goes with the host's keys (job/pmix.c), under either of the names that a client of
 * PMIx has: pmix_client.c, a library out of sight of this program. */
#include "job/manager.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* pmix_client.c's. */
struct client {
    void *library;
    int (*start)(void);
    const int *puts, *commits, *fetches;
};

static void symbol(struct client *client, const char *name, void *field)
{
    void *address = dlsym(client->library, name);

    assert_non_null(address);
    memcpy(field, &address, sizeof address);
}

static void open_client(struct client *client, const char *file)
{
    client->library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!client->library)
        fail_msg("%s", dlerror());
    symbol(client, "client_start", &client->start);
    symbol(client, "client_puts", &client->puts);
    symbol(client, "client_commits", &client->commits);
    symbol(client, "client_fetches", &client->fetches);
}

/* In this order: commits that are kept are kept for good. */
static void key_goes_with_the_keys(void **state)
{
    struct client client;

    (void)state;
    setenv("PMIX_NAMESPACE", "job", 1);
    open_client(&client, PMIX_CLIENT);
    assert_false(proa_manager_pmix.is_here());
    assert_int_equal(client.start(), 0); /* of a program that uses PMIx before MPI */
    assert_int_equal(*client.puts, 0);
    assert_true(proa_manager_pmix.is_here());
    assert_int_equal(proa_manager_pmix.look(0), PROA_KEY_NONE);
    proa_manager_pmix.put(proa_mark(PROA_KEY_TELLS, 1 << 21, 5));
    assert_int_equal(*client.puts, 0);
    assert_int_equal(client.start(), 0);
    assert_int_equal(*client.puts, 1);
    assert_true(proa_manager_pmix.is_here());
    assert_int_equal(proa_manager_pmix.look(0), proa_mark(PROA_KEY_TELLS, 1 << 21, 5));
    assert_int_equal(*client.fetches, 0);
    assert_int_equal(proa_manager_pmix.look(1),
                     PROA_KEY_NONE); /* its keys are here, without Proa's */
    assert_int_equal(proa_manager_pmix.look(2), proa_manager_pmix.look(0)); /* its keys come */
    assert_int_equal(proa_manager_pmix.look(3), PROA_KEY_NONE); /* its keys come, without Proa's */
    assert_int_equal(*client.fetches, 3);
    assert_int_equal(client.start(), 0);
    assert_int_equal(*client.puts, 1);
    assert_int_equal(*client.commits, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(key_goes_with_the_keys)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
