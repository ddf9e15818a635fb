/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The transport over libfabric: declarations that its files share. A network that this process is
 * on is one endpoint without connections (FI_EP_RDM) and one completion queue.
 *
 *   ofi.c          opens and closes it; progress
 *   ofi_choose.c   loads libfabric; which networks it offers
 *   ofi_promise.c  the promises of the network that is opened, and their replacements
 *   ofi_message.c  messages: sending and receiving frames (frame.h)
 *   ofi_early.c    frames that arrived before their turn
 *   ofi_move.c     puts and gets
 *   ofi_memory.c   memory that others may reach, and buffers that the network has to know
 *   ofi_peer.c     which peers are alive, and which are lost
 *   ofi_knock.c    whether a peer's host refuses connections to it
 *   ofi_doze.c     sleeping until something arrives
 *
 * Every operation that libfabric has begun is identified by a struct proa_ofi_context, which is its
 * first member, until its completion. There are no locks (see net.h). But libfabric has to be
 * thread-safe, since doze checks the queue while another thread may be inside.
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
    PROA_OFI_SENDS = 128,     /* frames in flight; a network may accept fewer */
    PROA_OFI_RECEIVES = 128,  /* frames that may arrive before progress is made */
    PROA_OFI_MOVES = 128,     /* puts and gets in flight */
    PROA_OFI_PIECES = 2,      /* pieces of one put or get in flight */
    PROA_OFI_PIECE = 1 << 20, /* bytes of a piece: messages are sent between two pieces */
    PROA_OFI_MOVING = 2 << 20 /* bytes in flight to or from one peer */
};

/* Functions of libfabric. The rest of its interface is inline functions. */
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

/* A buffer of a frame. Small puts and gets are copied through one too if the network requires
 * registered buffers. */
struct proa_ofi_frame {
    struct proa_ofi_context context;
    struct proa_ofi_peer *peer; /* the receiver, for a send */
    struct proa_ofi_frame *next;
    struct proa_frame_head head;
    unsigned char body[PROA_NET_MESSAGE_MOST];
};

enum proa_ofi_state {
    PROA_OFI_THERE,
    PROA_OFI_FAILED, /* lost, and not reported to core yet */
    PROA_OFI_LOST    /* lost, and reported to core */
};

struct proa_ofi_peer {
    uint64_t id;
    UT_hash_handle hh; /* by id */
    fi_addr_t at;
    uint32_t number; /* core's number for it */
    enum proa_ofi_state state;
    unsigned char secret[PROA_FRAME_SECRET];
    char name[64];           /* readable name */
    char why[160];           /* the reason why it is lost */
    enum proa_net_end end;   /* how it was lost */
    uint32_t sent, received; /* the numbers of the next frames */
    int met;                 /* frames were sent to it, or arrived from it */
    unsigned under_way;      /* operations that libfabric has begun */
    size_t moving;           /* bytes of puts and gets among these operations */
    int through;             /* the network has carried something to it */
    int parted;              /* it was notified that this process leaves */
    int answered;            /* it has answered, so the connection works (ofi_message.c) */
    int asks;   /* kind of the answer that it is still owed, as the network had no room; or 0 */
    int wanted; /* core has something to send or to do there */
    int knock;  /* descriptor of a connection that is being tried; -1 if none */
    /* Times (net->now): */
    long heard;      /* its last sign of life */
    long asked;      /* the last greeting or ping was sent */
    long unanswered; /* the first of these since its last sign of life; 0 if none */
    long used;       /* the last send, put, get or event of core */
    long refused;    /* since when the network refuses operations to it; 0 if it does not */
};

struct proa_ofi_piece {
    struct proa_ofi_context context;
    struct proa_ofi_move *move;
    size_t at; /* offset in the move's bytes */
    uint32_t bytes;
    int busy;
    struct proa_ofi_frame *bounce; /* the buffer with its bytes, if they are copied */
};

