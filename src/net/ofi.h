/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The transport over libfabric: declarations that its files share. A network that this process is
 * on is one endpoint without connections (FI_EP_RDM) and one completion queue.
 *
 *   ofi.c          opens and closes it; progress
 *   ofi_choose.c   loads libfabric; which networks it offers
 *   ofi_promise.c  the promises of the network that is opened, and their replacements
 *   ofi_message.c  messages: frames (frame.h) that go out and come in
 *   ofi_early.c    frames that came before their turn
 *   ofi_move.c     puts and gets
 *   ofi_memory.c   memory that others may reach, and buffers that the network has to know
 *   ofi_peer.c     which peers are alive, and which are lost
 *   ofi_knock.c    whether a peer's host refuses connections to it
 *   ofi_doze.c     sleeping until something comes
 *
 * Every operation that libfabric has begun is known by a struct proa_ofi_context, which is its
 * first member, until its completion comes. Locks: none, see net.h; libfabric itself is asked to be
 * safe for threads, since doze looks at the queue while another thread may be inside.
 */
#ifndef PROA_NET_OFI_H
#define PROA_NET_OFI_H

#include "base/hidden.h"
#include "net/frame.h"

#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>
#include <uthash.h>

enum {
    PROA_OFI_SENDS = 128,     /* frames in flight; a network may take fewer */
    PROA_OFI_RECEIVES = 128,  /* frames that may come before progress is made */
    PROA_OFI_MOVES = 128,     /* puts and gets in flight */
    PROA_OFI_PIECES = 2,      /* pieces of one put or get in flight */
    PROA_OFI_PIECE = 1 << 20, /* bytes: messages go between two of them */
    PROA_OFI_MOVING = 2 << 20 /* bytes in flight to or from one peer */
};

/* libfabric's functions. All else of its interface is inline functions. */
struct proa_libfabric {
    __typeof__(fi_getinfo) *getinfo;
    __typeof__(fi_freeinfo) *freeinfo;
    __typeof__(fi_dupinfo) *dupinfo;
    __typeof__(fi_fabric) *fabric;
    __typeof__(fi_strerror) *strerror;
    __typeof__(fi_version) *version;
};
extern PROA_HIDDEN struct proa_libfabric proa_libfabric;

enum proa_ofi_kind { PROA_OFI_SEND, PROA_OFI_RECEIVE, PROA_OFI_MOVE };

struct proa_ofi_context {
    struct fi_context2 libfabric;
    enum proa_ofi_kind kind;
};

/* A buffer of a frame. Small puts and gets are copied through one too, where the network has to
 * know its buffers. */
struct proa_ofi_frame {
    struct proa_ofi_context context;
    struct proa_ofi_peer *peer; /* of a send */
    struct proa_ofi_frame *next;
    struct proa_frame_head head;
    unsigned char body[PROA_NET_MESSAGE_MOST];
};

enum proa_ofi_state {
    PROA_OFI_THERE,
    PROA_OFI_FAILED, /* lost, and core is to be told */
    PROA_OFI_LOST    /* and it has been told */
};

struct proa_ofi_peer {
    uint64_t id;
    UT_hash_handle hh; /* by id */
    fi_addr_t at;
    uint32_t number; /* what core calls it */
    enum proa_ofi_state state;
    unsigned char secret[PROA_FRAME_SECRET];
    char name[64];           /* for people */
    char why[160];           /* it is lost */
    enum proa_net_end end;   /* how it was lost */
    uint32_t sent, received; /* the numbers of the next frames */
    int met;                 /* frames have gone there, or come from there */
    unsigned under_way;      /* operations that libfabric has begun */
    size_t moving;           /* bytes of puts and gets among them */
    int through;             /* the network has been through to it */
    int parted;              /* it has been told that this process leaves */
    int answered;            /* it does, so the connection stands (ofi_message.c) */
    int asks;                /* the kind of its answer, for which the network had no room; or 0 */
    int wanted;              /* core has something to say or to do there */
    int knock;               /* descriptor of a connection that is tried; -1: none */
    /* Times (net->now): */
    long heard;      /* it was heard of last */
    long asked;      /* the last greeting or ping went out */
    long unanswered; /* the first of them since it was heard of; 0: none */
    long used;       /* core has sent, put, got or been told something last */
    long refused;    /* the network takes nothing for it, since then; 0: it does */
};

