/* SPDX-License-Identifier: BSD-3-Clause */
/* Registration: its modes, its cost and its limit, and the buffers of operations. */
#include "strict.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
#include <utlist.h>

static struct strict_mr *all; /* that are registered */

/* ---- pages ---- */

static size_t page_bytes(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

/* Of the pages that it lies on. */
static uint64_t pinned_bytes(const struct strict_mr *mr)
{
    const size_t page = page_bytes();
    const uintptr_t first = (uintptr_t)mr->start / page,
                    end = ((uintptr_t)mr->start + mr->bytes + page - 1) / page;

    return (uint64_t)(end - first) * page;
}

/* Takes the time of the kernel. */
static void pay(uint64_t ns)
{
    struct timespec now, end;

    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_nsec += (long)(ns % 1000000000);
    end.tv_sec += (time_t)(ns / 1000000000) + end.tv_nsec / 1000000000;
    end.tv_nsec %= 1000000000;
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while (now.tv_sec < end.tv_sec || (now.tv_sec == end.tv_sec && now.tv_nsec < end.tv_nsec));
}

static int is_mapped(const struct strict_mr *mr)
{
    const size_t page = page_bytes();
    char *first = (char *)((uintptr_t)mr->start / page * page);
    size_t pages = pinned_bytes(mr) / page;
    unsigned char *there = malloc(pages);
    int outcome = there ? mincore(first, pages * page, there) : 0;

    free(there);
    return outcome == 0;
}

/* 0, or libfabric's error. */
static int pin(struct strict_mr *mr)
{
    const uint64_t times = strict_rule(RULE_PIN_TIMES),
                   bytes = pinned_bytes(mr) * (times ? times : 1);
    struct rlimit limit;

    getrlimit(RLIMIT_MEMLOCK, &limit);
    if (strict_rule(RULE_MEMLOCK) && mr->domain->registered + bytes > limit.rlim_cur)
        return -FI_ENOMEM;
    mr->domain->registered += bytes;
    pay(bytes / page_bytes() * strict_rule(RULE_PIN_NS));
    return 0;
}

static void unpin(struct strict_mr *mr)
{
    const uint64_t times = strict_rule(RULE_PIN_TIMES);

    mr->domain->registered -= pinned_bytes(mr) * (times ? times : 1);
}

/* ---- one registration ---- */

static int enable(struct strict_mr *mr)
{
    int outcome = fi_mr_reg(mr->domain->lower, mr->start, mr->bytes, mr->access, 0, mr->requested,
                            0, &mr->lower, NULL);

    if (outcome)
        return outcome;
    mr->fid.key = fi_mr_key(mr->lower);
    return 0;
}

/* Buffers of receives are in use until their endpoint is closed. */
static unsigned is_remote(const struct strict_mr *mr)
{
    return (mr->access & (FI_REMOTE_READ | FI_REMOTE_WRITE)) != 0;
}

static int mr_close(struct fid *fid)
{
    struct strict_mr *mr = (struct strict_mr *)fid;
    int outcome = 0;

    pthread_mutex_lock(&strict_mutex);
    if (mr->users)
        strict_violated(RULE_MR_MODE, "%zu bytes are deregistered while an operation uses them",
                        mr->bytes);
    if (mr->lower)
        outcome = fi_close(&mr->lower->fid);
    if (mr->ep)
        mr->ep->bound -= is_remote(mr);
    unpin(mr);
    LL_DELETE(all, mr);
    pthread_mutex_unlock(&strict_mutex);
    free(mr);
    return outcome;
}

static int mr_bind(struct fid *fid, struct fid *to, uint64_t flags)
{
    struct strict_mr *mr = (struct strict_mr *)fid;

    (void)flags;
    if (to->fclass != FI_CLASS_EP)
        return -FI_EINVAL;
    if (strict_rule(RULE_UNBOUND))
        return -FI_ENOSYS;
    mr->ep = (struct strict_ep *)to;
    mr->ep->bound += is_remote(mr);
    return 0;
}

static int mr_control(struct fid *fid, int command, void *argument)
{
    struct strict_mr *mr = (struct strict_mr *)fid;

    (void)argument;
    if (command != FI_ENABLE)
        return -FI_ENOSYS;
    if (!mr->ep)
        strict_violated(RULE_MR_MODE, "memory is enabled that is bound to no endpoint");
    return enable(mr);
}

static struct fi_ops mr_fid_ops = {
    .size = sizeof mr_fid_ops, .close = mr_close, .bind = mr_bind, .control = mr_control};

static int mr_reg(struct fid *fid, const void *buffer, size_t bytes, uint64_t access,
                  uint64_t offset, uint64_t requested_key, uint64_t flags, struct fid_mr **result,
                  void *context)
{
    struct strict_domain *domain = (struct strict_domain *)fid;
    const uint64_t mode = strict_rule(RULE_MR_MODE), key_bytes = strict_rule(RULE_KEY_BYTES);
    struct strict_mr *mr;
    int outcome = 0;

    (void)offset;
    (void)flags;
    if (key_bytes && !(mode & FI_MR_PROV_KEY) && requested_key >> (8 * key_bytes))
        strict_violated(RULE_KEY_BYTES, "a key of more than %d bits is chosen",
                        (int)(8 * key_bytes));
    mr = calloc(1, sizeof *mr);
    if (!mr)
        return -FI_ENOMEM;
    *mr = (struct strict_mr){.fid = {.fid = {FI_CLASS_MR, context, &mr_fid_ops}},
                             .domain = domain,
                             .start = buffer,
                             .bytes = bytes,
                             .access = access,
                             .requested = requested_key};
    mr->fid.mem_desc = mr;
    mr->fid.key = FI_KEY_NOTAVAIL;
    if (mode & FI_MR_ALLOCATED && !is_mapped(mr))
        strict_violated(RULE_MR_MODE, "FI_MR_ALLOCATED: %zu bytes are not all mapped", bytes);
    pthread_mutex_lock(&strict_mutex);
    outcome = pin(mr);
    if (outcome == 0 && !(mode & FI_MR_ENDPOINT)) {
        outcome = enable(mr);
        if (outcome)
            unpin(mr);
    }
    if (outcome == 0)
        LL_PREPEND(all, mr);
    pthread_mutex_unlock(&strict_mutex);
    if (outcome) {
        free(mr);
        return outcome;
    }
    *result = &mr->fid;
    return 0;
}

struct fi_ops_mr strict_mr_ops = {.size = sizeof strict_mr_ops, .reg = mr_reg};

/* ---- buffers ---- */

static const struct strict_mr *find(const struct strict_mr *mr)
{
    const struct strict_mr *one = all;

    while (one && one != mr)
        one = one->next;
    return one;
}

struct strict_mr *strict_buffer(struct strict_ep *ep, const void *buffer, size_t bytes, void *desc,
                                uint64_t access)
{
    struct strict_mr *mr = desc;
    const char *first = buffer;

    if (!(strict_rule(RULE_MR_MODE) & FI_MR_LOCAL))
        return NULL;
    if (!mr)
        strict_violated(RULE_MR_MODE, "FI_MR_LOCAL: a buffer of %zu bytes has no descriptor",
                        bytes);
    if (!find(mr))
        strict_violated(RULE_MR_MODE, "FI_MR_LOCAL: the descriptor of a buffer is of no memory "
                                      "that is registered now");
    if (mr->domain != ep->domain)
        strict_violated(RULE_MR_MODE, "FI_MR_LOCAL: a buffer is registered at another domain");
    if (first < mr->start || bytes > mr->bytes || (size_t)(first - mr->start) > mr->bytes - bytes)
        strict_violated(RULE_MR_MODE,
                        "FI_MR_LOCAL: %zu bytes at %p are outside of the memory of "
                        "their descriptor, %zu bytes at %p",
                        bytes, buffer, mr->bytes, (const void *)mr->start);
    if ((mr->access & access) != access)
        strict_violated(RULE_MR_MODE, "FI_MR_LOCAL: a buffer is registered without the access");
    mr->users++;
    return mr;
}