/* A put or a get. */
struct proa_ofi_move {
    struct proa_ofi_peer *peer;
    uint64_t token, address, key; /* address: in the form that the network requires */
    char *here;
    void *desc;
    size_t bytes, begun; /* begun: bytes begun so far, from the start */
    int is_put, outcome, told;
    int confirm;        /* a read has to prove that the put's bytes are in the target's memory */
    unsigned under_way; /* pieces in flight */
    struct proa_ofi_piece pieces[PROA_OFI_PIECES];
    int is_copied;                  /* each piece is copied through a registered buffer */
    struct fid_mr *local;           /* registration of its bytes */
    struct proa_ofi_exposure *lent; /* or the exposed memory that contains them */
    struct proa_ofi_move *prev, *next;
};

/* A frame that arrived before its turn, on a network that keeps no order. */
struct proa_ofi_early {
    struct proa_ofi_early *next;
    struct proa_frame_head head;
    unsigned char body[];
};

/* How a transport knows that a put is in the target's memory. */
enum proa_ofi_proof {
    PROA_OFI_DELIVERY, /* its completion proves it: FI_DELIVERY_COMPLETE */
    PROA_OFI_READ,     /* completion of a read that follows it: FI_ORDER_RAW */
    PROA_OFI_FENCE     /* the same, with FI_FENCE */
};

/* Memory that others may access. */
struct proa_ofi_exposure {
    char *memory;
    size_t bytes;
    struct fid_mr *mr; /* NULL for 0 bytes */
    unsigned holders;
    struct proa_ofi_exposure *next;
};

struct proa_net {
    const struct proa_net_events *events;
    void *context;
    struct fi_info *info;
    struct fi_info *fenced; /* our own, if fences had to be requested */
    int memory_mode;        /* such as FI_MR_LOCAL: local buffers have to be registered */
    int is_ordered;         /* messages do not overtake each other */
    enum proa_ofi_proof proof;
    size_t largest; /* bytes of one write or read, at most */
    struct fid_fabric *fabric;
    struct fid_domain *domain;
    struct fid_av *av;
    struct fid_cq *cq;
    struct fid_ep *ep;
    struct proa_frame_address own;
    uint32_t network; /* kind of the offer: processes with different kinds cannot communicate */

    struct proa_ofi_peer **peers; /* by number */
    struct proa_ofi_peer *by_id;
    uint32_t peer_count, peer_room;
    size_t under_way; /* operations in flight to all peers */
    int failed;       /* peers whose loss is not reported to core yet */
    int asking;       /* peers that still have to be answered */
    unsigned long strangers;

    struct proa_ofi_frame *frames; /* all frames, in one piece of memory: sends, then receives */
    struct fid_mr *frames_mr;
    void *frames_desc;
    struct proa_ofi_frame *free_sends;
    struct proa_ofi_frame *unposted; /* receives for which the network had no room */
    struct proa_ofi_frame *scratch;  /* buffer of reads that only prove a put */
    struct proa_ofi_early *early;    /* only on a network without order */
    unsigned early_count;
    struct proa_ofi_move *moves, *free_moves, *active;
    struct proa_ofi_move *settled; /* done, without the network or despite it; not reported yet */
    struct proa_ofi_exposure *exposures;
    size_t registered;     /* bytes that we registered */
    unsigned long unknown; /* buffers that could not be registered */

    long now;       /* time in nanoseconds, read from time to time */
    long next_tick; /* atomic: the next time to check peers */
    long timeout;   /* nanoseconds without a sign of life; 0 for no limit */
    long attended;  /* until then, a thread waits for peers */
    unsigned turns;
    int told; /* events in this call of progress */
    int queue_fd,
        bell;  /* doze sleeps at both: libfabric's descriptor, or -1; the doorbell, an eventfd */
    int woken; /* atomic: the doorbell has been rung */
    int slept; /* atomic: a doze has slept, so the clock has advanced */
    int edge;  /* epoll on both, for edges of the queue; -1 if none */
    unsigned fruitless; /* atomic: dozes that the queue's descriptor has ended for nothing */
    int closing;
};

/* For tests: registers local buffers although the network does not require it. */
extern PROA_HIDDEN int proa_ofi_know_buffers;

