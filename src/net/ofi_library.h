/* SPDX-License-Identifier: BSD-3-Clause */
/* libfabric, loaded when it is first needed. All else of its interface is inline functions. */
#ifndef PROA_NET_OFI_LIBRARY_H
#define PROA_NET_OFI_LIBRARY_H

#include <rdma/fabric.h>

struct proa_ofi_library {
    __typeof__(fi_getinfo) *getinfo;
    __typeof__(fi_freeinfo) *freeinfo;
    __typeof__(fi_dupinfo) *dupinfo;
    __typeof__(fi_fabric) *fabric;
    __typeof__(fi_strerror) *strerror;
    __typeof__(fi_version) *version;
};

/* PROA_ERR_OTHER: there is none here, or none that is new enough. By one thread at a time. */
int proa_ofi_library(const struct proa_ofi_library **library);

#endif
