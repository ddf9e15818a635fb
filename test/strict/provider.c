/* SPDX-License-Identifier: BSD-3-Clause */
/* The provider: the networks that it offers, which are those of the lower provider under the rules
 * of the profile; fabrics, domains and address vectors. */
#include "strict.h"

#include <rdma/providers/fi_prov.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KNOWN_MOST = 64 };

pthread_mutex_t strict_mutex = PTHREAD_MUTEX_INITIALIZER;

/* The lower provider's networks that were offered, by the names of their domains here. */
static struct known {
    char domain[80], fabric[80];
    struct fi_info *lower;
    uint64_t rail, send;
} known[KNOWN_MOST];
static int known_count;

static char *copy_text(const char *text)
{
    char *copy = malloc(strlen(text) + 1);

    return copy ? strcpy(copy, text) : NULL;
}

/* ---- what is offered ---- */

static const uint64_t all_caps = FI_MSG | FI_SEND | FI_RECV | FI_RMA | FI_READ | FI_WRITE |
                                 FI_REMOTE_READ | FI_REMOTE_WRITE | FI_FENCE | FI_LOCAL_COMM |
                                 FI_REMOTE_COMM;

static int is_opaque(void)
{
    return strict_rule(RULE_NAME_BYTES) || strict_rule(RULE_RAILS);
}

static uint64_t order(void)
{
    if (strict_rule(RULE_NO_ORDER))
        return 0;
    return FI_ORDER_SAS | (strict_rule(RULE_NO_READ_AFTER) && !strict_rule(RULE_RAW_BYTES)
                               ? 0
                               : FI_ORDER_RAW | FI_ORDER_RMA_RAW | FI_ORDER_RAR);
}

static uint64_t operation_flags(void)
{
    return FI_COMPLETION | FI_TRANSMIT_COMPLETE | FI_INJECT_COMPLETE |
           (strict_rule(RULE_NO_INJECT) ? 0 : FI_INJECT) |
           (strict_rule(RULE_NO_DELIVERY) ? 0 : FI_DELIVERY_COMPLETE);
}

/* Does this user support all that the profile requires, and want no more than it has? */
static int suits(const struct fi_info *hints)
{
    const uint64_t mr_mode = strict_rule(RULE_MR_MODE), mode = strict_rule(RULE_MODE);

    if (strict_rule(RULE_NO_MESSAGES) && (!hints || hints->caps & FI_MSG))
        return 0;
    if (!hints)
        return 1;
    if (hints->caps & ~all_caps) /* of the host's MPI, such as FI_TAGGED */
        return 0;
    if (hints->ep_attr && hints->ep_attr->type != FI_EP_UNSPEC &&
        hints->ep_attr->type != FI_EP_RDM) /* for a layer above, such as ofi_rxm */
        return 0;
    if (hints->caps & FI_FENCE && strict_rule(RULE_NO_FENCE))
        return 0;
    if (hints->mode & FI_CONTEXT2 ? 0 : mode & ~hints->mode)
        return 0;
    if (hints->domain_attr && mr_mode & ~(uint64_t)(unsigned)hints->domain_attr->mr_mode)
        return 0;
    if (hints->tx_attr &&
        (hints->tx_attr->op_flags & ~operation_flags() || hints->tx_attr->msg_order & ~order()))
        return 0;
    return !hints->rx_attr || !(hints->rx_attr->msg_order & ~order());
}

static uint64_t at_most(uint64_t value, uint64_t limit)
{
    return limit && limit < value ? limit : value;
}

static int is_managed(const struct fi_info *hints)
{
    return !strict_rule(RULE_UNMANAGED) ||
           (hints && hints->domain_attr && hints->domain_attr->resource_mgmt == FI_RM_ENABLED);
}

