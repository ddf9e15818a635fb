/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory that others may put to and get from, and buffers that the network has to know.
 *
 * A key is 64 random bits if the network lets us choose it: other programs reach the memory only by
 * guessing 64 bits. The key is sent together with its range, so that the origin refuses bytes
 * outside the range; the network at the target does so too.
 */
#include "net/ofi.h"
#include "base/fail.h"
#include "base/log.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <unistd.h>
#include <utlist.h>

/* The layout of the bytes of a struct proa_net_key. */
struct key {
    uint64_t key, start, bytes;
    uint64_t unused;
};
_Static_assert(sizeof(struct key) == PROA_NET_KEY_MOST, "keys fit");

int proa_ofi_random(void *bytes, size_t count)
{
    ssize_t got;

    do
        got = getrandom(bytes, count, 0);
    while (got < 0 && errno == EINTR);
    return got == (ssize_t)count
               ? PROA_OK
               : proa_fail(PROA_ERR_OTHER, "the system gives no random numbers: %s",
                           strerror(errno));
}

/* ---- registration ---- */

static int new_key(const struct proa_net *net, uint64_t *key)
{
    size_t bytes = net->info->domain_attr->mr_key_size;
    int outcome = proa_ofi_random(key, sizeof *key);

    if (bytes < sizeof *key)
        *key &= ((uint64_t)1 << (8 * bytes)) - 1;
    return outcome;
}

static int bind_memory(struct proa_net *net, struct fid_mr *mr)
{
    int outcome;

    if (!(net->memory_mode & FI_MR_ENDPOINT))
        return 0;
    outcome = fi_mr_bind(mr, &net->ep->fid, 0);
    return outcome ? outcome : fi_mr_enable(mr);
}

/* Networks that pin memory may do so up to the limit of locked memory. */
static int limited(const struct proa_net *net, size_t bytes)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_MEMLOCK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return proa_fail(
            PROA_ERR_NO_MEM,
            "the network cannot register %zu bytes of memory beside %zu: out of memory", bytes,
            net->registered);
    return proa_fail(PROA_ERR_NO_MEM,
                     "the network cannot register %zu bytes of memory beside %zu: `ulimit -l` "
                     "allows %zu bytes",
                     bytes, net->registered, (size_t)limit.rlim_cur);
}

static int know(struct proa_net *net, void *memory, size_t bytes, uint64_t access,
                struct fid_mr **mr)
{
    enum { TRIES = 8 }; /* a key may be in use */
    uint64_t key = 0;
    int outcome;

    for (int i = 0; i < TRIES; i++) {
        if (!(net->memory_mode & FI_MR_PROV_KEY) && new_key(net, &key) != PROA_OK)
            return PROA_ERR_OTHER;
        outcome = fi_mr_reg(net->domain, memory, bytes, access, 0, key, 0, mr, NULL);
        if (outcome != -FI_ENOKEY)
            break;
    }
    if (outcome == 0) {
        outcome = bind_memory(net, *mr);
        if (outcome) {
            fi_close(&(*mr)->fid);
            *mr = NULL;
        }
    }
    if (outcome == 0) {
        net->registered += bytes;
        return PROA_OK;
    }
    return outcome == -FI_ENOMEM
               ? limited(net, bytes)
               : proa_fail(PROA_ERR_OTHER, "the network cannot register %zu bytes of memory: %s",
                           bytes, proa_ofi_said(outcome));
}

void proa_ofi_memory_forget(struct proa_net *net, struct fid_mr *mr, size_t bytes)
{
    fi_close(&mr->fid);
    net->registered -= bytes;
}

int proa_ofi_memory_know(struct proa_net *net, void *memory, size_t bytes, struct fid_mr **mr)
{
    return know(net, memory, bytes, FI_SEND | FI_RECV | FI_READ | FI_WRITE, mr);
}

/* ---- exposures ---- */

static struct proa_ofi_exposure *find(const struct proa_net *net, const void *memory, size_t bytes)
{
    struct proa_ofi_exposure *one = net->exposures;

    while (one && !(one->memory == memory && one->bytes == bytes))
        one = one->next;
    return one;
}

static void release(struct proa_net *net, struct proa_ofi_exposure *one)
{
    if (one->mr)
        proa_ofi_memory_forget(net, one->mr, one->bytes);
    free(one);
}