/* ---- ofi_choose.c ---- */

/* Loads libfabric if that was not done yet. For one thread at a time. Returns PROA_OK, or
 * PROA_ERR_OTHER if there is none here, or none that is new enough. */
int proa_libfabric_load(void);

/* Finds the usable networks. This and the next function: for one thread at a time, once libfabric
 * is loaded. offers: result, the best first, to be freed by freeinfo. Returns PROA_OK, or
 * PROA_ERR_OTHER, with a sentence, if there is none. */
int proa_ofi_choose(struct fi_info **offers);

/* The same networks as offers to other processes, at most one for each address and provider. The
 * descriptions of libfabric are a further result, to be freed by freeinfo. Each is a list if that
 * provider has several fabrics there, in the order in which they are to be tried. */
int proa_ofi_offers(struct proa_offers *offers, struct proa_offer_names *names,
                    struct fi_info *infos[PROA_OFFERS_MOST]);

/* ---- ofi_promise.c ---- */

/* Finds the promises of the network of net->info, and replaces net->info if something has to be
 * requested. Returns PROA_OK, or PROA_ERR_OTHER if the network lacks a promise that has no
 * replacement. */
int proa_ofi_promises(struct proa_net *net);

/* ---- ofi_early.c ---- */

/* Keeps a frame until its turn. Returns nonzero if there is no room. */
int proa_ofi_early_keep(struct proa_net *net, const struct proa_frame_head *head, const void *body);
/* Removes the frame of that number from that sender, for the caller to free. Returns NULL if it has
 * not arrived. */
struct proa_ofi_early *proa_ofi_early_take(struct proa_net *net, uint64_t sender, uint32_t number);
/* Frees the frames of a sender; sender 0: of all senders. */
void proa_ofi_early_drop(struct proa_net *net, uint64_t sender);

/* ---- ofi_peer.c ---- */

/* Finds the peer of that address, or adds it. */
int proa_ofi_peer_add(struct proa_net *net, const struct proa_frame_address *address,
                      struct proa_ofi_peer **peer);