static void rule_attributes(struct fi_info *info)
{
    const uint64_t fence = strict_rule(RULE_NO_FENCE) ? 0 : FI_FENCE;

    info->caps = (info->caps & all_caps) | fence;
    info->mode = info->tx_attr->mode = info->rx_attr->mode = strict_rule(RULE_MODE);
    info->tx_attr->caps = (info->tx_attr->caps & all_caps) | fence;
    info->rx_attr->caps &= all_caps;
    info->tx_attr->msg_order = info->rx_attr->msg_order = order();
    info->tx_attr->comp_order = info->rx_attr->comp_order =
        0; /* FI_ORDER_NONE, which libfabric 2 warns about */
    info->tx_attr->op_flags = 0;
    info->tx_attr->inject_size = strict_rule(RULE_NO_INJECT) ? 0 : 64;
    info->tx_attr->size = at_most(info->tx_attr->size, strict_rule(RULE_QUEUE));
    info->rx_attr->size = at_most(info->rx_attr->size, strict_rule(RULE_QUEUE));
    info->tx_attr->iov_limit = at_most(info->tx_attr->iov_limit, strict_rule(RULE_IOV));
    info->tx_attr->rma_iov_limit = at_most(info->tx_attr->rma_iov_limit, strict_rule(RULE_IOV));
    info->rx_attr->iov_limit = at_most(info->rx_attr->iov_limit, strict_rule(RULE_IOV));
    info->ep_attr->max_msg_size = at_most(info->ep_attr->max_msg_size, strict_rule(RULE_MESSAGE));
    info->ep_attr->max_order_raw_size =
        at_most(info->ep_attr->max_order_raw_size, strict_rule(RULE_RAW_BYTES));
    info->domain_attr->mr_mode = (int)strict_rule(RULE_MR_MODE);
    info->domain_attr->mr_key_size = at_most(8, strict_rule(RULE_KEY_BYTES));
    info->domain_attr->control_progress = info->domain_attr->data_progress = FI_PROGRESS_MANUAL;
}

static void rule_addresses(struct fi_info *info)
{
    if (!is_opaque())
        return;
    info->addr_format = FI_FORMAT_UNSPEC;
    free(info->src_addr);
    info->src_addr = NULL;
    info->src_addrlen = 0;
}

static int is_same_address(const struct fi_info *a, const struct fi_info *b)
{
    return a->src_addrlen == b->src_addrlen && !memcmp(a->src_addr, b->src_addr, a->src_addrlen);
}

/* The entry of such an offer, which may be an old one; NULL: there are too many. */
static const struct known *remember(const struct fi_info *lower, uint64_t rail, uint64_t direct)
{
    struct known one = {.rail = rail, .send = direct ? direct : strict_rule(RULE_SEND)};

    snprintf(one.domain, sizeof one.domain, rail ? "%s.%d" : "%s", lower->domain_attr->name,
             (int)rail);
    snprintf(one.fabric, sizeof one.fabric, "%s%s", direct ? "direct " : "",
             lower->fabric_attr->name);
    for (int i = 0; i < known_count; i++)
        if (strcmp(known[i].domain, one.domain) == 0 && strcmp(known[i].fabric, one.fabric) == 0 &&
            is_same_address(known[i].lower, lower))
            return &known[i];
    if (known_count == KNOWN_MOST)
        return NULL;
    one.lower = fi_dupinfo(lower);
    known[known_count] = one;
    return &known[known_count++];
}

static struct fi_info *offer(const struct fi_info *lower, const struct fi_info *hints,
                             uint64_t rail, uint64_t direct)
{
    const struct known *one = remember(lower, rail, direct);
    struct fi_info *info = one ? fi_dupinfo(lower) : NULL;

    if (!info)
        return NULL;
    rule_attributes(info);
    info->domain_attr->resource_mgmt = is_managed(hints) ? FI_RM_ENABLED : FI_RM_DISABLED;
    rule_addresses(info);
    free(info->domain_attr->name);
    info->domain_attr->name = copy_text(one->domain);
    free(info->fabric_attr->name);
    info->fabric_attr->name = copy_text(one->fabric);
    free(info->fabric_attr->prov_name);
    info->fabric_attr->prov_name = NULL; /* libfabric fills in ours */
    return info;
}

