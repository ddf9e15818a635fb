/* SPDX-License-Identifier: BSD-3-Clause */
/* Preloaded into `proa`, pretends how many threads of the machine run or want to: the file that
 * PROA_TOOL_LOADAVG names stands for /proc/loadavg. */
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

__attribute__((visibility("default"))) int open(const char *path, int flags, ...)
{
    const char *pretended = strcmp(path, "/proc/loadavg") == 0 ? getenv("PROA_TOOL_LOADAVG") : NULL;
    va_list list;

    va_start(list, flags);
    const int mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(list, int) : 0;
    va_end(list);
    return (int)syscall(SYS_openat, AT_FDCWD, pretended ? pretended : path, flags, mode);
}
