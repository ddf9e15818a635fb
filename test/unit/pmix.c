/* SPDX-License-Identifier: BSD-3-Clause */
/* The key that goes with the host's fence (host/pmix.c), under either of the names that a client of
 * PMIx has: pmix_client.c, a library out of sight of this program. */
#include "host/manager.h"

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
    int (*start)(int brings_keys, int waits);
    const int *puts, *fences;
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
    symbol(client, "client_fences", &client->fences);
}

/* In this order: what is kept of the fence is kept for good. */
static void key_goes_with_the_fence(void **state)
{
    struct client client;

    (void)state;
    setenv("PMIX_NAMESPACE", "job", 1);
    open_client(&client, PMIX_CLIENT);
    proa_manager_pmix.put();
    assert_int_equal(*client.puts, 0);
    assert_int_equal(client.start(0, 1), 0); /* a fence that brings no keys along */
    assert_int_equal(*client.puts, 0);
    assert_false(proa_manager_pmix.is_here());
    assert_int_equal(client.start(1, PMIX_WAITS), 0);
    assert_int_equal(*client.puts, 1);
    assert_int_equal(*client.fences, 2);
    assert_true(proa_manager_pmix.is_here());
    assert_true(proa_manager_pmix.has(0));
    assert_false(proa_manager_pmix.has(1)); /* the client knows of no such key */
    assert_int_equal(client.start(1, 1), 0);
    assert_int_equal(*client.puts, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(key_goes_with_the_fence)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
