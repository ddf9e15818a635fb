/* SPDX-License-Identifier: BSD-3-Clause */
/* Which networks processes have in common, and in which order they are tried (net/offer.h). */
#include "net/offer.h"

#include <arpa/inet.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { TCP = 1, UDP = 2, ROCE = 3, FABRIC = 4, PROCESSES = 3 };

static struct proa_offers all[PROCESSES];
static struct proa_common list[PROA_COMMON_MOST];

/* Processes of different machines without any network. */
static int machines(void **state)
{
    (void)state;
    memset(all, 0, sizeof all);
    for (int i = 0; i < PROCESSES; i++)
        all[i].machine = 100 + (uint64_t)i;
    return 0;
}

static struct proa_offer *add(int process, uint32_t kind, int worth, const char *address, int bits)
{
    struct proa_offer *one = &all[process].offer[all[process].count++];

    *one = (struct proa_offer){.kind = kind, .worth = (int16_t)worth, .flags = PROA_OFFER_IP};
    if (inet_pton(AF_INET6, address, one->address) == 1) {
        one->bits = (uint8_t)bits;
        return one;
    }
    assert_int_equal(inet_pton(AF_INET, address, one->address + 12), 1);
    one->address[10] = one->address[11] = 0xff;
    one->bits = (uint8_t)(96 + bits);
    return one;
}

/* One on each process: PREFIX with the number of the process behind it. */
static void add_all(uint32_t kind, int worth, const char *prefix, int bits)
{
    char address[64];

    for (int i = 0; i < PROCESSES; i++) {
        snprintf(address, sizeof address, "%s%d", prefix, i + 1);
        add(i, kind, worth, address, bits);
    }
}

static int common(void)
{
    void *room = malloc(proa_offers_room(PROCESSES));
    int count;

    assert_non_null(room);
    count = proa_offers_common(all, PROCESSES, room, list);
    free(room);
    return count;
}

static void is_called(int at, const char *name)
{
    char text[64];

    proa_common_name(&list[at], text, sizeof text);
    assert_string_equal(text, name);
}

/* Which offers the processes use on the network at that place of the list. */
static void picks(int at, int a, int b, int c)
{
    assert_int_equal(proa_offers_pick(&all[0], &list[at]), a);
    assert_int_equal(proa_offers_pick(&all[1], &list[at]), b);
    assert_int_equal(proa_offers_pick(&all[2], &list[at]), c);
}

static void subnet_in_common(void **state)
{
    (void)state;
    add(0, TCP, 0, "10.1.0.1", 24);
    add(1, TCP, 0, "10.2.0.1", 24);
    add(2, TCP, 0, "10.3.0.1", 24);
    add_all(TCP, 0, "192.0.2.", 24);
    assert_int_equal(common(), 2); /* by routes the first of each; the second is in the subnet */
    is_called(0, "192.0.2.0/24");
    picks(0, 1, 1, 1);
    is_called(1, "any subnet of IPv4");
    picks(1, 0, 0, 0);
}

static void order_of_process_0(void **state)
{
    (void)state;
    add_all(TCP, 0, "192.0.2.", 24);
    add_all(TCP, 0, "198.51.100.", 24);
    assert_int_equal(common(), 2);
    is_called(0, "192.0.2.0/24");
    is_called(1, "198.51.100.0/24");
}

/* The worst process decides what a network is worth. */
static void worth_of_all(void **state)
{
    (void)state;
    add_all(TCP, 0, "192.0.2.", 24);
    add_all(TCP, 0, "198.51.100.", 24);
    all[2].offer[0].worth = -8;
    assert_true(common() >= 2);
    is_called(0, "198.51.100.0/24");
    is_called(1, "192.0.2.0/24");
}

static void link_local_last(void **state)
{
    (void)state;
    add_all(TCP, -16, "169.254.7.", 16);
    add_all(TCP, -16, "fe80::", 64);
    for (int i = 0; i < PROCESSES; i++)
        all[i].offer[0].flags |= PROA_OFFER_LINK, all[i].offer[1].flags |= PROA_OFFER_LINK;
    add_all(TCP, 0, "192.0.2.", 24);
    assert_int_equal(common(), 3);
    is_called(0, "192.0.2.0/24");
    is_called(1, "169.254.0.0/16");
    is_called(2, "fe80::/64");
}

/* docker0 and virbr0, wherever two machines show one address. */
static void same_address(void **state)
{
    (void)state;
    add(0, TCP, 0, "172.17.0.1", 16);
    add(1, TCP, 0, "172.17.0.1", 16);
    add(2, TCP, 0, "172.17.0.2", 16);
    add_all(TCP, -8, "192.0.2.", 24);
    assert_true(common() >= 1);
    is_called(0, "192.0.2.0/24");
    for (int i = 0; i < common(); i++)
        assert_true(proa_offers_pick(&all[0], &list[i]) || proa_offers_pick(&all[1], &list[i]));
}

