/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What libfabric alone takes between two hosts, as fi_pingpong and fi_rma_bw measure it: the limit
 * of what Proa does over it.
 *
 * Started by a launcher as two processes (line.h). BENCH_PROVIDER is the provider, such as tcp.
 * Both processes poll. The cases:
 *   ofi.pingpong              64 bytes there and back
 *   ofi.write_1m, write_4m    puts of 1 MiB or 4 MiB, some in flight at a time
 *   ofi.read_1m, read_4m      gets
 */
#include "line.h"
#include "loop.h"
#include "net/ofi_api.h"
#include "options.h"

#include <netinet/in.h>
#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_rma.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    SMALL = 64,
    MIDDLE = 1 << 20,
    LARGE = 4 << 20,
    IN_FLIGHT = 4 << 20, /* bytes, but one move at least */
    CONTEXTS = 64
};

enum what { PINGPONG, WRITE, READ };

static const struct shape {
    const char *name;
    enum what what;
    size_t bytes;
} shapes[] = {
    {"ofi.pingpong", PINGPONG, SMALL}, {"ofi.write_1m", WRITE, MIDDLE},
    {"ofi.write_4m", WRITE, LARGE},    {"ofi.read_1m", READ, MIDDLE},
    {"ofi.read_4m", READ, LARGE},
};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

/* What each tells the other. */
struct hello {
    char name[64];
    uint64_t address, key;
};

static struct side {
    const struct shape *shape;
    int line;
    struct fi_info *info;
    struct fid_fabric *fabric;
    struct fid_domain *domain;
    struct fid_av *av;
    struct fid_cq *cq;
    struct fid_ep *ep;
    struct fid_mr *mr;
    void *desc;
    fi_addr_t other;
    struct hello its;
    struct fi_context2 contexts[CONTEXTS]; /* the first is that of the receive */
    long next, in_flight, received;
} side;

/* What moves, and behind it a word that the near end puts to the far one at its end. */
static struct {
    char bytes[LARGE];
    volatile uint64_t ends;
} memory;

static void check(const char *what, long outcome)
{
    if (outcome == 0)
        return;
    fprintf(stderr, "ofi: %s: %s\n", what, fi_strerror((int)-outcome));
    exit(1);
}

/* ---- opening ---- */

static int is_elsewhere(const struct fi_info *info)
{
    const struct sockaddr_in *at = info->src_addr;

    return info->addr_format != FI_SOCKADDR_IN || !at ||
           ntohl(at->sin_addr.s_addr) >> 24 != IN_LOOPBACKNET;
}

static struct fi_info *choose(void)
{
    const char *provider = getenv("BENCH_PROVIDER");
    struct fi_info *hints = fi_allocinfo(), *list, *one;

    if (!hints)
        line_die("no memory");
    hints->caps = FI_MSG | FI_RMA;
    hints->mode = FI_CONTEXT | FI_CONTEXT2;
    hints->addr_format = FI_SOCKADDR_IN;
    hints->ep_attr->type = FI_EP_RDM;
    hints->domain_attr->threading = FI_THREAD_SAFE;
    hints->domain_attr->data_progress = FI_PROGRESS_MANUAL;
    hints->domain_attr->control_progress = FI_PROGRESS_MANUAL;
    hints->domain_attr->mr_mode =
        FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY | FI_MR_ENDPOINT;
    check("fi_getinfo", fi_getinfo(proa_ofi_api(fi_version()), NULL, NULL, 0, hints, &list));
    for (one = list; one; one = one->next)
        if (is_elsewhere(one) && (!provider || !strcmp(one->fabric_attr->prov_name, provider)))
            return one;
    fprintf(stderr, "ofi: no provider %s\n", provider ? provider : "that would do");
    exit(1);
}

static void open_memory(void)
{
    uint64_t access = FI_SEND | FI_RECV | FI_READ | FI_WRITE | FI_REMOTE_READ | FI_REMOTE_WRITE;

    check("fi_mr_reg",
          fi_mr_reg(side.domain, &memory, sizeof memory, access, 0, 1, 0, &side.mr, NULL));
    if (side.info->domain_attr->mr_mode & FI_MR_ENDPOINT) {
        check("fi_mr_bind", fi_mr_bind(side.mr, &side.ep->fid, 0));
        check("fi_mr_enable", fi_mr_enable(side.mr));
    }
    side.desc = fi_mr_desc(side.mr);
}

static void open_all(void)
{
    struct fi_av_attr av = {.type = FI_AV_TABLE};
    struct fi_cq_attr cq = {.format = FI_CQ_FORMAT_CONTEXT, .size = 2 * (size_t)CONTEXTS};

    side.info = choose();
    check("fi_fabric", fi_fabric(side.info->fabric_attr, &side.fabric, NULL));
    check("fi_domain", fi_domain(side.fabric, side.info, &side.domain, NULL));
    check("fi_av_open", fi_av_open(side.domain, &av, &side.av, NULL));
    check("fi_cq_open", fi_cq_open(side.domain, &cq, &side.cq, NULL));
    check("fi_endpoint", fi_endpoint(side.domain, side.info, &side.ep, NULL));
    check("fi_ep_bind", fi_ep_bind(side.ep, &side.av->fid, 0));
    check("fi_ep_bind", fi_ep_bind(side.ep, &side.cq->fid, FI_TRANSMIT | FI_RECV));
    check("fi_enable", fi_enable(side.ep));
    open_memory();
}

