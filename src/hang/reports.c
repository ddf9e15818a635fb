/* SPDX-License-Identifier: BSD-3-Clause */
/* See reports.h. */
#include "hang/reports.h"
#include "host/pmpi.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

enum { ADDRESSES = 8, PATIENCE_MS = 1000 };

/* Address of rank 0, distributed to all ranks by MPI. */
struct office {
    uint64_t secret[2];
    char node[128]; /* processes with equal text share the loopback interface */
    uint32_t address[ADDRESSES];
    int32_t addresses;
    uint16_t port; /* 0 if there is none */
};

static struct office office;
static int listening = -1;
static int worked = -1; /* index of the address that worked */

/* Processes of one kernel and one network namespace share the loopback interface. */
static void name_node(char *node, size_t room)
{
    char boot[64] = "", net[64] = "";
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
    ssize_t length = readlink("/proc/self/ns/net", net, sizeof net - 1);

    if (file && !fgets(boot, sizeof boot, file))
        boot[0] = '\0';
    if (file)
        fclose(file);
    net[length > 0 ? length : 0] = '\0';
    snprintf(node, room, "%s %s", boot, net);
}

/* ---- rank 0 ---- */

static void find_addresses(void)
{
    struct ifaddrs *all = NULL;

    if (getifaddrs(&all) != 0)
        return;
    for (const struct ifaddrs *one = all; one && office.addresses < ADDRESSES; one = one->ifa_next)
        if (one->ifa_addr && one->ifa_addr->sa_family == AF_INET) {
            struct sockaddr_in address;

            memcpy(&address, one->ifa_addr, sizeof address);
            if (ntohl(address.sin_addr.s_addr) >> 24 != IN_LOOPBACKNET)
                office.address[office.addresses++] = address.sin_addr.s_addr;
        }
    freeifaddrs(all);
}

static void listen_anywhere(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_ANY)};
    socklen_t length = sizeof address;

    listening = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (listening < 0)
        return;
    if (bind(listening, (struct sockaddr *)&address, sizeof address) == 0 &&
        listen(listening, 128) == 0 &&
        getsockname(listening, (struct sockaddr *)&address, &length) == 0 &&
        getrandom(office.secret, sizeof office.secret, 0) == (ssize_t)sizeof office.secret) {
        office.port = ntohs(address.sin_port);
        return;
    }
    close(listening);
    listening = -1;
}

int proa_hang_reports_begin(MPI_Comm comm)
{
    int rank = 0;

    memset(&office, 0, sizeof office);
    proa_pmpi()->Comm_rank(comm, &rank);
    if (rank == 0) {
        name_node(office.node, sizeof office.node);
        find_addresses();
        listen_anywhere();
    }
    if (proa_pmpi()->Bcast(&office, (int)sizeof office, MPI_BYTE, 0, comm) != MPI_SUCCESS)
        office.port = 0;
    return office.port ? 0 : -1;
}

void proa_hang_reports_end(void)
{
    if (listening >= 0)
        close(listening);
    listening = -1;
}

/* ---- both ---- */

static void be_patient(int fd)
{
    const struct timeval patience = {.tv_sec = PATIENCE_MS / 1000};

    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
}

static int take_whole(int fd, void *to, size_t bytes)
{
    return recv(fd, to, bytes, MSG_WAITALL) == (ssize_t)bytes ? 0 : -1;
}

/* ---- taking ---- */

int proa_hang_reports_take(struct proa_stuck *stuck, int wait_ms)
{
    struct pollfd at = {.fd = listening, .events = POLLIN};
    int fd, taken;

    if (poll(&at, 1, wait_ms) <= 0)
        return -1;
    fd = accept4(listening, NULL, NULL, SOCK_CLOEXEC);
    if (fd < 0)
        return -1;
    be_patient(fd);
    taken = take_whole(fd, stuck->secret, sizeof stuck->secret) == 0 &&
            memcmp(stuck->secret, office.secret, sizeof office.secret) == 0 &&
            take_whole(fd, (char *)stuck + sizeof stuck->secret,
                       sizeof *stuck - sizeof stuck->secret) == 0;
    if (taken && send(fd, "", 1, MSG_NOSIGNAL) < 0) {
        /* the sender sends it again */
    }
    close(fd);
    return taken ? 0 : -1;
}

/* ---- sending ---- */

/* Connects; blocks up to the timeout that be_patient sets. */
static int connect_to(uint32_t address)
{
    struct sockaddr_in to = {
        .sin_family = AF_INET, .sin_port = htons(office.port), .sin_addr.s_addr = address};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (fd < 0)
        return -1;
    be_patient(fd);
    if (connect(fd, (struct sockaddr *)&to, sizeof to) == 0)
        return fd;
    close(fd);
    return -1;
}

static int send_to(uint32_t address, const struct proa_stuck *stuck)
{
    const char *from = (const char *)stuck;
    size_t left = sizeof *stuck;
    int fd = connect_to(address);
    ssize_t sent = 1;
    char answer;

    if (fd < 0)
        return -1;
    for (; left && sent > 0; left -= sent > 0 ? (size_t)sent : 0)
        sent = send(fd, from + sizeof *stuck - left, left, MSG_NOSIGNAL);
    if (left == 0)
        left = recv(fd, &answer, 1, 0) == 1 ? 0 : 1;
    close(fd);
    return left == 0 ? 0 : -1;
}

/* The secret is sent to no other process on this node: the loopback is tried only if rank 0 has the
 * same node text. */
static uint32_t address_of(int number)
{
    return number < office.addresses ? office.address[number] : htonl(INADDR_LOOPBACK);
}

static int shares_loopback(void)
{
    char node[sizeof office.node];

    name_node(node, sizeof node);
    return strcmp(node, office.node) == 0;
}

int proa_hang_reports_send(struct proa_stuck *stuck)
{
    memcpy(stuck->secret, office.secret, sizeof office.secret);
    if (worked < 0 && shares_loopback())
        worked = office.addresses;
    if (worked >= 0 && send_to(address_of(worked), stuck) == 0)
        return 0;
    for (int i = 0; i < office.addresses; i++)
        if (send_to(office.address[i], stuck) == 0) {
            worked = i;
            return 0;
        }
    return -1;
}
