/* SPDX-License-Identifier: BSD-3-Clause */
/* The versions of libfabric's interface that Proa requests, here and in bench/ofi.c. */
#ifndef PROA_NET_OFI_API_H
#define PROA_NET_OFI_API_H

#include <rdma/fabric.h>

/* From 1.18 on, efa leaves puts and gets to any device that can do them (fi_efa(7)); for older
 * programs it emulates them by messages. From 1.20 on, providers may read fields that headers of
 * Debian 12 lack. Before 1.5, mr_mode was no set of bits, and struct fi_context2 was missing. */
#define PROA_OFI_API_NEWEST FI_VERSION(1, 18)
#define PROA_OFI_API_OLDEST FI_VERSION(1, 5)

/* Returns the newest version to request from a library of that version. */
static inline uint32_t proa_ofi_api(uint32_t library)
{
    return FI_VERSION_LT(library, PROA_OFI_API_NEWEST) ? library : PROA_OFI_API_NEWEST;
}

#endif