struct proa_ofi_piece {
    struct proa_ofi_context context;
    struct proa_ofi_move *move;
    size_t at; /* of the move's bytes */
    uint32_t bytes;
    int busy;
    struct proa_ofi_frame *bounce; /* the bytes lie there */
};

/* A put or a get. */
struct proa_ofi_move {
    struct proa_ofi_peer *peer;
    uint64_t token, address, key; /* address: as the network wants it */
    char *here;
    void *desc;
    size_t bytes, begun; /* begun: of the bytes, from the first */
    int is_put, outcome, told;
    int confirm;        /* a read has to show that the bytes of the put lie there */
    unsigned under_way; /* pieces */
    struct proa_ofi_piece pieces[PROA_OFI_PIECES];
    int is_copied;                  /* each piece through a buffer that the network knows */
    struct fid_mr *local;           /* the network knows its bytes by this */
    struct proa_ofi_exposure *lent; /* or as memory that is exposed */
    struct proa_ofi_move *prev, *next;
};

/* A frame that came before its turn, on a network that keeps no order. */
struct proa_ofi_early {
    struct proa_ofi_early *next;
    struct proa_frame_head head;
    unsigned char body[];
};

/* How a put is known to lie in the target's memory. */
enum proa_ofi_proof {
    PROA_OFI_DELIVERY, /* its completion says so: FI_DELIVERY_COMPLETE */
    PROA_OFI_READ,     /* a read that comes after it has completed: FI_ORDER_RAW */
    PROA_OFI_FENCE     /* such a read, with FI_FENCE */
};

/* Memory that others may reach. */
struct proa_ofi_exposure {
    char *memory;
    size_t bytes;
    struct fid_mr *mr; /* NULL: of 0 bytes */
    unsigned holders;
    struct proa_ofi_exposure *next;
};

struct proa_net {
    const struct proa_net_events *events;
    void *context;
    struct fi_info *info;
    struct fi_info *fenced; /* of our own, where fences had to be asked for */
    int memory_mode;        /* FI_MR_LOCAL: local buffers have to be registered; and so on */
    int is_ordered;         /* messages do not overtake each other */
    enum proa_ofi_proof proof;
    size_t largest; /* bytes of one write or read */
    struct fid_fabric *fabric;
    struct fid_domain *domain;
    struct fid_av *av;
    struct fid_cq *cq;
    struct fid_ep *ep;
    struct proa_frame_address own;
    uint32_t network; /* the kind of the offer: processes with different ones cannot talk */

    struct proa_ofi_peer **peers; /* by number */
    struct proa_ofi_peer *by_id;
    uint32_t peer_count, peer_room;
    size_t under_way; /* operations to all peers that libfabric has begun */
    int failed;       /* peers that core has to be told of */
    int asking;       /* peers that still have to be answered */
    unsigned long strangers;

    struct proa_ofi_frame *frames; /* all, in one piece of memory: sends, then receives */
    struct fid_mr *frames_mr;
    void *frames_desc;
    struct proa_ofi_frame *free_sends;
    struct proa_ofi_frame *unposted; /* receives that the network had no room for */
    struct proa_ofi_frame *scratch;  /* the bytes of reads that only prove a put come here */
    struct proa_ofi_early *early;    /* on a network without order */
    unsigned early_count;
    struct proa_ofi_move *moves, *free_moves, *active;
    struct proa_ofi_move *settled; /* done, without the network or in spite of it: to be told */
    struct proa_ofi_exposure *exposures;
    size_t registered;     /* bytes, by us */
    unsigned long unknown; /* buffers that could not be registered */

    long now;       /* nanoseconds; looked at now and then */
    long next_tick; /* atomic: when peers are looked after next */
    long timeout;   /* nanoseconds without a sign of life; 0: for ever */
    long attended;  /* until then a thread waits for peers */
    unsigned turns;
    int told;           /* events in this call of progress */
    int queue_fd, bell; /* doze sleeps at both: libfabric's, -1 without; the doorbell, an eventfd */
    int woken;          /* atomic: the doorbell has been rung */
    int slept;          /* atomic: so the clock has gone on */
    int edge;           /* epoll at both, for news of the queue; -1 without */
    unsigned fruitless; /* atomic: dozes that the queue's descriptor has ended for nothing */
    int closing;
};