/* Memory of windows is often the origin's buffer too. */
static uint64_t access_of(const struct proa_net *net)
{
    return FI_REMOTE_READ | FI_REMOTE_WRITE |
           (net->memory_mode & FI_MR_LOCAL ? FI_READ | FI_WRITE : 0);
}

/* Returns the percentage of pages that are resident. Samples LOOKS pages. */
static int touched(const void *memory, size_t bytes)
{
    enum { LOOKS = 256 };
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    int count = 0;

    for (size_t i = 0; i < LOOKS; i++) {
        uintptr_t at = ((uintptr_t)memory + bytes / LOOKS * i) / page * page;
        unsigned char there = 0;

        count += mincore((void *)at, page, &there) == 0 && there & 1;
    }
    return 100 * count / LOOKS;
}

/* Logs memory that is not touched yet: a network that requires FI_MR_ALLOCATED pins all pages,
 * which allocates them. */
static void tell_untouched(const struct proa_net *net, const void *memory, size_t bytes)
{
    static const size_t least = (size_t)1 << 30;
    int percent;

    if (!(net->memory_mode & FI_MR_ALLOCATED) || bytes < least)
        return;
    percent = touched(memory, bytes);
    if (percent < 50)
        proa_log(PROA_LOG_WARN,
                 "the network pins the %zu MiB of a window, of which %d percent had been touched",
                 bytes >> 20, percent);
}

int proa_ofi_expose(struct proa_net *net, void *memory, size_t bytes, struct proa_net_key *key)
{
    struct proa_ofi_exposure *one = find(net, memory, bytes);
    struct key mine = {.start = (uint64_t)(uintptr_t)memory, .bytes = bytes};
    int outcome;

    if (!one) {
        one = malloc(sizeof *one);
        if (!one)
            return proa_fail(PROA_ERR_NO_MEM, "out of memory for the exposure of memory");
        *one = (struct proa_ofi_exposure){.memory = memory, .bytes = bytes};
        tell_untouched(net, memory, bytes);
        /* Memory of 0 bytes is not registered: no access can use it, and networks may refuse it. */
        outcome = bytes ? know(net, memory, bytes, access_of(net), &one->mr) : PROA_OK;
        if (outcome) {
            free(one);
            return outcome;
        }
        LL_PREPEND(net->exposures, one);
    }
    one->holders++;
    mine.key = one->mr ? fi_mr_key(one->mr) : 0;
    memcpy(key->bytes, &mine, sizeof mine);
    return PROA_OK;
}

void proa_ofi_hide(struct proa_net *net, const struct proa_net_key *key)
{
    struct proa_ofi_exposure *one;
    struct key mine;

    memcpy(&mine, key->bytes, sizeof mine);
    one = find(net, (const void *)(uintptr_t)mine.start, mine.bytes);
    if (one)
        proa_ofi_exposure_give(net, one);
}

void proa_ofi_exposure_give(struct proa_net *net, struct proa_ofi_exposure *one)
{
    if (--one->holders)
        return;
    LL_DELETE(net->exposures, one);
    release(net, one);
}

struct proa_ofi_exposure *proa_ofi_exposure_lend(struct proa_net *net, const void *memory,
                                                 size_t bytes)
{
    struct proa_ofi_exposure *one = net->exposures;
    const uintptr_t first = (uintptr_t)memory;

    while (one && !(first >= (uintptr_t)one->memory &&
                    first + bytes <= (uintptr_t)one->memory + one->bytes))
        one = one->next;
    if (one)
        one->holders++;
    return one;
}

int proa_ofi_place(const struct proa_net *net, const struct proa_net_place *there, size_t bytes,
                   uint64_t *address, uint64_t *key)
{
    struct key its;
    uint64_t offset;

    memcpy(&its, there->key->bytes, sizeof its);
    offset = there->address - its.start;
    *address = net->memory_mode & FI_MR_VIRT_ADDR ? there->address : offset;
    *key = its.key;
    if (there->address < its.start || offset > its.bytes || bytes > its.bytes - offset)
        return proa_fail(PROA_ERR_OTHER, "the memory is not exposed");
    return PROA_OK;
}

void proa_ofi_memory_close(struct proa_net *net)
{
    struct proa_ofi_exposure *one;

    while ((one = net->exposures)) {
        net->exposures = one->next;
        release(net, one);
    }
}