static void meet(void)
{
    int virtual = (side.info->domain_attr->mr_mode & FI_MR_VIRT_ADDR) != 0;
    struct hello mine = {.address = virtual ? (uint64_t)(uintptr_t)&memory : 0,
                         .key = fi_mr_key(side.mr)};
    size_t bytes = sizeof mine.name;

    check("fi_getname", fi_getname(&side.ep->fid, mine.name, &bytes));
    line_put(side.line, &mine, sizeof mine);
    if (!line_get(side.line, &side.its, sizeof side.its, 0))
        line_die("the other end has gone");
    if (fi_av_insert(side.av, side.its.name, 1, &side.other, 0, NULL) != 1)
        line_die("fi_av_insert");
}

/* ---- progress ---- */

static void progress(void)
{
    struct fi_cq_entry entries[8];
    ssize_t count = fi_cq_read(side.cq, entries, 8);

    if (count == -FI_EAGAIN)
        return;
    if (count < 0)
        check("fi_cq_read", count);
    for (ssize_t i = 0; i < count; i++)
        if (entries[i].op_context == &side.contexts[0])
            side.received++;
        else
            side.in_flight--;
}

/* Calls until the network has room. */
#define POST(call)                               \
    do {                                         \
        long outcome;                            \
        while ((outcome = (call)) == -FI_EAGAIN) \
            progress();                          \
        check(#call, outcome);                   \
    } while (0)

static void *next_context(void)
{
    return &side.contexts[1 + side.next++ % (CONTEXTS - 1)];
}

static void await_moves(long most)
{
    while (side.in_flight > most)
        progress();
}

/* ---- messages ---- */

static void receive(void)
{
    POST(fi_recv(side.ep, memory.bytes, SMALL, side.desc, FI_ADDR_UNSPEC, &side.contexts[0]));
}

static void send_one(void)
{
    if (side.info->tx_attr->inject_size >= SMALL) {
        POST(fi_inject(side.ep, memory.bytes + SMALL, SMALL, side.other));
        return;
    }
    POST(fi_send(side.ep, memory.bytes + SMALL, SMALL, side.desc, side.other, next_context()));
    side.in_flight++;
    await_moves(0);
}

static void await_message(void)
{
    while (!side.received)
        progress();
    side.received = 0;
    receive();
}

/* ---- puts and gets ---- */

static void move(int put, void *here, size_t bytes, uint64_t offset)
{
    struct iovec iov = {here, bytes};
    struct fi_rma_iov there = {side.its.address + offset, bytes, side.its.key};
    struct fi_msg_rma message = {.msg_iov = &iov,
                                 .desc = &side.desc,
                                 .iov_count = 1,
                                 .addr = side.other,
                                 .rma_iov = &there,
                                 .rma_iov_count = 1,
                                 .context = next_context()};

    if (put)
        POST(fi_writemsg(side.ep, &message, FI_COMPLETION | FI_DELIVERY_COMPLETE));
    else
        POST(fi_readmsg(side.ep, &message, FI_COMPLETION));
    side.in_flight++;
}

static void moves(long n)
{
    long most = (long)(IN_FLIGHT / side.shape->bytes);

    for (long i = 0; i < n; i++) {
        await_moves(most - 1);
        move(side.shape->what == WRITE, memory.bytes, side.shape->bytes, 0);
    }
    await_moves(0);
}

/* ---- the two ends ---- */

static double run(void *arg, long n)
{
    double began = loop_now_ns();

    (void)arg;
    for (long i = 0; i < n && side.shape->what == PINGPONG; i++) {
        send_one();
        await_message();
    }
    if (side.shape->what != PINGPONG)
        moves(n);
    return loop_now_ns() - began;
}

static void be_near(const struct loop_plan *plan)
{
    struct loop_figure figure = loop_measure(plan, run, NULL);

    memory.ends = 1;
    move(1, (void *)&memory.ends, sizeof memory.ends, LARGE);
    await_moves(0);
    loop_print(side.shape->name, figure);
    line_put(side.line, "", 1);
}

/* Until the near end has put a word here; then until its put is complete. */
static void be_far(void)
{
    char end;

    while (!memory.ends) {
        progress();
        if (!side.received)
            continue;
        side.received = 0;
        receive();
        send_one();
    }
    while (recv(side.line, &end, 1, MSG_DONTWAIT) < 0)
        progress();
}

static void measure(const struct shape *shape, const struct loop_plan *plan)
{
    int is_near = line_own_rank() == 0;

    side.shape = shape;
    side.line = is_near ? line_call_far() : line_await_call();
    open_all();
    meet();
    receive();
    if (is_near)
        be_near(plan);
    else
        be_far();
    close(side.line);
}

int main(int argc, char **argv)
{
    struct options options = options_parse(argc, argv, "Times libfabric between two hosts.");

    for (int i = 0; i < SHAPES; i++) {
        if (options.list)
            printf("%s 2\n", shapes[i].name);
        else if (strcmp(options.name, shapes[i].name) == 0) {
            measure(&shapes[i], &options.plan);
            return 0;
        }
    }
    if (!options.list)
        fprintf(stderr, "ofi: no such case: %s\n", options.name);
    return options.list ? 0 : 2;
}