struct proa_ofi_peer *proa_ofi_peer_find(const struct proa_net *net, uint64_t id);
/* Returns PROA_ERR_OTHER, with the sentence, if the peer is lost. */
int proa_ofi_peer_check(const struct proa_ofi_peer *peer);
/* Gives the peer up. fmt: the reason. The next progress reports it to core. */
void proa_ofi_peer_fail(struct proa_net *net, struct proa_ofi_peer *peer, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* The same for a peer that announced its end, which is no fault, or that gave this process up. */
void proa_ofi_peer_ends(struct proa_net *net, struct proa_ofi_peer *peer, enum proa_net_end end);
/* Greets the peer until it has answered: see try in net.h. */
int proa_ofi_try(struct proa_net *net, uint32_t number);
/* Sends pings to peers sooner from now on, for some seconds. */
void proa_ofi_attend(struct proa_net *net);
/* Answers the peer's greeting or ping, now or as soon as the network has room. */
void proa_ofi_peer_answer(struct proa_net *net, struct proa_ofi_peer *peer,
                          enum proa_frame_kind kind);
/* Called after a greeting or a ping was sent. */
void proa_ofi_peer_asked(const struct proa_net *net, struct proa_ofi_peer *peer);
/* Called when something arrived from the peer, so the network has reached it. */
void proa_ofi_peer_heard(const struct proa_net *net, struct proa_ofi_peer *peer);
/* Called when libfabric has begun an operation to the peer; and when it has ended one. */
void proa_ofi_peer_begun(struct proa_net *net, struct proa_ofi_peer *peer);
void proa_ofi_peer_ended(struct proa_net *net, struct proa_ofi_peer *peer);
/* Called when the network refuses an operation to the peer with this error. Returns PROA_NET_AGAIN
 * if the network has no room or no connection now. Otherwise gives the peer up, and returns the
 * code of proa_ofi_peer_check. */
int proa_ofi_peer_refused(struct proa_net *net, struct proa_ofi_peer *peer, ssize_t error);
/* Sends pings to silent peers, answers those that have sent one, gives up those silent for too
 * long, and reports the lost ones to core. */
void proa_ofi_peers_look_after(struct proa_net *net);
/* Writes a readable form of a process's address on the network. */
void proa_ofi_name(const struct proa_net *net, const void *address, char *text, size_t bytes);

/* ---- ofi_knock.c ---- */

/* Tries a connection to the peer's host. Does not wait; a later call continues the attempt. Returns
 * 1 if the host refused it, as no process listens there. Returns 0 if it did not, or not yet, or
 * the network does not use TCP. */
int proa_ofi_knock(struct proa_net *net, struct proa_ofi_peer *peer);
/* Returns whether the process may only have lost its connection. Only over TCP: see proa_ofi_knock.
 */
int proa_ofi_may_live(struct proa_net *net, struct proa_ofi_peer *peer);
/* Closes a connection that is being tried. */
void proa_ofi_knock_end(struct proa_ofi_peer *peer);

/* ---- ofi_message.c ---- */

int proa_ofi_frames_open(struct proa_net *net);
/* Greets a peer until it has answered. Returns PROA_OK if it has, PROA_NET_AGAIN or PROA_ERR_OTHER.
 */
int proa_ofi_greet(struct proa_net *net, struct proa_ofi_peer *peer);
/* Sends a frame. Returns PROA_OK, PROA_NET_AGAIN or PROA_ERR_OTHER. */
int proa_ofi_frame_send(struct proa_net *net, struct proa_ofi_peer *peer, enum proa_frame_kind kind,
                        const void *body, size_t bytes);
/* Posts the receive buffers for which the network had no room before. */
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
/* Called when a piece is done. error: libfabric's number, or 0. */
void proa_ofi_piece_done(struct proa_net *net, struct proa_ofi_piece *piece, int error);
/* Ends the puts and gets to a lost peer. */
void proa_ofi_moves_lost(struct proa_net *net, struct proa_ofi_peer *peer);
/* Continues the puts and gets in flight, and reports those that are over to core. */
void proa_ofi_moves_go_on(struct proa_net *net);

/* ---- ofi_memory.c ---- */

/* Returns the exposed memory that contains a buffer, held until it is given back; NULL if there is
 * none. */
struct proa_ofi_exposure *proa_ofi_exposure_lend(struct proa_net *net, const void *memory,
                                                 size_t bytes);
void proa_ofi_exposure_give(struct proa_net *net, struct proa_ofi_exposure *one);
int proa_ofi_expose(struct proa_net *net, void *memory, size_t bytes, struct proa_net_key *key);
void proa_ofi_hide(struct proa_net *net, const struct proa_net_key *key);
/* Finds, for a place, the network's name of the byte at `address`, and its key. Returns PROA_OK, or
 * PROA_ERR_OTHER if the key does not cover all of the bytes. */
int proa_ofi_place(const struct proa_net *net, const struct proa_net_place *there, size_t bytes,
                   uint64_t *address, uint64_t *key);
/* know: registers a buffer of ours. forget: ends the registration. Returns PROA_OK, or
 * PROA_ERR_NO_MEM, mostly because of `ulimit -l`. */
int proa_ofi_memory_know(struct proa_net *net, void *memory, size_t bytes, struct fid_mr **mr);
void proa_ofi_memory_forget(struct proa_net *net, struct fid_mr *mr, size_t bytes);
/* Ends all exposures that are left. Called before the endpoint is closed. */
void proa_ofi_memory_close(struct proa_net *net);
/* Fills a buffer with random bytes that cannot be guessed. */
int proa_ofi_random(void *bytes, size_t count);

/* ---- ofi_doze.c ---- */

int proa_ofi_doze_open(struct proa_net *net);
void proa_ofi_doze_close(struct proa_net *net);
int proa_ofi_doze(struct proa_net *const nets[], int count, long timeout_ns);
void proa_ofi_wake(struct proa_net *net);

/* Returns libfabric's error as a sentence. */
const char *proa_ofi_said(long error);

#endif
