/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Puts and gets. They are cut into pieces, a few of which are in flight at a time. So messages get
 * between the pieces of a large one, and the network's limit on operations does not limit them.
 *
 * A put requests FI_DELIVERY_COMPLETE: its completion then proves that the bytes are in the
 * target's memory, as `done` requires. Another completion may only prove that the bytes have left.
 * If the network has no such completion, a read of the put's last byte follows, which proves the
 * same (ofi_promise.c).
 *
 * If the network requires registered buffers, a small put or get is copied through one. A large one
 * registers its own buffer for its duration, unless the buffer is memory of a window, which is
 * registered as long as the window exists. If the buffer cannot be registered, its pieces are as
 * small as the registered ones, and copied.
 */
#include "net/ofi.h"
#include "base/fail.h"
#include "base/log.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

int proa_ofi_moves_open(struct proa_net *net)
{
    net->moves = calloc(PROA_OFI_MOVES, sizeof *net->moves);
    if (!net->moves)
        return proa_fail(PROA_ERR_NO_MEM, "out of memory for puts and gets");
    for (int i = 0; i < PROA_OFI_MOVES; i++) {
        struct proa_ofi_move *move = &net->moves[i];

        for (int p = 0; p < PROA_OFI_PIECES; p++) {
            move->pieces[p].context.kind = PROA_OFI_MOVE;
            move->pieces[p].move = move;
        }
        LL_PREPEND(net->free_moves, move);
    }
    return PROA_OK;
}

/* ---- its buffer ---- */

/* Logs the 1st, 2nd, 4th and so on. */
static void tell_unknown(struct proa_net *net)
{
    unsigned long count = ++net->unknown;

    if ((count & (count - 1)) == 0)
        proa_log(PROA_LOG_WARN,
                 "%s: a put or get is copied in small pieces, which is slower (%lu so far)",
                 proa_failure(), count);
}

static void prepare_buffer(struct proa_net *net, struct proa_ofi_move *move)
{
    move->is_copied = 0;
    if (!(net->memory_mode & FI_MR_LOCAL))
        return;
    if (move->bytes > PROA_NET_MESSAGE_MOST) {
        move->lent = proa_ofi_exposure_lend(net, move->here, move->bytes);
        if (!move->lent &&
            proa_ofi_memory_know(net, move->here, move->bytes, &move->local) != PROA_OK)
            tell_unknown(net);
    }
    move->is_copied = !move->lent && !move->local;
    move->desc = move->lent    ? fi_mr_desc(move->lent->mr)
                 : move->local ? fi_mr_desc(move->local)
                               : net->frames_desc;
}

static void give_buffer(struct proa_net *net, struct proa_ofi_move *move)
{
    if (move->local)
        proa_ofi_memory_forget(net, move->local, move->bytes);
    if (move->lent)
        proa_ofi_exposure_give(net, move->lent);
    move->local = NULL;
    move->lent = NULL;
}

/* Takes a buffer to copy the piece through. Returns nonzero if there is none. */
static int take_bounce(struct proa_net *net, struct proa_ofi_piece *piece)
{
    const struct proa_ofi_move *move = piece->move;

    piece->bounce = proa_ofi_frame_take(net);
    if (piece->bounce && move->is_put)
        memcpy(piece->bounce->body, move->here + piece->at, piece->bytes);
    return !piece->bounce;
}

/* copy: 1 if the buffer has the bytes of a get */
static void give_bounce(struct proa_net *net, struct proa_ofi_piece *piece, int copy)
{
    const struct proa_ofi_move *move = piece->move;

    if (!piece->bounce)
        return;
    if (copy && !move->is_put && !move->told)
        memcpy(move->here + piece->at, piece->bounce->body, piece->bytes);
    proa_ofi_frame_give(net, piece->bounce);
    piece->bounce = NULL;
}

/* ---- its pieces ---- */

static struct proa_ofi_piece *free_piece(struct proa_ofi_move *move)
{
    for (int p = 0; p < PROA_OFI_PIECES; p++)
        if (!move->pieces[p].busy)
            return &move->pieces[p];
    return NULL;
}

static void is_begun(struct proa_net *net, struct proa_ofi_move *move, struct proa_ofi_piece *piece)
{
    piece->busy = 1;
    move->under_way++;
    move->peer->moving += piece->bytes;
    proa_ofi_peer_begun(net, move->peer);
}

