/* SPDX-License-Identifier: BSD-3-Clause */
/* See frame.h. */
#include "net/frame.h"

#include <string.h>

void proa_frame_write(struct proa_frame_head *head, enum proa_frame_kind kind,
                      const unsigned char secret[PROA_FRAME_SECRET], uint64_t sender,
                      uint32_t number, size_t bytes)
{
    *head = (struct proa_frame_head){.mark = PROA_FRAME_MARK,
                                     .version = PROA_FRAME_VERSION,
                                     .kind = (uint16_t)kind,
                                     .sender = sender,
                                     .number = number,
                                     .bytes = (uint32_t)bytes};
    memcpy(head->secret, secret, PROA_FRAME_SECRET);
}

/* Compares in constant time, so that the duration does not reveal how much of a guess is right. */
static int same_secret(const unsigned char *a, const unsigned char *b)
{
    unsigned char different = 0;

    for (int i = 0; i < PROA_FRAME_SECRET; i++)
        different |= a[i] ^ b[i];
    return !different;
}

/* Returns the fault of a head whose sender knows the secret, in words; NULL if there is none. */
static const char *nonsense(const struct proa_frame_head *head, size_t count)
{
    if (head->version != PROA_FRAME_VERSION)
        return "is of another version of Proa";
    if (head->kind == 0 || head->kind >= PROA_FRAME_KINDS)
        return "is of an unknown kind";
    if (head->bytes != count - PROA_FRAME_HEAD)
        return "has a wrong length in its head";
    if (proa_frame_greets(head->kind) != (head->number == 0))
        return "breaks the order: greetings alone have none";
    return NULL;
}

enum proa_frame_verdict proa_frame_read(const void *bytes, size_t count,
                                        const unsigned char secret[PROA_FRAME_SECRET],
                                        struct proa_frame_head *head, const void **body,
                                        const char **why)
{
    if (count < PROA_FRAME_HEAD || count > PROA_FRAME_MOST) {
        *why = "has an impossible length";
        return PROA_FRAME_STRANGE;
    }
    memcpy(head, bytes, PROA_FRAME_HEAD);
    if (head->mark != PROA_FRAME_MARK) {
        *why = "is not Proa's, or comes from a processor with another byte order";
        return PROA_FRAME_STRANGE;
    }
    if (!same_secret(head->secret, secret)) {
        *why = "lacks the secret of this process";
        return PROA_FRAME_STRANGE;
    }
    *body = (const char *)bytes + PROA_FRAME_HEAD;
    *why = nonsense(head, count);
    return *why ? PROA_FRAME_BROKEN : PROA_FRAME_GOOD;
}

const char *proa_frame_address_read(const void *bytes, size_t count, uint32_t network,
                                    struct proa_frame_address *address)
{
    if (count != sizeof(struct proa_net_address))
        return "has an impossible length";
    memcpy(address, bytes, sizeof *address);
    if (address->mark != PROA_FRAME_ADDRESS_MARK)
        return "is not Proa's, or comes from a processor with another byte order";
    if (address->version != PROA_FRAME_VERSION)
        return "is of another version of Proa";
    if (address->network != network)
        return "is on another kind of network: PROA_PROVIDER can name one that all have";
    if (address->name_bytes == 0 || address->name_bytes > sizeof address->name)
        return "names no endpoint";
    return NULL;
}