/* For tests: local buffers are registered although the network does not need it. */
extern PROA_HIDDEN int proa_ofi_know_buffers;

/* ---- ofi_choose.c ---- */

/* Loads libfabric where that was not done. PROA_ERR_OTHER: there is none here, or none that is new
 * enough. By one thread at a time. */
int proa_libfabric_load(void);

/* The usable networks, the best first, to be freed by freeinfo. PROA_ERR_OTHER: none, in words.
 * This and the next function: by one thread at a time, once libfabric is loaded. */
int proa_ofi_choose(struct fi_info **offers);

/* The same networks as offers to other processes, at most one for each address and provider. Also
 * libfabric's description of each, to be freed by freeinfo: a list where that provider has several
 * fabrics there, in the order in which they are to be tried. */
int proa_ofi_offers(struct proa_offers *offers, struct proa_offer_names *names,
                    struct fi_info *infos[PROA_OFFERS_MOST]);

/* ---- ofi_promise.c ---- */

/* Finds the promises of the network of net->info, and replaces net->info where something has to be
 * asked for. PROA_ERR_OTHER: it lacks one that has no replacement. */
int proa_ofi_promises(struct proa_net *net);

/* ---- ofi_early.c ---- */

/* Keeps a frame until its turn. Not 0: there is no room. */
int proa_ofi_early_keep(struct proa_net *net, const struct proa_frame_head *head, const void *body);
/* The frame of that number from that sender, to be freed; NULL: it has not come. */
struct proa_ofi_early *proa_ofi_early_take(struct proa_net *net, uint64_t sender, uint32_t number);
/* Frees those of a sender; of all senders, with 0. */
void proa_ofi_early_drop(struct proa_net *net, uint64_t sender);

/* ---- ofi_peer.c ---- */

/* The peer of that address: a new one, where it is not known. */
int proa_ofi_peer_add(struct proa_net *net, const struct proa_frame_address *address,
                      struct proa_ofi_peer **peer);