static int name_differs(const char *wanted, const char *name)
{
    return wanted && name && strcmp(wanted, name) != 0;
}

static int is_asked_for(const struct fi_info *hints, const struct fi_info *info)
{
    return !hints || ((!hints->domain_attr ||
                       !name_differs(hints->domain_attr->name, info->domain_attr->name)) &&
                      (!hints->fabric_attr ||
                       !name_differs(hints->fabric_attr->name, info->fabric_attr->name)));
}

/* The offers of one network of the lower provider, at the end of a list. */
static struct fi_info **offer_fabric(struct fi_info **end, const struct fi_info *lower,
                                     const struct fi_info *hints, uint64_t direct)
{
    const uint64_t rails = strict_rule(RULE_RAILS);

    if (is_opaque() && lower->addr_format != FI_SOCKADDR_IN)
        return end;
    for (uint64_t rail = 0; rail < (rails ? rails : 1); rail++) {
        struct fi_info *info = offer(lower, hints, rail, direct);

        if (!info)
            break;
        if (!is_asked_for(hints, info)) {
            fi_freeinfo(info);
            continue;
        }
        *end = info;
        end = &info->next;
    }
    return end;
}

static struct fi_info **offer_fabrics(struct fi_info **end, const struct fi_info *lower,
                                      const struct fi_info *hints)
{
    const uint64_t direct = strict_rule(RULE_DIRECT);

    if (direct)
        end = offer_fabric(end, lower, hints, direct);
    return offer_fabric(end, lower, hints, 0);
}

static struct fi_info *lower_hints(const struct fi_info *hints, const char *provider)
{
    struct fi_info *own = fi_allocinfo();

    if (!own)
        return NULL;
    own->caps = FI_MSG | FI_RMA;
    own->ep_attr->type = FI_EP_RDM;
    own->addr_format = hints ? hints->addr_format : FI_FORMAT_UNSPEC;
    own->domain_attr->threading = FI_THREAD_SAFE;
    own->domain_attr->data_progress = own->domain_attr->control_progress = FI_PROGRESS_MANUAL;
    own->domain_attr->resource_mgmt = FI_RM_ENABLED;
    own->domain_attr->mr_mode = FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY;
    own->tx_attr->msg_order = own->rx_attr->msg_order = FI_ORDER_SAS;
    own->fabric_attr->prov_name = copy_text(provider);
    return own;
}

/* Loopback comes last, as with providers that know no interfaces. */
static int is_loopback(const struct fi_info *info)
{
    return strcmp(info->domain_attr->name, "lo") == 0;
}

static int strict_getinfo(uint32_t version, const char *node, const char *service, uint64_t flags,
                          const struct fi_info *hints, struct fi_info **result)
{
    static const char *const providers[] = {"net", "tcp", "tcp;ofi_rxm"};
    static __thread int inside;
    struct fi_info *list = NULL, **end = result, *own;
    const char *lower = NULL;
    int outcome = -FI_ENODATA;

    *result = NULL;
    if (inside || !suits(hints))
        return -FI_ENODATA;
    inside = 1;
    for (size_t i = 0; i < sizeof providers / sizeof *providers && outcome; i++) {
        lower = providers[i];
        own = lower_hints(hints, lower);
        outcome = own ? fi_getinfo(version, node, service, flags, own, &list) : -FI_ENOMEM;
        fi_freeinfo(own);
    }
    inside = 0;
    pthread_mutex_lock(&strict_mutex);
    for (int loopback = 0; loopback < 2 && outcome == 0; loopback++)
        for (const struct fi_info *one = list; one; one = one->next)
            if (is_loopback(one) == loopback && !name_differs(lower, one->fabric_attr->prov_name))
                end = offer_fabrics(end, one, hints);
    pthread_mutex_unlock(&strict_mutex);
    fi_freeinfo(list);
    return outcome ? outcome : *result ? 0 : -FI_ENODATA;
}

