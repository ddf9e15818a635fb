/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions of include/proa.h. */
#include "proa.h"
#include "bind/bind.h"

PROA_EXPORT const char *proa_version(void)
{
    return PROA_VERSION;
}

PROA_EXPORT unsigned long proa_windows_served(void)
{
    return proa_handle_count();
}