static ssize_t post(struct proa_net *net, struct proa_ofi_move *move, struct proa_ofi_piece *piece)
{
    struct iovec here = {piece->bounce ? (char *)piece->bounce->body : move->here + piece->at,
                         piece->bytes};
    struct fi_rma_iov there = {move->address + piece->at, piece->bytes, move->key};
    struct fi_msg_rma message = {.msg_iov = &here,
                                 .desc = &move->desc,
                                 .iov_count = 1,
                                 .addr = move->peer->at,
                                 .rma_iov = &there,
                                 .rma_iov_count = 1,
                                 .context = &piece->context};

    return move->is_put
               ? fi_writemsg(net->ep, &message,
                             FI_COMPLETION |
                                 (net->proof == PROA_OFI_DELIVERY ? FI_DELIVERY_COMPLETE : 0))
               : fi_readmsg(net->ep, &message, FI_COMPLETION);
}

/* Posts the read that proves a put, once its pieces are done. */
static ssize_t post_proof(struct proa_net *net, struct proa_ofi_move *move)
{
    struct proa_ofi_piece *piece = free_piece(move);
    struct iovec here = {net->scratch->body, 1};
    struct fi_rma_iov there = {move->address + move->bytes - 1, 1, move->key};
    struct fi_msg_rma message = {.msg_iov = &here,
                                 .desc = &net->frames_desc,
                                 .iov_count = 1,
                                 .addr = move->peer->at,
                                 .rma_iov = &there,
                                 .rma_iov_count = 1,
                                 .context = &piece->context};
    ssize_t outcome = fi_readmsg(net->ep, &message,
                                 FI_COMPLETION | (net->proof == PROA_OFI_FENCE ? FI_FENCE : 0));

    if (outcome)
        return outcome;
    piece->bytes = 0;
    is_begun(net, move, piece);
    move->confirm = 0;
    return 0;
}

static int is_to_be_posted(const struct proa_ofi_move *move)
{
    return move->begun < move->bytes || (move->confirm && !move->under_way);
}

/* Returns the most bytes of a piece. */
static size_t piece_most(const struct proa_net *net, const struct proa_ofi_move *move)
{
    const size_t most = move->is_copied ? PROA_NET_MESSAGE_MOST : PROA_OFI_PIECE;

    return net->largest < most ? net->largest : most;
}

enum { NO_BUFFER = 1 }; /* no buffer to copy a piece through */

/* Posts as many pieces as may be in flight. Returns 0, or the error that stopped it: libfabric's,
 * or NO_BUFFER. The bytes in flight to a peer are limited to those that its connection takes
 * without a pause: a sender that finds the connection full each time sends only small pieces. */
static ssize_t go_on(struct proa_net *net, struct proa_ofi_move *move)
{
    const size_t most = piece_most(net, move);
    struct proa_ofi_piece *piece;

    while (move->begun < move->bytes && (piece = free_piece(move))) {
        size_t left = move->bytes - move->begun;
        ssize_t outcome;

        piece->at = move->begun;
        piece->bytes = (uint32_t)(left < most ? left : most);
        if (move->peer->moving && move->peer->moving + piece->bytes > PROA_OFI_MOVING)
            return 0;
        if (move->is_copied && take_bounce(net, piece))
            return NO_BUFFER;
        outcome = post(net, move, piece);
        if (outcome) {
            give_bounce(net, piece, 0);
            return outcome;
        }
        move->begun += piece->bytes;
        is_begun(net, move, piece);
    }
    return move->begun == move->bytes && is_to_be_posted(move) ? post_proof(net, move) : 0;
}

/* ---- beginning and end ---- */

static void finish_if_done(struct proa_net *net, struct proa_ofi_move *move)
{
    if (move->under_way || move->begun < move->bytes || move->confirm)
        return;
    give_buffer(net, move);
    DL_DELETE(net->active, move);
    DL_APPEND(net->settled, move);
}

static void give_up(struct proa_net *net, struct proa_ofi_move *move, int outcome)
{
    if (move->outcome == PROA_OK)
        move->outcome = outcome;
    move->begun = move->bytes;
    move->confirm = 0;
    finish_if_done(net, move);
}