static const struct known *find(const struct fi_info *info)
{
    for (int i = 0; i < known_count; i++)
        if (strcmp(known[i].domain, info->domain_attr->name) == 0 &&
            strcmp(known[i].fabric, info->fabric_attr->name) == 0 &&
            (!info->src_addr || is_same_address(info, known[i].lower)))
            return &known[i];
    return NULL;
}

/* ---- address vectors ---- */

/* The rail and the pattern of an address, of so many bytes; the lower provider's is before it. */
static int is_of_rail(const struct strict_av *av, const unsigned char *name, size_t lower)
{
    const size_t most = strict_rule(RULE_NAME_BYTES);

    if (!is_opaque())
        return 1;
    for (size_t i = lower + 1; i < most; i++)
        if (name[i] != (unsigned char)(1 + 37 * i))
            strict_violated(RULE_NAME_BYTES, "byte %zu of an address has not come through", i);
    return name[lower] == av->domain->rail;
}

static int av_insert(struct fid_av *fid, const void *address, size_t count, fi_addr_t *result,
                     uint64_t flags, void *context)
{
    struct strict_av *av = (struct strict_av *)fid;

    if (count != 1)
        return -FI_ENOSYS;
    if (!is_of_rail(av, address, av->domain->lower_info->src_addrlen))
        return 0;
    return fi_av_insert(av->lower, address, 1, result, flags, context);
}

static const char *av_straddr(struct fid_av *fid, const void *address, char *text, size_t *bytes)
{
    return fi_av_straddr(((struct strict_av *)fid)->lower, address, text, bytes);
}

static int av_close(struct fid *fid)
{
    struct strict_av *av = (struct strict_av *)fid;
    int outcome = fi_close(&av->lower->fid);

    av->domain->objects--;
    free(av);
    return outcome;
}

static struct fi_ops av_fid_ops = {.size = sizeof av_fid_ops, .close = av_close};
static struct fi_ops_av av_ops = {
    .size = sizeof av_ops, .insert = av_insert, .straddr = av_straddr};

static int av_open(struct fid_domain *fid, struct fi_av_attr *attr, struct fid_av **result,
                   void *context)
{
    struct strict_domain *domain = (struct strict_domain *)fid;
    struct strict_av *av = calloc(1, sizeof *av);
    int outcome = av ? fi_av_open(domain->lower, attr, &av->lower, NULL) : -FI_ENOMEM;

    if (outcome) {
        free(av);
        return outcome;
    }
    av->fid.fid = (struct fid){FI_CLASS_AV, context, &av_fid_ops};
    av->fid.ops = &av_ops;
    av->domain = domain;
    domain->objects++;
    *result = &av->fid;
    return 0;
}

/* ---- domains and fabrics ---- */

static int domain_close(struct fid *fid)
{
    struct strict_domain *domain = (struct strict_domain *)fid;
    int outcome = fi_close(&domain->lower->fid);

    if (domain->objects)
        strict_misused("fi_domain(3)", "a domain is closed before its endpoints, queues and "
                                       "address vectors");
    if (domain->registered)
        strict_violated(RULE_MR_MODE, "a domain is closed with %llu bytes registered",
                        (unsigned long long)domain->registered);
    fi_freeinfo(domain->lower_info);
    free(domain);
    return outcome;
}

static struct fi_ops domain_fid_ops = {.size = sizeof domain_fid_ops, .close = domain_close};
static struct fi_ops_domain domain_ops = {.size = sizeof domain_ops,
                                          .av_open = av_open,
                                          .cq_open = strict_cq_open,
                                          .endpoint = strict_ep_open};