struct proa_ofi_peer *proa_ofi_peer_find(const struct proa_net *net, uint64_t id);
/* PROA_ERR_OTHER with its sentence, where it is lost. */
int proa_ofi_peer_check(const struct proa_ofi_peer *peer);
/* Gives it up, with the reason: core is told by the next progress. */
void proa_ofi_peer_fail(struct proa_net *net, struct proa_ofi_peer *peer, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* The same for a peer that has said that it leaves, which is no fault, or gives this process up. */
void proa_ofi_peer_ends(struct proa_net *net, struct proa_ofi_peer *peer, enum proa_net_end end);
/* Asks it for a sign of life where there was none: net.h, try. */
int proa_ofi_try(struct proa_net *net, uint32_t number);
/* Peers are asked sooner from now on, for some seconds. */
void proa_ofi_attend(struct proa_net *net);
/* Answers its greeting or ping, now or as soon as the network has room. */
void proa_ofi_peer_answer(struct proa_net *net, struct proa_ofi_peer *peer,
                          enum proa_frame_kind kind);
/* A greeting or a ping has gone out. */
void proa_ofi_peer_asked(const struct proa_net *net, struct proa_ofi_peer *peer);
/* It has been heard of, so the network has been through to it. */
void proa_ofi_peer_heard(const struct proa_net *net, struct proa_ofi_peer *peer);
/* libfabric has begun an operation to it, and has ended it. */
void proa_ofi_peer_begun(struct proa_net *net, struct proa_ofi_peer *peer);
void proa_ofi_peer_ended(struct proa_net *net, struct proa_ofi_peer *peer);
/* The network takes nothing for it, with this error: PROA_NET_AGAIN, it has no room or no
 * connection now; or gives it up, as proa_ofi_peer_check says. */
int proa_ofi_peer_refused(struct proa_net *net, struct proa_ofi_peer *peer, ssize_t error);
/* Asks silent peers for a sign of life, answers those that have asked, gives up those silent for
 * too long, and tells core. */
void proa_ofi_peers_look_after(struct proa_net *net);
/* A text for a network's address of a process. */
void proa_ofi_name(const struct proa_net *net, const void *address, char *text, size_t bytes);

/* ---- ofi_knock.c ---- */

/* Asks the peer's host for a connection. 1: it has refused one, as no process listens there. 0:
 * not, or not yet, or the network is not one of TCP. Does not wait; called again, it looks at what
 * it has begun. */
int proa_ofi_knock(struct proa_net *net, struct proa_ofi_peer *peer);
/* Has the process perhaps only lost its connection? Only over TCP: see proa_ofi_knock. */
int proa_ofi_may_live(struct proa_net *net, struct proa_ofi_peer *peer);
/* Ends a connection that is tried. */
void proa_ofi_knock_end(struct proa_ofi_peer *peer);

/* ---- ofi_message.c ---- */

int proa_ofi_frames_open(struct proa_net *net);
/* Greets a peer until it has answered: PROA_OK. PROA_NET_AGAIN, PROA_ERR_OTHER. */
int proa_ofi_greet(struct proa_net *net, struct proa_ofi_peer *peer);
/* Sends a frame. PROA_NET_AGAIN; PROA_ERR_OTHER. */
int proa_ofi_frame_send(struct proa_net *net, struct proa_ofi_peer *peer, enum proa_frame_kind kind,
                        const void *body, size_t bytes);
/* Gives the network those receive buffers that it had no room for before. */
void proa_ofi_frames_post(struct proa_net *net);
void proa_ofi_frame_sent(struct proa_net *net, struct proa_ofi_frame *frame);
/* Handles a frame of that many bytes in the buffer. */
void proa_ofi_frame_came(struct proa_net *net, struct proa_ofi_frame *frame, size_t bytes);
struct proa_ofi_frame *proa_ofi_frame_take(struct proa_net *net);
void proa_ofi_frame_give(struct proa_net *net, struct proa_ofi_frame *frame);

/* ---- ofi_move.c ---- */

int proa_ofi_moves_open(struct proa_net *net);
int proa_ofi_move(struct proa_net *net, int put, const struct proa_net_place *there, void *here,
                  size_t bytes, uint64_t token);
/* A piece is done; error: libfabric's number, or 0. */
void proa_ofi_piece_done(struct proa_net *net, struct proa_ofi_piece *piece, int error);
/* Ends the puts and gets to a lost peer. */
void proa_ofi_moves_lost(struct proa_net *net, struct proa_ofi_peer *peer);
/* Continues the puts and gets in flight, and tells core of those that are over. */
void proa_ofi_moves_go_on(struct proa_net *net);

/* ---- ofi_memory.c ---- */

/* Exposed memory that a buffer lies in, held until it is given back; NULL: there is none. */
struct proa_ofi_exposure *proa_ofi_exposure_lend(struct proa_net *net, const void *memory,
                                                 size_t bytes);
void proa_ofi_exposure_give(struct proa_net *net, struct proa_ofi_exposure *one);
int proa_ofi_expose(struct proa_net *net, void *memory, size_t bytes, struct proa_net_key *key);
void proa_ofi_hide(struct proa_net *net, const struct proa_net_key *key);
/* Finds in a key how the network names the first of the bytes at `address`, and by which key.
 * PROA_ERR_OTHER: the key does not cover all of the bytes. */
int proa_ofi_place(const struct proa_net *net, const struct proa_net_place *there, size_t bytes,
                   uint64_t *address, uint64_t *key);
/* Registers a buffer of ours, and ends that. PROA_ERR_NO_MEM: by `ulimit -l`, as a rule. */
int proa_ofi_memory_know(struct proa_net *net, void *memory, size_t bytes, struct fid_mr **mr);
void proa_ofi_memory_forget(struct proa_net *net, struct fid_mr *mr, size_t bytes);
/* Ends all exposures that are left. Before the endpoint is closed. */
void proa_ofi_memory_close(struct proa_net *net);
/* Random bytes that cannot be guessed. */
int proa_ofi_random(void *bytes, size_t count);

/* ---- ofi_doze.c ---- */

int proa_ofi_doze_open(struct proa_net *net);
void proa_ofi_doze_close(struct proa_net *net);
int proa_ofi_doze(struct proa_net *const nets[], int count, long timeout_ns);
void proa_ofi_wake(struct proa_net *net);

/* libfabric's error, as a sentence. */
const char *proa_ofi_said(long error);

#endif
