/* SPDX-License-Identifier: BSD-3-Clause */
/* See ofi_library.h. It stays loaded: providers have threads and hooks that outlive a dlclose. */
#include "net/ofi_library.h"
#include "base/fail.h"

#include <dlfcn.h>
#include <stddef.h>

/* The version of the functions that hand out structures: the oldest whose fields Proa knows. A
 * newer libfabric keeps it, and only appends fields; the default would be the layout of the headers
 * that are current where Proa runs, not where it was built. */
static const char interface[] = "FABRIC_1.3";

static void *find(void *handle, const char *name)
{
    void *symbol = dlvsym(handle, name, interface);

    return symbol ? symbol : dlsym(handle, name);
}

int proa_ofi_library(const struct proa_ofi_library **library)
{
    static struct proa_ofi_library found;
    void *handle;

    *library = &found;
    if (found.getinfo)
        return PROA_OK;
    handle = dlopen("libfabric.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        return proa_fail(PROA_ERR_OTHER, "libfabric cannot be loaded: %s; install it on this node",
                         dlerror());
    found.freeinfo = (__typeof__(fi_freeinfo) *)find(handle, "fi_freeinfo");
    found.dupinfo = (__typeof__(fi_dupinfo) *)find(handle, "fi_dupinfo");
    found.fabric = (__typeof__(fi_fabric) *)find(handle, "fi_fabric");
    found.strerror = (__typeof__(fi_strerror) *)find(handle, "fi_strerror");
    found.version = (__typeof__(fi_version) *)find(handle, "fi_version");
    if (found.freeinfo && found.dupinfo && found.fabric && found.strerror && found.version)
        found.getinfo = (__typeof__(fi_getinfo) *)find(handle, "fi_getinfo");
    if (!found.getinfo)
        return proa_fail(PROA_ERR_OTHER, "libfabric.so.1 lacks functions that Proa needs");
    return PROA_OK;
}