/* Begins a put or get whose place is known, and that has bytes to move. */
static int begin(struct proa_net *net, struct proa_ofi_move *move)
{
    ssize_t posted;

    prepare_buffer(net, move);
    posted = go_on(net, move);
    if (move->under_way || posted == 0) {
        DL_APPEND(net->active, move); /* progress posts the remaining pieces */
        return PROA_OK;
    }
    give_buffer(net, move);
    return posted == NO_BUFFER ? PROA_NET_AGAIN : proa_ofi_peer_refused(net, move->peer, posted);
}

int proa_ofi_move(struct proa_net *net, int put, const struct proa_net_place *there, void *here,
                  size_t bytes, uint64_t token)
{
    struct proa_ofi_peer *peer = net->peers[there->peer];
    struct proa_ofi_move *move = net->free_moves;
    int outcome = proa_ofi_peer_check(peer);

    if (outcome)
        return outcome;
    peer->wanted = 1;
    outcome = proa_ofi_greet(net, peer);
    if (outcome || !move)
        return outcome ? outcome : PROA_NET_AGAIN;
    move->peer = peer;
    move->token = token;
    move->here = here;
    move->desc = NULL;
    move->bytes = bytes;
    move->begun = 0;
    move->is_put = put;
    move->confirm = put && net->proof != PROA_OFI_DELIVERY;
    move->told = 0;
    move->outcome = proa_ofi_place(net, there, bytes, &move->address, &move->key);
    LL_DELETE(net->free_moves, move);
    if (move->outcome || bytes == 0) {
        DL_APPEND(net->settled, move); /* the network has nothing to do */
        return PROA_OK;
    }
    outcome = begin(net, move);
    if (outcome)
        LL_PREPEND(net->free_moves, move);
    else
        peer->used = net->now;
    return outcome;
}

/* ---- its outcome ---- */

/* Returns whether the error means that the target has not exposed that memory; the connection may
 * still be good. */
static int is_refusal(int error)
{
    return error == FI_EACCES || error == FI_EPERM || error == FI_ENOKEY ||
           error == FI_EKEYREJECTED || error == FI_EREMOTEIO || error == FI_EINVAL;
}

void proa_ofi_piece_done(struct proa_net *net, struct proa_ofi_piece *piece, int error)
{
    struct proa_ofi_move *move = piece->move;

    piece->busy = 0;
    give_bounce(net, piece, error == 0);
    move->under_way--;
    proa_ofi_peer_ended(net, move->peer);
    move->peer->moving -= piece->bytes;
    if (error == 0) {
        proa_ofi_peer_heard(net, move->peer); /* its memory, or its network, has answered */
        finish_if_done(net, move);
        return;
    }
    if (!is_refusal(error))
        proa_ofi_peer_fail(net, move->peer, "a %s failed: %s", move->is_put ? "put" : "get",
                           proa_ofi_said(error));
    give_up(net, move,
            proa_fail(PROA_ERR_OTHER, "the process at %s refuses a %s: %s", move->peer->name,
                      move->is_put ? "put" : "get", proa_ofi_said(error)));
}

void proa_ofi_moves_lost(struct proa_net *net, struct proa_ofi_peer *peer)
{
    struct proa_ofi_move *move, *next;

    DL_FOREACH_SAFE(net->active, move, next)
        if (move->peer == peer) {
            int outcome = proa_ofi_peer_check(peer);
            uint64_t token = move->token;
            int told = move->under_way && !move->told;

            give_up(net, move, outcome);
            /* The network may hold pieces that it has begun for any length of time. */
            if (told) {
                move->told = 1;
                net->told++;
                net->events->done(net->context, token, outcome);
            }
        }
}

void proa_ofi_moves_go_on(struct proa_net *net)
{
    struct proa_ofi_move *move, *next;

    DL_FOREACH_SAFE(net->active, move, next) {
        ssize_t outcome = is_to_be_posted(move) ? go_on(net, move) : 0;

        if (outcome < 0)
            (void)proa_ofi_peer_refused(net, move->peer, outcome);
    }
    while ((move = net->settled)) {
        uint64_t token = move->token;
        int outcome = move->outcome, told = move->told;

        DL_DELETE(net->settled, move);
        LL_PREPEND(net->free_moves, move);
        if (told)
            continue;
        net->told++;
        net->events->done(net->context, token, outcome);
    }
}
