/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The strict provider: an external provider of libfabric, for tests, over a provider of TCP. It
 * demands of its user the rules that a real provider's man page states, and ends the process at a
 * violation. It also grants no more than that page: an order or an event that the page does not
 * promise is broken on purpose, as far as a process can.
 *
 *   rules.c     the rules of each profile, with the pages that state them
 *   provider.c  fi_getinfo; fabrics, domains and address vectors
 *   memory.c    registration
 *   post.c      operations that the user begins
 *   queue.c     operations in flight, and their completions
 *
 * One mutex guards all objects.
 */
#ifndef PROA_TEST_STRICT_H
#define PROA_TEST_STRICT_H

#include <pthread.h>
#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>
#include <stddef.h>
#include <stdint.h>
#include <uthash.h>

#define HIDDEN __attribute__((visibility("hidden")))

/* ---- rules.c ---- */

/* Each has a number as its value; a profile without a row for it has 0, which demands nothing. */
enum strict_rule {
    RULE_MR_MODE,       /* the bits that the user has to support */
    RULE_MODE,          /* FI_CONTEXT, FI_CONTEXT2 */
    RULE_NO_ORDER,      /* of messages: they overtake each other */
    RULE_NO_READ_AFTER, /* a read does not wait for earlier writes, but by FI_FENCE */
    RULE_NO_FENCE,      /* nor by FI_FENCE, which is refused */
    RULE_NO_DELIVERY,   /* FI_DELIVERY_COMPLETE is refused */
    RULE_LATE,          /* a write's completion comes before its bytes are visible */
    RULE_NO_INJECT,     /* of any size */
    RULE_NO_WAIT,       /* object of a queue */
    RULE_NO_MESSAGES,   /* FI_MSG is not offered */
    RULE_IOV,           /* the most pieces of a buffer */
    RULE_MESSAGE,       /* the most bytes of an operation */
    RULE_SEND,          /* the most bytes of a message, which FI_OPT_MAX_MSG_SIZE alone tells */
    RULE_DIRECT,        /* another fabric of the device comes first, whose messages have so many */
    RULE_RAW_BYTES,     /* reads are ordered behind writes of so many bytes, and no more */
    RULE_QUEUE,         /* operations in flight, each way */
    RULE_UNMANAGED,     /* a full queue refuses no call, unless the user asked for FI_RM_ENABLED */
    RULE_STORM,         /* FI_EAGAIN without a reason, once in so many calls, and then often */
    RULE_CQ_ROOM,       /* the user has to leave room for all completions */
    RULE_KEY_BYTES,     /* of a key that the user chooses */
    RULE_NAME_BYTES,    /* of an address */
    RULE_RAILS,         /* domains of one device each */
    RULE_PIN_NS,        /* a page that is registered costs */
    RULE_PIN_TIMES,     /* so often: by each of several devices */
    RULE_MEMLOCK,       /* ulimit -l limits the bytes that are registered */
    RULE_DEVICE_API,    /* puts and gets by an older interface, major << 16 | minor, are played */
    RULE_BUILT_FOR,     /* the provider was built for this interface, the same way */
    RULE_FAIL,          /* this send of the process fails */
    RULE_UNBOUND,       /* memory cannot be bound to an endpoint */
    RULES
};

/* The value of a rule in the profile that STRICT_PROFILE names, or that STRICT_RULES gives it. */
HIDDEN uint64_t strict_rule(enum strict_rule rule);
HIDDEN int strict_profile_open(void);
/* Ends the process with a sentence that names the rule and the page. */
HIDDEN void strict_violated(enum strict_rule rule, const char *fmt, ...)
    __attribute__((noreturn, format(printf, 2, 3)));
/* The same for the rules of libfabric itself, by their page. */
HIDDEN void strict_misused(const char *page, const char *what) __attribute__((noreturn));
/* A number below `most`, by chance; 0 of 0. */
HIDDEN uint32_t strict_chance(uint32_t most);

/* ---- objects ---- */

struct strict_fabric {
    struct fid_fabric fid;
    struct fid_fabric *lower;
};

