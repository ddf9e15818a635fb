/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Loads libfabric when it is first needed, and finds which networks it offers, the best first. The
 * processes of a window choose one of them together (offer.h, remote/network.h). Nothing is
 * measured, as measurements would let the order differ by chance. The networks are ranked by
 * properties that libfabric and the kernel report:
 *
 *   1. an interface that is up and has a carrier
 *   2. an address by which other machines can be reached: not loopback, not of the link alone, not
 *      a bridge, which commonly leads to virtual machines on this node
 *   3. a device that moves the bytes itself: such a device has to know the memory
 *   4. one layer rather than a protocol on top of another: each costs a copy or a queue, and on TCP
 *      nearly doubles the time of a small message there and back
 *   5. libfabric's own order
 */
#include "net/ofi.h"
#include "net/ofi_api.h"
#include "base/fail.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/settings.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <limits.h>
#include <linux/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utlist.h>

/* Sums of these are compared: each outweighs all smaller ones together. */
enum { ONE_LAYER = 1, DEVICE = 4, BRIDGE = -8, LINK_ALONE = -16, LOOPBACK = -32, DOWN = -64 };

enum { PROVIDERS_MOST = 4 /* providers that are shown for one address */ };

/* ---- the library ---- */

struct proa_libfabric proa_libfabric;

/* Finds a function in the oldest version whose fields Proa knows. A newer libfabric keeps that
 * version, and only appends fields. The default version would have the layout of the headers where
 * Proa runs, not where it was built. */
static void *find(void *handle, const char *name)
{
    void *symbol = dlvsym(handle, name, "FABRIC_1.3");

    return symbol ? symbol : dlsym(handle, name);
}

