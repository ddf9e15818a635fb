/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The frame that a network transport puts around each message of core, and the addresses that
 * processes show each other. Both formats are defined here alone. The functions are pure; their
 * bytes may come from any sender.
 *
 * A frame is a head and a body. The head proves that its sender knows the secret of the receiver,
 * which is part of the receiver's address. Addresses are exchanged by the host MPI, so only
 * processes of the job can know the secret. Frames of one process to another are numbered from 0,
 * and number 0 is the greeting: its body is the sender's own address.
 *
 * Numbers are in the sender's byte order. `reach` refuses an address whose byte order is not this
 * process's.
 */
#ifndef PROA_NET_FRAME_H
#define PROA_NET_FRAME_H

#include "net/net.h"

#include <stddef.h>
#include <stdint.h>

enum {
    PROA_FRAME_VERSION = 3,
    PROA_FRAME_SECRET = 16, /* bytes */
    PROA_FRAME_NAME = 64    /* bytes of a network's own address; lnx has some of the longest */
};

enum proa_frame_kind {
    PROA_FRAME_GREETING = 1, /* the sender's address; repeated until the welcome */
    PROA_FRAME_WELCOME,      /* the greeting has arrived */
    PROA_FRAME_MESSAGE,      /* a message of core */
    PROA_FRAME_PING,         /* requests a sign of life */
    PROA_FRAME_PONG,         /* the sign of life */
    PROA_FRAME_BYE,     /* the sender's last frame; its body is a byte: 1 if the sender owes no peer
                           anything */
    PROA_FRAME_GAVE_UP, /* the sender has given the receiver up, and ignores it */
    PROA_FRAME_KINDS
};

struct proa_frame_head {
    uint32_t mark; /* PROA_FRAME_MARK, which also shows the byte order */
    uint16_t version, kind;
    unsigned char secret[PROA_FRAME_SECRET]; /* of the receiver */
    uint64_t sender;                         /* id of the sender */
    uint32_t number; /* of frames from this sender to this receiver; 0 if outside the order */
    uint32_t bytes;  /* of the body */
};

#define PROA_FRAME_MARK 0x616f7250u /* "Proa" */

enum {
    PROA_FRAME_HEAD = sizeof(struct proa_frame_head),
    PROA_FRAME_MOST = PROA_FRAME_HEAD + PROA_NET_MESSAGE_MOST
};

/* Returns whether a frame is a greeting or its answer. These precede the numbered frames, and may
 * be repeated. */
static inline int proa_frame_greets(enum proa_frame_kind kind)
{
    return kind == PROA_FRAME_GREETING || kind == PROA_FRAME_WELCOME;
}

/* The layout of the bytes of a struct proa_net_address. */
struct proa_frame_address {
    uint16_t mark; /* PROA_FRAME_ADDRESS_MARK, which also shows the byte order */
    uint8_t version, name_bytes;
    uint32_t network; /* processes with different networks cannot communicate */
    uint64_t id;      /* random */
    unsigned char secret[PROA_FRAME_SECRET];
    unsigned char name[PROA_FRAME_NAME];
};
_Static_assert(sizeof(struct proa_frame_address) == PROA_NET_ADDRESS_MOST, "addresses fit");

#define PROA_FRAME_ADDRESS_MARK 0x6150u /* "Pa" */

/* Writes a frame's head. secret: that of the receiver. */
void proa_frame_write(struct proa_frame_head *head, enum proa_frame_kind kind,
                      const unsigned char secret[PROA_FRAME_SECRET], uint64_t sender,
                      uint32_t number, size_t bytes);

/* The result of checking a frame. */
enum proa_frame_verdict {
    PROA_FRAME_GOOD,
    PROA_FRAME_STRANGE, /* its sender does not know our secret: says nothing about any peer */
    PROA_FRAME_BROKEN   /* from a process of the job (*head is set), but malformed */
};

/* Checks a received frame of `count` bytes, of which no byte is trusted before. secret: ours. head,
 * body: results for a good frame; body points into the bytes. why: result for other frames, the
 * reason in words. */
enum proa_frame_verdict proa_frame_read(const void *bytes, size_t count,
                                        const unsigned char secret[PROA_FRAME_SECRET],
                                        struct proa_frame_head *head, const void **body,
                                        const char **why);

/* Reads an address, for a process on this network. Returns NULL, or the reason why the address is
 * invalid, in words that follow "the address that it has shown ". */
const char *proa_frame_address_read(const void *bytes, size_t count, uint32_t network,
                                    struct proa_frame_address *address);

#endif
