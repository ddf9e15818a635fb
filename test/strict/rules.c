/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The profiles, one row a rule: the page that states it, and its words in short. Pages are those of
 * libfabric 1.17 and 2.1 (verbs, rxm, efa, lnx), and of later sources (cxi, psm3, opx). Rows
 * without a page in section 7 are attributes that fi_info(1) shows, as those sources have them; or
 * the kernel's part in registration.
 *
 * STRICT_PROFILE names the profile, tcp without it. STRICT_RULES changes rules of it, by their
 * names here in small letters: no_order=1,memlock=1.
 */
#include "strict.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct row {
    const char *profile;
    enum strict_rule rule;
    uint64_t value;
    const char *page, *words;
};

#define BASIC (FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY)

/* Of the provider's documentation: prov/efa/docs/efa_fabric_comparison.md in libfabric 2. */
#define EFA_FABRICS "efa_fabric_comparison.md"

static const struct row rows[] = {
    {"verbs", RULE_MR_MODE, FI_MR_LOCAL | BASIC, "fi_verbs(7)",
     "FI_MR_LOCAL mr mode is required, and only FI_MR_BASIC is supported"},
    {"verbs", RULE_NO_DELIVERY, 1, "fi_verbs(7)",
     "operation flags are FI_INJECT, FI_COMPLETION, FI_REMOTE_CQ_DATA and FI_TRANSMIT_COMPLETE"},
    {"verbs", RULE_LATE, 1, "fi_verbs(7)",
     "a write is transmit complete at most, which does not say that its bytes are visible"},
    {"verbs", RULE_NO_FENCE, 1, "fi_rxm(7)", "FI_FENCE is not supported"},
    {"verbs", RULE_STORM, 64, "fi_rxm(7)", "the first data transfer calls return FI_EAGAIN"},
    {"verbs", RULE_CQ_ROOM, 1, "fi_verbs(7)",
     "the application has to make sure that queues are not overrun"},
    {"verbs", RULE_IOV, 4, "fi_verbs(7)", "FI_VERBS_TX_IOV_LIMIT is 4"},
    {"verbs", RULE_QUEUE, 384, "fi_verbs(7)", "FI_VERBS_TX_SIZE and FI_VERBS_RX_SIZE are 384"},
    {"verbs", RULE_UNMANAGED, 1, "fi_domain(3)",
     "without resource management, a call beyond a transmit or receive context is an undefined "
     "error"},
    {"verbs", RULE_MESSAGE, 1 << 30, "fi_info(1)", "max_msg_size is the port's, 1 GiB"},
    {"verbs", RULE_NAME_BYTES, 48, "fi_verbs(7)", "FI_SOCKADDR_IB, of 48 bytes, is an address"},
    {"verbs", RULE_PIN_NS, 250, "ibv_reg_mr(3)", "registered memory is pinned"},

    {"cxi", RULE_MR_MODE, FI_MR_ENDPOINT | FI_MR_ALLOCATED | FI_MR_PROV_KEY, "fi_cxi(7)",
     "FI_MR_ENDPOINT is required, FI_MR_ALLOCATED without on-demand paging, and FI_MR_PROV_KEY "
     "is taken where it is offered"},
    {"cxi", RULE_KEY_BYTES, 4, "fi_cxi(7)", "keys that the client chooses have 32 bits"},
    {"cxi", RULE_LATE, 1, "fi_cxi(7)",
     "transmit complete events do not guarantee that data is visible to the target process"},
    {"cxi", RULE_NO_READ_AFTER, 1, "fi_cxi(7)",
     "only sends, and writes by FI_ORDER_RMA_WAW, are ordered"},
    {"cxi", RULE_NO_WAIT, 1, "fi_cxi(7) before FI_WAIT_FD was added",
     "wait objects are not currently supported"},
    {"cxi", RULE_RAILS, 2, "fi_cxi(7)", "there is a domain for each NIC, cxi[0-9]"},
    {"cxi", RULE_PIN_NS, 250, "fi_cxi(7)",
     "without on-demand paging all buffers are backed by pinned memory"},

    {"efa", RULE_MR_MODE, BASIC, EFA_FABRICS,
     "FI_MR_ALLOCATED, FI_MR_PROV_KEY and FI_MR_VIRT_ADDR are required"},
    {"efa", RULE_DIRECT, 8760, EFA_FABRICS,
     "the device has two fabrics; messages of efa-direct are limited by the MTU, about 8 KiB"},
    {"efa", RULE_DEVICE_API, FI_VERSION(1, 18), "fi_efa(7)",
     "for API < 1.18 RDMA is enabled by default only on certain newer hardware revisions"},
    {"efa", RULE_NO_INJECT, 1, "fi_efa(7)", "no support for inject"},
    {"efa", RULE_NO_WAIT, 1, "fi_efa(7)", "wait objects are not currently supported"},
    {"efa", RULE_NO_READ_AFTER, 1, "fi_efa(7)", "only send-after-send ordering is guaranteed"},
    {"efa", RULE_NO_FENCE, 1, EFA_FABRICS, "FI_FENCE is not supported"},
    {"efa", RULE_LATE, 1, "fi_efa(7)",
     "receive side data buffers are not modified outside of completion processing"},
    {"efa", RULE_CQ_ROOM, 1, EFA_FABRICS, "queues are not protected from being overrun"},
    {"efa", RULE_QUEUE, 32, "fi_efa(7)",
     "FI_EFA_TX_SIZE: more transmit operations return FI_EAGAIN"},
    {"efa", RULE_UNMANAGED, 1, "fi_domain(3)",
     "without resource management, a call beyond a transmit or receive context is an undefined "
     "error"},
    {"efa", RULE_STORM, 16, "fi_efa(7)", "a peer that is not ready is left alone for a while"},
    {"efa", RULE_IOV, 2, EFA_FABRICS, "messages have up to 2 buffers"},
    {"efa", RULE_NAME_BYTES, 32, "fi_getinfo(3)", "FI_ADDR_EFA has 32 bytes"},
    {"efa", RULE_PIN_NS, 250, "ibv_reg_mr(3)", "registered memory is pinned"},

    {"efa-direct", RULE_MR_MODE, FI_MR_LOCAL | BASIC, EFA_FABRICS,
     "FI_MR_LOCAL is required as well"},
    {"efa-direct", RULE_DEVICE_API, FI_VERSION(1, 18), "fi_efa(7)",
     "for API < 1.18 RDMA is enabled by default only on certain newer hardware revisions"},
    {"efa-direct", RULE_MODE, FI_CONTEXT2, EFA_FABRICS, "FI_CONTEXT2 is required"},
    {"efa-direct", RULE_NO_ORDER, 1, EFA_FABRICS, "no message ordering is supported"},
    {"efa-direct", RULE_NO_READ_AFTER, 1, EFA_FABRICS, "no message ordering is supported"},
    {"efa-direct", RULE_LATE, 1, EFA_FABRICS, "a completion is the device's"},
    {"efa-direct", RULE_NO_FENCE, 1, EFA_FABRICS, "FI_FENCE is not supported"},
    {"efa-direct", RULE_NO_INJECT, 1, "fi_efa(7)", "no support for inject"},
    {"efa-direct", RULE_NO_WAIT, 1, "fi_efa(7)", "wait objects are not currently supported"},
    {"efa-direct", RULE_CQ_ROOM, 1, EFA_FABRICS, "queues are not protected from being overrun"},
    {"efa-direct", RULE_IOV, 1, EFA_FABRICS, "RMA has one buffer"},
    {"efa-direct", RULE_MESSAGE, 1 << 30, EFA_FABRICS, "RMA is limited by the device, to 1 GB"},
    {"efa-direct", RULE_SEND, 8760, EFA_FABRICS,
     "messages are limited by the MTU of the device, about 8 KiB"},
    {"efa-direct", RULE_NAME_BYTES, 32, "fi_getinfo(3)", "FI_ADDR_EFA has 32 bytes"},

    {"psm3", RULE_MODE, FI_CONTEXT, "fi_psm3(7)", "FI_CONTEXT is required for FI_MSG"},
    {"psm3", RULE_NO_READ_AFTER, 1, "fi_info(1)", "max_order_raw_size is 4096"},
    {"psm3", RULE_RAW_BYTES, 4096, "fi_info(1)", "max_order_raw_size is 4096"},
    {"psm3", RULE_NO_FENCE, 1, "fi_psm3(7)", "FI_FENCE is not among the capabilities"},
    {"psm3", RULE_LATE, 1, "fi_psm3(7)",
     "RMA is done by messages, for which the target has to make progress"},
    {"psm3", RULE_NAME_BYTES, 32, "fi_info(1)", "FI_ADDR_PSMX3 has 32 bytes"},

    {"opx", RULE_MODE, FI_CONTEXT2, "fi_opx(7)", "FI_CONTEXT2 is required"},
    {"opx", RULE_NO_WAIT, 1, "fi_opx(7)", "no wait object is listed; progress is manual"},
    {"opx", RULE_NO_ORDER, 1, "fi_info(1)", "msg_order has the orders of atomics only"},
    {"opx", RULE_NO_READ_AFTER, 1, "fi_info(1)", "msg_order has the orders of atomics only"},
    {"opx", RULE_NO_FENCE, 1, "fi_opx(7)", "FI_FENCE is not among the capabilities"},
    {"opx", RULE_LATE, 1, "fi_opx(7)", "a send completes before its receiver has acknowledged it"},
    {"opx", RULE_STORM, 32, "fi_opx(7)",
     "bytes in flight to a receiver are limited, beyond which calls return FI_EAGAIN"},

    {"lnx", RULE_MR_MODE, FI_MR_ENDPOINT | FI_MR_ALLOCATED, "fi_lnx(7)",
     "memory is registered with all linked providers, such as cxi"},
    {"lnx", RULE_PIN_NS, 250, "fi_lnx(7)", "registration may pin memory"},
    {"lnx", RULE_PIN_TIMES, 2, "fi_lnx(7)", "memory is registered with all linked providers"},
    {"lnx", RULE_NAME_BYTES, 64, "fi_lnx(7)",
     "the addresses of the linked providers are wrapped in one binary blob"},
    {"lnx", RULE_NO_WAIT, 1, "fi_lnx(7)", "each linked provider needs to handle its own progress"},
    {"lnx", RULE_NO_READ_AFTER, 1, "fi_lnx(7)", "the order is that of the linked provider"},
    {"lnx", RULE_LATE, 1, "fi_lnx(7)", "a completion is that of the linked provider"},
    {"lnx", RULE_RAILS, 2, "fi_lnx(7)", "there is a domain for each link: shm+cxi0, shm+cxi1"},

    {"lnx-tagged", RULE_NO_MESSAGES, 1, "fi_lnx(7)",
     "the first release only supports tagged and RMA operations"},
};