struct strict_domain {
    struct fid_domain fid;
    struct fid_domain *lower;
    size_t send; /* the most bytes of a message; 0: RULE_MESSAGE has it */
    struct fi_info *lower_info;
    uint32_t api;   /* the version of the interface by which the user found it */
    int is_managed; /* a call beyond a queue returns FI_EAGAIN */
    uint64_t rail;
    uint64_t registered; /* bytes, of whole pages */
    int objects;         /* endpoints, queues and address vectors that are open */
};

struct strict_av {
    struct fid_av fid;
    struct fid_av *lower;
    struct strict_domain *domain;
};

struct strict_mr {
    struct fid_mr fid;
    struct fid_mr *lower; /* NULL: not enabled yet */
    struct strict_domain *domain;
    struct strict_ep *ep; /* that it is bound to */
    const char *start;
    size_t bytes;
    uint64_t access, requested;
    unsigned users; /* operations in flight on its bytes */
    struct strict_mr *next;
};

enum strict_kind { KIND_RECEIVE, KIND_SEND, KIND_READ, KIND_WRITE, KIND_PROBE };

/* An operation in flight. */
struct strict_op {
    struct fi_context2 lower; /* first: the lower provider's context */
    void *context;            /* the user's, by which it is found */
    UT_hash_handle hh;
    struct strict_ep *ep;
    enum strict_kind kind;
    int is_told;  /* its completion has been given to the user */
    int is_begun; /* the lower provider has it */
    uint32_t due; /* turns, until it begins or is told */
    size_t bytes; /* that a receive has got */
    int error;
    struct strict_mr *mr; /* of its buffer */
    char *buffer, *copy, *scratch;
    size_t length;
    uint64_t sequence; /* at its endpoint */
    fi_addr_t peer;
    uint64_t address, key;
    struct strict_op *prev, *next; /* of a list of its queue or endpoint */
};

struct strict_cq {
    struct fid_cq fid;
    struct fid_cq *lower;
    struct strict_domain *domain;
    struct strict_ep *ep; /* the one that uses it */
    size_t room, in_flight;
    struct strict_op *ready; /* to be told, the first first */
    struct strict_op *held;  /* receives that others overtake */
};

struct strict_ep {
    struct fid_ep fid;
    struct fid_ep *lower;
    struct strict_domain *domain;
    struct strict_cq *cq;
    unsigned bound;           /* memory of others' reach that is bound to it */
    unsigned in, out;         /* operations in flight */
    unsigned storm;           /* calls that are still refused */
    uint64_t sequence, sends; /* operations so far */
    long storm_ends;          /* at the latest */
    struct strict_op *ops;    /* in flight, by the user's context */
    struct strict_op *late;   /* writes that the user takes for done, and reads behind them */
    int is_closed;
};

HIDDEN extern pthread_mutex_t strict_mutex;

/* ---- memory.c ---- */

HIDDEN extern struct fi_ops_mr strict_mr_ops;
/* The memory that a buffer of an operation lies in: checks FI_MR_LOCAL. NULL: it need not be
 * registered. */
HIDDEN struct strict_mr *strict_buffer(struct strict_ep *ep, const void *buffer, size_t bytes,
                                       void *desc, uint64_t access);

/* ---- post.c ---- */

HIDDEN int strict_ep_open(struct fid_domain *domain, struct fi_info *info, struct fid_ep **ep,
                          void *context);
/* Begins an operation at the lower provider. */
HIDDEN ssize_t strict_begin(struct strict_op *op);

/* ---- queue.c ---- */

HIDDEN int strict_cq_open(struct fid_domain *domain, struct fi_cq_attr *attr, struct fid_cq **cq,
                          void *context);
/* A process may sleep at the queue. */
HIDDEN int strict_cq_is_idle(const struct strict_cq *cq);
/* Counts an operation in; NULL, no memory. Checks the context. */
HIDDEN struct strict_op *strict_op_new(struct strict_ep *ep, enum strict_kind kind, void *context);
HIDDEN void strict_op_free(struct strict_op *op);
/* Its completion can be read. */
HIDDEN void strict_op_tell(struct strict_op *op);

#endif