/* Processes of one machine share its addresses, loopback too. */
static void one_machine(void **state)
{
    uint64_t network;

    (void)state;
    for (int i = 0; i < PROCESSES; i++)
        add(i, TCP, -32, "127.0.0.1", 8)->flags |= PROA_OFFER_LOOPBACK;
    assert_int_equal(common(), 0);
    for (int i = 0; i < PROCESSES; i++)
        all[i].machine = 7;
    assert_int_equal(common(), 1);
    network = list[0].network;
    for (int i = 0; i < PROCESSES; i++)
        all[i].machine = 8;
    assert_int_equal(common(), 1);
    assert_true(network != list[0].network); /* another machine's loopback */
}

static void routed(void **state)
{
    (void)state;
    add(0, TCP, 0, "10.1.0.1", 24);
    add(1, TCP, 0, "10.2.0.1", 24);
    add(1, TCP, 0, "10.2.1.1", 24);
    add(2, TCP, 0, "10.3.0.1", 24);
    assert_int_equal(common(), 2);
    picks(0, 0, 0, 0);
    picks(1, 0, 1, 0);
}

static void providers(void **state)
{
    (void)state;
    add_all(UDP, 0, "192.0.2.", 24);
    add_all(TCP, 1, "192.0.2.", 24);
    assert_int_equal(common(), 1); /* on the same addresses one will do */
    picks(0, 1, 1, 1);
    add_all(ROCE, 4, "192.0.2.", 24);
    for (int i = 0; i < PROCESSES; i++)
        all[i].offer[2].flags |= PROA_OFFER_DEVICE;
    assert_int_equal(common(), 2); /* but for a device that may not work */
    picks(0, 2, 2, 2);
    picks(1, 1, 1, 1);
    assert_int_equal(proa_offers_stranger(all, PROCESSES), -1);
    all[1].count = 0;
    add(1, FABRIC, 4, "192.0.2.2", 24);
    assert_int_equal(common(), 0);
    assert_int_equal(proa_offers_stranger(all, PROCESSES), 1);
}

/* Without subnets: two devices are two tries. */
static void fabric(void **state)
{
    (void)state;
    for (int i = 0; i < PROCESSES; i++)
        for (int device = 0; device < 2; device++)
            add(i, FABRIC, 4, device ? "::2" : "::1", 0)->flags = PROA_OFFER_DEVICE;
    assert_int_equal(common(), 2);
    is_called(0, "its fabric");
    picks(0, 0, 0, 0);
    picks(1, 1, 1, 1);
}

/* Memory with a window of one process comes first. */
static void held(void **state)
{
    (void)state;
    add_all(TCP, 0, "192.0.2.", 24);
    add_all(TCP, -8, "198.51.100.", 24);
    all[1].offer[1].flags |= PROA_OFFER_HELD;
    assert_int_equal(common(), 2);
    is_called(0, "198.51.100.0/24");
}

/* Everybody computes the same, and no list is too long. */
static void many(void **state)
{
    struct proa_common again[PROA_COMMON_MOST];
    char prefix[32];

    (void)state;
    for (int i = 0; i < PROA_OFFERS_MOST; i++) {
        snprintf(prefix, sizeof prefix, "10.0.%d.", i);
        add_all(TCP, i % 5, prefix, 24);
    }
    assert_int_equal(common(), PROA_COMMON_MOST);
    for (int i = 1; i < PROA_COMMON_MOST; i++)
        assert_true(list[i - 1].score >= list[i].score);
    is_called(0, "10.0.4.0/24");
    memcpy(again, list, sizeof again);
    assert_int_equal(common(), PROA_COMMON_MOST);
    for (int i = 0; i < PROA_COMMON_MOST; i++)
        assert_true(again[i].network == list[i].network);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(subnet_in_common, machines),
        cmocka_unit_test_setup(order_of_process_0, machines),
        cmocka_unit_test_setup(worth_of_all, machines),
        cmocka_unit_test_setup(link_local_last, machines),
        cmocka_unit_test_setup(same_address, machines),
        cmocka_unit_test_setup(one_machine, machines),
        cmocka_unit_test_setup(routed, machines),
        cmocka_unit_test_setup(providers, machines),
        cmocka_unit_test_setup(fabric, machines),
        cmocka_unit_test_setup(held, machines),
        cmocka_unit_test_setup(many, machines),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