static const char *const profiles[] = {"tcp",  "verbs", "cxi", "efa",       "efa-direct",
                                       "psm3", "opx",   "lnx", "lnx-tagged"};

static const char *const names[RULES] = {
    [RULE_MR_MODE] = "mr_mode",
    [RULE_MODE] = "mode",
    [RULE_NO_ORDER] = "no_order",
    [RULE_NO_READ_AFTER] = "no_read_after",
    [RULE_NO_FENCE] = "no_fence",
    [RULE_NO_DELIVERY] = "no_delivery",
    [RULE_LATE] = "late",
    [RULE_NO_INJECT] = "no_inject",
    [RULE_NO_WAIT] = "no_wait",
    [RULE_NO_MESSAGES] = "no_messages",
    [RULE_IOV] = "iov",
    [RULE_MESSAGE] = "message",
    [RULE_SEND] = "send",
    [RULE_DIRECT] = "direct",
    [RULE_RAW_BYTES] = "raw_bytes",
    [RULE_QUEUE] = "queue",
    [RULE_UNMANAGED] = "unmanaged",
    [RULE_STORM] = "storm",
    [RULE_CQ_ROOM] = "cq_room",
    [RULE_KEY_BYTES] = "key_bytes",
    [RULE_NAME_BYTES] = "name_bytes",
    [RULE_RAILS] = "rails",
    [RULE_PIN_NS] = "pin_ns",
    [RULE_PIN_TIMES] = "pin_times",
    [RULE_MEMLOCK] = "memlock",
    [RULE_DEVICE_API] = "device_api",
    [RULE_BUILT_FOR] = "built_for",
    [RULE_FAIL] = "fail",
    [RULE_UNBOUND] = "unbound",
};

