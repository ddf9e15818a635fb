/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzzer of input from the network: frames and addresses (src/net/frame.h) of any bytes. An
 * accepted frame is consistent, a sender without the secret is a stranger, and no byte is read that
 * has not come. README.md has the format of the input. */
#include "net/frame.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define MUST(condition)   \
    do {                  \
        if (!(condition)) \
            abort();      \
    } while (0)

enum { KNOWS_SECRET = 1, SAYS_LENGTH = 2, SHOWS_ADDRESS = 4, NETWORK = 7 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static const unsigned char secret[PROA_FRAME_SECRET] = "this is secret.";

/* Reads every byte, for the sanitizers. */
static unsigned sum(const void *bytes, size_t count)
{
    unsigned total = 0;

    for (size_t i = 0; i < count; i++)
        total += ((const unsigned char *)bytes)[i];
    return total;
}

static void look_at_address(const void *bytes, size_t count)
{
    struct proa_frame_address address;
    const char *why = proa_frame_address_read(bytes, count, NETWORK, &address);

    if (why) {
        MUST(*why);
        return;
    }
    MUST(count == sizeof address && address.network == NETWORK);
    MUST(address.name_bytes >= 1 && address.name_bytes <= sizeof address.name);
}

static void look_at_frame(const void *bytes, size_t count, int knows)
{
    struct proa_frame_head head = {0};
    const void *body = NULL;
    const char *why = NULL;
    enum proa_frame_verdict verdict = proa_frame_read(bytes, count, secret, &head, &body, &why);

    if (verdict != PROA_FRAME_GOOD) {
        MUST(why && *why);
        MUST(verdict == PROA_FRAME_STRANGE || count >= PROA_FRAME_HEAD);
        return;
    }
    MUST(knows || memcmp(head.secret, secret, sizeof secret) == 0);
    MUST(body == (const char *)bytes + PROA_FRAME_HEAD);
    MUST(head.bytes == count - PROA_FRAME_HEAD && head.bytes <= PROA_NET_MESSAGE_MOST);
    MUST(head.version == PROA_FRAME_VERSION && head.kind >= 1 && head.kind < PROA_FRAME_KINDS);
    MUST((head.number == 0) == proa_frame_greets(head.kind));
    sum(body, head.bytes);
    if (head.kind == PROA_FRAME_GREETING)
        look_at_address(body, head.bytes);
}

/* As its sender may have chosen. */
static void dress(unsigned char *bytes, size_t count, int choices)
{
    static const uint32_t mark = PROA_FRAME_MARK;
    static const uint16_t version = PROA_FRAME_VERSION;
    struct proa_frame_address address = {
        .mark = PROA_FRAME_ADDRESS_MARK, .version = PROA_FRAME_VERSION, .network = NETWORK};
    uint32_t body = (uint32_t)(count - PROA_FRAME_HEAD);

    if (choices & KNOWS_SECRET) {
        memcpy(bytes, &mark, sizeof mark);
        memcpy(bytes + offsetof(struct proa_frame_head, version), &version, sizeof version);
        memcpy(bytes + offsetof(struct proa_frame_head, secret), secret, sizeof secret);
    }
    if (choices & SAYS_LENGTH)
        memcpy(bytes + offsetof(struct proa_frame_head, bytes), &body, sizeof body);
    if (choices & SHOWS_ADDRESS && body >= sizeof address) {
        address.name_bytes = bytes[PROA_FRAME_HEAD + 3];
        memcpy(bytes + PROA_FRAME_HEAD, &address, sizeof address);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    int choices = size ? bytes[0] : 0;
    size_t count = size ? size - 1 : 0;
    unsigned char *copy = calloc(1, count ? count : 1); /* of just that size: nothing behind it */

    if (!copy)
        return 0;
    if (count)
        memcpy(copy, bytes + 1, count);
    if (count >= PROA_FRAME_HEAD)
        dress(copy, count, choices);
    look_at_frame(copy, count, choices & KNOWS_SECRET);
    look_at_address(copy, count);
    free(copy);
    return 0;
}
