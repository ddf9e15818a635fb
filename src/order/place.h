/* SPDX-License-Identifier: BSD-3-Clause */
/* Where in this process a call stands that another one has made. */
#ifndef PROA_ORDER_PLACE_H
#define PROA_ORDER_PLACE_H

#include "order/accesses.h"

/* The return address of the call of an access that was handed over, in the same file here. NULL:
 * this process has not loaded that file, or it is not known. The caller excludes other threads. */
const void *proa_place_here(const struct proa_access *access);

#endif