#define FIND(name) \
    (proa_libfabric.name = (__typeof__(proa_libfabric.name))find(handle, "fi_" #name))

/* The library stays loaded: providers have threads and hooks that outlive a dlclose. */
int proa_libfabric_load(void)
{
    void *handle;

    if (proa_libfabric.getinfo)
        return PROA_OK;
    handle = dlopen("libfabric.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        return proa_fail(PROA_ERR_OTHER, "libfabric cannot be loaded: %s; install it on this node",
                         dlerror());
    if (FIND(freeinfo) && FIND(dupinfo) && FIND(fabric) && FIND(strerror) && FIND(version) &&
        FIND(getinfo))
        return PROA_OK;
    return proa_fail(PROA_ERR_OTHER, "libfabric.so.1 lacks functions that Proa needs");
}

/* ---- the interface of an address ---- */

/* The interfaces of this machine. If NULL, no offer is known to be loopback, or to match an
 * interface's name. */
static struct ifaddrs *interfaces;

static const unsigned char mapped[12] = {[10] = 0xff, [11] = 0xff};

/* Reads an IP address in the form of struct proa_offer: IPv4 as ::ffff:a.b.c.d. Returns whether it
 * is one. */
static int read_ip(const void *address, unsigned char ip[16])
{
    const struct sockaddr_in *ipv4 = address;
    const struct sockaddr_in6 *ipv6 = address;

    if (address && ipv4->sin_family == AF_INET) {
        memcpy(ip, mapped, sizeof mapped);
        memcpy(ip + sizeof mapped, &ipv4->sin_addr, sizeof ipv4->sin_addr);
        return 1;
    }
    if (!address || ipv6->sin6_family != AF_INET6)
        return 0;
    memcpy(ip, &ipv6->sin6_addr, sizeof ipv6->sin6_addr);
    return 1;
}

static int read_own_ip(const struct fi_info *info, unsigned char ip[16])
{
    return (info->addr_format == FI_SOCKADDR_IN || info->addr_format == FI_SOCKADDR_IN6) &&
           read_ip(info->src_addr, ip);
}

/* Returns NULL if the network has no interface. */
static const struct ifaddrs *interface_of(const struct fi_info *info)
{
    const struct ifaddrs *one = interfaces;
    unsigned char own[16], ip[16];

    if (!read_own_ip(info, own))
        return NULL;
    while (one && !(read_ip(one->ifa_addr, ip) && memcmp(ip, own, sizeof ip) == 0))
        one = one->ifa_next;
    return one;
}

static int is_bridge(const char *interface)
{
    char path[64];

    snprintf(path, sizeof path, "/sys/class/net/%s/bridge", interface);
    return access(path, F_OK) == 0;
}

/* 169.254/16 and fe80::/10: an interface assigns itself such an address if no other source assigns
 * one. */
static int is_link_alone(const struct sockaddr *address)
{
    unsigned char ip[16];

    if (!read_ip(address, ip))
        return 0;
    if (memcmp(ip, mapped, sizeof mapped) == 0)
        return ip[12] == 0xa9 && ip[13] == 0xfe;
    return ip[0] == 0xfe && (ip[1] & 0xc0) == 0x80;
}

static int is_address(const struct fi_info *info, const char *text)
{
    unsigned char own[16], ip[16];

    memcpy(ip, mapped, sizeof mapped);
    return read_own_ip(info, own) &&
           (inet_pton(AF_INET, text, ip + sizeof mapped) == 1 ||
            inet_pton(AF_INET6, text, ip) == 1) &&
           memcmp(ip, own, sizeof ip) == 0;
}

/* ---- usable networks ---- */

/* Compares with PROA_PROVIDER: the whole name, or its first layer. tcp matches tcp and tcp;ofi_rxm.
 */
static int provider_is(const struct fi_info *info, const char *wanted)
{
    const char *name = info->fabric_attr->prov_name;
    size_t first = strcspn(name, ";");

    return strcmp(name, wanted) == 0 ||
           (strlen(wanted) == first && strncmp(name, wanted, first) == 0);
}

/* wanted: an interface, a device, one of their addresses, or a network */
static int interface_is(const struct fi_info *info, const char *wanted)
{
    const struct ifaddrs *interface = interface_of(info);

    return (interface && strcmp(interface->ifa_name, wanted) == 0) ||
           strcmp(info->domain_attr->name, wanted) == 0 ||
           (info->fabric_attr->name && strcmp(info->fabric_attr->name, wanted) == 0) ||
           is_address(info, wanted);
}

/* Compares with PROA_INTERFACE: several, separated by commas, as nodes may have different ones. */
static int interface_is_among(const struct fi_info *info, const char *wanted)
{
    char one[64];

    for (size_t length; *wanted; wanted += length + (wanted[length] == ',')) {
        length = strcspn(wanted, ",");
        snprintf(one, sizeof one, "%.*s", (int)length, wanted);
        if (length < sizeof one && interface_is(info, one))
            return 1;
    }
    return 0;
}

/* Messages may overtake each other there (ofi_promise.c). */
static int has_room(const struct fi_info *info)
{
    if (info->ep_attr->max_msg_size >= PROA_FRAME_MOST)
        return 1;
    proa_log(PROA_LOG_INFO,
             "network: %s on %s is of no use: messages have %zu bytes there, %d here",
             info->fabric_attr->prov_name, info->domain_attr->name, info->ep_attr->max_msg_size,
             PROA_FRAME_MOST);
    return 0;
}

static int would_do(const struct fi_info *info)
{
    const struct proa_settings *settings = proa_settings();

    return has_room(info) && info->addr_format != FI_ADDR_STR &&
           (!*settings->provider || provider_is(info, settings->provider)) &&
           (!*settings->interface || interface_is_among(info, settings->interface));
}

static int is_device(const struct fi_info *info)
{
    return (info->domain_attr->mr_mode & (FI_MR_LOCAL | FI_MR_PROV_KEY)) != 0;
}

static int rank_of_interface(const struct ifaddrs *interface)
{
    int rank = ~interface->ifa_flags & (IFF_UP | IFF_RUNNING) ? DOWN : 0;

    if (interface->ifa_flags & IFF_LOOPBACK)
        return rank + LOOPBACK;
    if (is_link_alone(interface->ifa_addr))
        return rank + LINK_ALONE;
    return rank + (is_bridge(interface->ifa_name) ? BRIDGE : 0);
}

static int rank_of(const struct fi_info *info)
{
    const struct ifaddrs *interface = interface_of(info);

    return (interface ? rank_of_interface(interface) : 0) + (is_device(info) ? DEVICE : 0) +
           (strchr(info->fabric_attr->prov_name, ';') ? 0 : ONE_LAYER);
}

/* ---- the list ---- */

static int by_rank(const struct fi_info *a, const struct fi_info *b)
{
    return rank_of(b) - rank_of(a);
}

/* Frees the unusable networks, and ranks the others: equal ones stay in libfabric's order. */
static struct fi_info *ranked(struct fi_info *list)
{
    struct fi_info *one, *next;

    LL_FOREACH_SAFE(list, one, next)
        if (!would_do(one)) {
            LL_DELETE(list, one);
            one->next = NULL;
            proa_libfabric.freeinfo(one);
        }
    LL_SORT(list, by_rank);
    return list;
}

/* Fails with a sentence that names the user's settings, which may be the reason. */
static int has_none(void)
{
    const struct proa_settings *settings = proa_settings();
    const char *provider = settings->provider, *interface = settings->interface,
               *filter = getenv("FI_PROVIDER");
    char named[160];

    filter = filter ? filter : "";
    snprintf(named, sizeof named, "%s%.30s%s%.30s%s%.30s", *provider ? " PROA_PROVIDER=" : "",
             provider, *interface ? " PROA_INTERFACE=" : "", interface,
             *filter ? " FI_PROVIDER=" : "", filter);
    return proa_fail(PROA_ERR_OTHER, "libfabric has no network here that Proa could use%s%s%s",
                     *named ? " with" : "", named,
                     *named ? ": correct or unset that (`proa info` lists the networks)" : "");
}

static struct fi_info *hints_of_need(void)
{
    struct fi_info *hints = proa_libfabric.dupinfo(NULL);

    if (!hints)
        return NULL;
    hints->caps = FI_MSG | FI_RMA;
    hints->mode = FI_CONTEXT | FI_CONTEXT2;
    hints->ep_attr->type = FI_EP_RDM;
    hints->domain_attr->threading = FI_THREAD_SAFE;
    hints->domain_attr->data_progress = FI_PROGRESS_MANUAL; /* core makes progress */
    hints->domain_attr->control_progress = FI_PROGRESS_MANUAL;
    hints->domain_attr->resource_mgmt = FI_RM_ENABLED; /* a call without room has to fail */
    hints->domain_attr->mr_mode =
        FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY | FI_MR_ENDPOINT;
    return hints;
}

static int has_provider(const struct fi_info *list, const char *provider)
{
    while (list && strcmp(list->fabric_attr->prov_name, provider) != 0)
        list = list->next;
    return list != NULL;
}

/* libfabric skips providers that were built for an older interface than the requested one, such as
 * a vendor's with a newer library. They are listed last, and used with that interface. */
static void ask_older(const struct fi_info *hints, struct fi_info **list)
{
    struct fi_info *older, *one, *next, *added = NULL, *known = NULL;

    if (proa_libfabric.getinfo(PROA_OFI_API_OLDEST, NULL, NULL, 0, hints, &older) != 0)
        return;
    LL_FOREACH_SAFE(older, one, next)
        if (has_provider(*list, one->fabric_attr->prov_name))
            LL_PREPEND(known, one);
        else
            LL_APPEND(added, one);
    LL_CONCAT(*list, added);
    proa_libfabric.freeinfo(known);
}

static int ask(struct fi_info **list)
{
    struct fi_info *hints = hints_of_need();
    int outcome;

    if (!hints)
        return proa_fail(PROA_ERR_NO_MEM, "out of memory for a query of libfabric");
    outcome =
        proa_libfabric.getinfo(proa_ofi_api(proa_libfabric.version()), NULL, NULL, 0, hints, list);
    if (outcome)
        *list = NULL;
    ask_older(hints, list);
    proa_libfabric.freeinfo(hints);
    if (*list)
        return PROA_OK;
    return outcome == -FI_ENODATA
               ? has_none()
               : proa_fail(PROA_ERR_OTHER, "libfabric cannot list its networks: %s",
                           proa_ofi_said(outcome));
}

int proa_ofi_choose(struct fi_info **offers)
{
    struct fi_info *list;
    int outcome = ask(&list);

    if (outcome)
        return outcome;
    freeifaddrs(interfaces);
    if (getifaddrs(&interfaces) != 0)
        interfaces = NULL;
    *offers = ranked(list);
    for (const struct fi_info *one = *offers; one; one = one->next)
        proa_log(PROA_LOG_DEBUG, "network: %s on %s (%s), rank %d", one->fabric_attr->prov_name,
                 one->domain_attr->name, one->fabric_attr->name, rank_of(one));
    return *offers ? PROA_OK : has_none();
}

/* ---- offers to other processes ---- */

static void show_address(const struct ifaddrs *interface, struct proa_offer *offer)
{
    size_t at = interface->ifa_addr->sa_family == AF_INET ? sizeof mapped : 0;
    unsigned char mask[16];

    offer->flags |= PROA_OFFER_IP | (is_link_alone(interface->ifa_addr) ? PROA_OFFER_LINK : 0) |
                    (interface->ifa_flags & IFF_LOOPBACK ? PROA_OFFER_LOOPBACK : 0);
    read_ip(interface->ifa_addr, offer->address);
    if (!read_ip(interface->ifa_netmask, mask))
        memset(mask, 0xff, sizeof mask);
    for (offer->bits = (uint8_t)(8 * at); at < sizeof mask; at++)
        offer->bits = (uint8_t)(offer->bits + __builtin_popcount(mask[at]));
}

static struct proa_offer offer_of(const struct fi_info *info)
{
    const struct ifaddrs *interface = interface_of(info);
    uint64_t device = proa_hash_text(PROA_HASH_OF_NOTHING, info->domain_attr->name);
    struct proa_offer offer = {
        .kind = (uint32_t)proa_hash_text(PROA_HASH_OF_NOTHING, info->fabric_attr->prov_name),
        .worth = (int16_t)rank_of(info),
        .flags = is_device(info) ? PROA_OFFER_DEVICE : 0};

    if (interface)
        show_address(interface, &offer);
    else
        memcpy(offer.address, &device, sizeof device);
    return offer;
}

/* Returns a hash of this machine, not 0: processes with the same one have the same interfaces. */
static uint64_t machine(void)
{
    uint64_t hash = PROA_HASH_OF_NOTHING;
    struct stat net_namespace;
    char name[HOST_NAME_MAX + 1] = "";
    int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);

    if (fd < 0 || read(fd, name, sizeof name - 1) <= 0)
        gethostname(name, sizeof name);
    if (fd >= 0)
        close(fd);
    hash = proa_hash_text(hash, name);
    if (stat("/proc/self/ns/net", &net_namespace) == 0)
        hash = proa_hash_bytes(hash, &net_namespace.st_ino, sizeof net_namespace.st_ino);
    return hash ? hash : 1;
}

/* Returns the index of the same offer in the list, or -1 if it is not there. */
static int place_of(const struct proa_offers *offers, const struct proa_offer *one)
{
    for (int i = 0; i < offers->count; i++)
        if (proa_offer_is_same(&offers->offer[i], one))
            return i;
    return -1;
}

static int has_room_for(const struct proa_offers *offers, const struct proa_offer *one)
{
    int providers = 0;

    for (int i = 0; i < offers->count; i++)
        providers += memcmp(offers->offer[i].address, one->address, sizeof one->address) == 0;
    return offers->count < PROA_OFFERS_MOST && providers < PROVIDERS_MOST;
}

static int has_fabric(const struct fi_info *list, const char *fabric)
{
    while (list && list->fabric_attr->name && fabric &&
           strcmp(list->fabric_attr->name, fabric) != 0)
        list = list->next;
    return list != NULL;
}

/* libfabric lists some networks several times. Another fabric of a device and provider, such as
 * `efa` after `efa-direct`, is used if the first one cannot be joined. */
static void show_again(struct fi_info *first, struct fi_info *again)
{
    if (has_fabric(first, again->fabric_attr->name))
        proa_libfabric.freeinfo(again);
    else
        LL_APPEND(first, again);
}

int proa_ofi_offers(struct proa_offers *offers, struct proa_offer_names *names,
                    struct fi_info *infos[PROA_OFFERS_MOST])
{
    struct fi_info *list, *one, *next;
    int outcome = proa_ofi_choose(&list);

    offers->machine = machine();
    if (outcome)
        return outcome;
    LL_FOREACH_SAFE(list, one, next) {
        struct proa_offer offer = offer_of(one);
        int place = place_of(offers, &offer);

        one->next = NULL;
        if (place >= 0) {
            show_again(infos[place], one);
            continue;
        }
        if (!has_room_for(offers, &offer)) {
            proa_libfabric.freeinfo(one);
            continue;
        }
        snprintf(names->text[offers->count], sizeof names->text[0], "%s on %s",
                 one->fabric_attr->prov_name, one->domain_attr->name);
        infos[offers->count] = one;
        offers->offer[offers->count++] = offer;
    }
    return PROA_OK;
}
