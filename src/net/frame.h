/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The frame that a network transport puts around each message of core, and the addresses that
 * processes show each other. Both formats are defined here alone. The functions are pure; their
 * bytes may come from any sender.
 *
 * A frame begins with its head, then comes the body. The head proves that its sender knows the
 * secret of the receiver, which is part of the receiver's address; addresses are exchanged by the
 * host MPI, so only processes of the job can know it. Frames of one process to another are numbered
 * from 0, and number 0 is the greeting: its body is the sender's own address.
 *
 * Numbers are in the sender's byte order. `reach` refuses an address whose byte order is not
 * this process's.
 */
#ifndef PROA_NET_FRAME_H
#define PROA_NET_FRAME_H

#include "net/net.h"

#include <stddef.h>
#include <stdint.h>

enum {
    PROA_FRAME_VERSION = 3,
    PROA_FRAME_SECRET = 16, /* bytes */
    PROA_FRAME_NAME = 64    /* bytes of a network's own address: lnx's are among the longest */
};

enum proa_frame_kind {
    PROA_FRAME_GREETING = 1, /* the sender's address, until it is welcome */
    PROA_FRAME_WELCOME,      /* the greeting has come */
    PROA_FRAME_MESSAGE,      /* of core */
    PROA_FRAME_PING,         /* are you there? */
    PROA_FRAME_PONG,         /* yes */
    PROA_FRAME_BYE,          /* the sender's last; a byte: 1, it owes no peer anything */
    PROA_FRAME_GAVE_UP,      /* the sender takes the receiver for gone, and ignores it */
    PROA_FRAME_KINDS
};

struct proa_frame_head {
    uint32_t mark; /* PROA_FRAME_MARK: says the byte order too */
    uint16_t version, kind;
    unsigned char secret[PROA_FRAME_SECRET]; /* of the receiver */
    uint64_t sender;                         /* its id */
    uint32_t number; /* of frames from this sender to this receiver; 0: it is of no order */
    uint32_t bytes;  /* of the body */
};

#define PROA_FRAME_MARK 0x616f7250u /* "Proa" */

enum {
    PROA_FRAME_HEAD = sizeof(struct proa_frame_head),
    PROA_FRAME_MOST = PROA_FRAME_HEAD + PROA_NET_MESSAGE_MOST
};

/* Greetings and their answers come before the numbered frames, and more than once. */
static inline int proa_frame_greets(enum proa_frame_kind kind)
{
    return kind == PROA_FRAME_GREETING || kind == PROA_FRAME_WELCOME;
}

/* The layout of the bytes of a struct proa_net_address. */
struct proa_frame_address {
    uint16_t mark; /* PROA_FRAME_ADDRESS_MARK: says the byte order too */
    uint8_t version, name_bytes;
    uint32_t network; /* processes with different ones cannot talk */
    uint64_t id;      /* random */
    unsigned char secret[PROA_FRAME_SECRET];
    unsigned char name[PROA_FRAME_NAME];
};
_Static_assert(sizeof(struct proa_frame_address) == PROA_NET_ADDRESS_MOST, "addresses fit");

#define PROA_FRAME_ADDRESS_MARK 0x6150u /* "Pa" */

/* Writes a frame's head, for a receiver of that secret. */
void proa_frame_write(struct proa_frame_head *head, enum proa_frame_kind kind,
                      const unsigned char secret[PROA_FRAME_SECRET], uint64_t sender,
                      uint32_t number, size_t bytes);

/* The result of checking a frame. */
enum proa_frame_verdict {
    PROA_FRAME_GOOD,
    PROA_FRAME_STRANGE, /* its sender does not know our secret: no news of any peer */
    PROA_FRAME_BROKEN   /* by a process of the job (*head is set), but makes no sense */
};

/* Checks a received frame of `count` bytes; no byte of it may be trusted before. secret: ours. A
 * good frame sets *head, and *body, which points into the bytes. For others, *why gives the reason
 * in words. */
enum proa_frame_verdict proa_frame_read(const void *bytes, size_t count,
                                        const unsigned char secret[PROA_FRAME_SECRET],
                                        struct proa_frame_head *head, const void **body,
                                        const char **why);

/* Reads an address, for a process on this network. NULL, or the reason why it is none, in words
 * that follow "the address that it has shown ". */
const char *proa_frame_address_read(const void *bytes, size_t count, uint32_t network,
                                    struct proa_frame_address *address);

#endif