static int domain_open(struct fid_fabric *fid, struct fi_info *info, struct fid_domain **result,
                       void *context)
{
    struct strict_fabric *fabric = (struct strict_fabric *)fid;
    const struct known *one = find(info);
    struct strict_domain *domain = one ? calloc(1, sizeof *domain) : NULL;
    int outcome;

    if (!domain)
        return one ? -FI_ENOMEM : -FI_EINVAL;
    domain->lower_info = fi_dupinfo(one->lower);
    domain->lower_info->domain_attr->mr_mode =
        (int)strict_rule(RULE_MR_MODE) & (FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY);
    domain->rail = one->rail;
    domain->send = one->send;
    domain->api = info->fabric_attr->api_version;
    domain->is_managed = info->domain_attr->resource_mgmt == FI_RM_ENABLED;
    outcome = fi_domain(fabric->lower, domain->lower_info, &domain->lower, NULL);
    if (outcome) {
        fi_freeinfo(domain->lower_info);
        free(domain);
        return outcome;
    }
    domain->fid.fid = (struct fid){FI_CLASS_DOMAIN, context, &domain_fid_ops};
    domain->fid.ops = &domain_ops;
    domain->fid.mr = &strict_mr_ops;
    *result = &domain->fid;
    return 0;
}

static int trywait(struct fid_fabric *fid, struct fid **fids, int count)
{
    struct strict_fabric *fabric = (struct strict_fabric *)fid;
    int outcome = 0;

    pthread_mutex_lock(&strict_mutex);
    for (int i = 0; i < count && outcome == 0; i++) {
        struct strict_cq *cq = (struct strict_cq *)fids[i];
        struct fid *lower = &cq->lower->fid;

        if (fids[i]->fclass != FI_CLASS_CQ)
            outcome = -FI_EINVAL;
        else
            outcome = strict_cq_is_idle(cq) ? fi_trywait(fabric->lower, &lower, 1) : -FI_EAGAIN;
    }
    pthread_mutex_unlock(&strict_mutex);
    return outcome;
}

static int fabric_close(struct fid *fid)
{
    struct strict_fabric *fabric = (struct strict_fabric *)fid;
    int outcome = fi_close(&fabric->lower->fid);

    free(fabric);
    return outcome;
}

static struct fi_ops fabric_fid_ops = {.size = sizeof fabric_fid_ops, .close = fabric_close};
static struct fi_ops_fabric fabric_ops = {
    .size = sizeof fabric_ops, .domain = domain_open, .trywait = trywait};

static int fabric_open(struct fi_fabric_attr *attr, struct fid_fabric **result, void *context)
{
    struct strict_fabric *fabric = calloc(1, sizeof *fabric);
    int outcome = fabric ? -FI_ENODATA : -FI_ENOMEM;

    for (int i = 0; fabric && i < known_count && outcome == -FI_ENODATA; i++)
        if (!name_differs(attr->name, known[i].fabric))
            outcome = fi_fabric(known[i].lower->fabric_attr, &fabric->lower, NULL);
    if (outcome) {
        free(fabric);
        return outcome;
    }
    fabric->fid.fid = (struct fid){FI_CLASS_FABRIC, context, &fabric_fid_ops};
    fabric->fid.ops = &fabric_ops;
    *result = &fabric->fid;
    return 0;
}

static void cleanup(void)
{
    for (int i = 0; i < known_count; i++)
        fi_freeinfo(known[i].lower);
    known_count = 0;
}

static struct fi_provider provider = {.version = FI_VERSION(1, 0),
                                      .fi_version = FI_VERSION(FI_MAJOR_VERSION, FI_MINOR_VERSION),
                                      .name = "strict",
                                      .getinfo = strict_getinfo,
                                      .fabric = fabric_open,
                                      .cleanup = cleanup};

/* The one symbol that libfabric looks for. */
__attribute__((visibility("default"))) struct fi_provider *fi_prov_ini(void);

struct fi_provider *fi_prov_ini(void)
{
    if (strict_profile_open() != 0)
        return NULL;
    if (strict_rule(RULE_BUILT_FOR))
        provider.fi_version = (uint32_t)strict_rule(RULE_BUILT_FOR);
    return &provider;
}