static struct {
    const char *profile;
    uint64_t value[RULES];
    const struct row *row[RULES];
    uint32_t random;
} force;

static void read_changes(const char *text)
{
    char name[32];
    unsigned long long value;

    for (int used; text && sscanf(text, "%31[a-z_]=%llu%n", name, &value, &used) == 2;) {
        for (int rule = 0; rule < RULES; rule++)
            if (strcmp(names[rule], name) == 0)
                force.value[rule] = value;
        text += used;
        text += *text == ',';
    }
    if (text && *text)
        fprintf(stderr, "strict provider: STRICT_RULES has no sense from \"%s\" on\n", text);
}

int strict_profile_open(void)
{
    const char *wanted = getenv("STRICT_PROFILE");
    size_t known = 0;

    wanted = wanted ? wanted : "tcp";
    for (size_t i = 0; i < sizeof profiles / sizeof *profiles; i++)
        known += strcmp(profiles[i], wanted) == 0;
    if (!known) {
        fprintf(stderr, "strict provider: STRICT_PROFILE=%s is unknown\n", wanted);
        return -1;
    }
    force.profile = wanted;
    force.random = (uint32_t)getpid() * 2654435761u | 1;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].profile, wanted) == 0) {
            force.value[rows[i].rule] = rows[i].value;
            force.row[rows[i].rule] = &rows[i];
        }
    read_changes(getenv("STRICT_RULES"));
    return 0;
}

uint64_t strict_rule(enum strict_rule rule)
{
    return force.value[rule];
}

void strict_violated(enum strict_rule rule, const char *fmt, ...)
{
    const struct row *row = force.row[rule];
    char what[256];
    va_list args;

    va_start(args, fmt);
    vsnprintf(what, sizeof what, fmt, args);
    va_end(args);
    fprintf(stderr, "strict provider (%s): rule %s: %s. %s: %s.\n", force.profile, names[rule],
            what, row ? row->page : "STRICT_RULES", row ? row->words : "as that variable has it");
    fflush(stderr);
    abort();
}

void strict_misused(const char *page, const char *what)
{
    fprintf(stderr, "strict provider (%s): %s. %s\n", force.profile, what, page);
    fflush(stderr);
    abort();
}

uint32_t strict_chance(uint32_t most)
{
    force.random ^= force.random << 13;
    force.random ^= force.random >> 17;
    force.random ^= force.random << 5;
    return most ? force.random % most : 0;
}
