/* SPDX-License-Identifier: BSD-3-Clause */
/* The program is at work: `test/hosts --down` waits for that before it breaks the link, as the
 * start takes long on a busy machine. */
#ifndef PROA_TEST_BEGUN_H
#define PROA_TEST_BEGUN_H

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

static inline void begun(void)
{
    const char *file = getenv("PROA_TEST_BEGUN");
    int fd = file ? open(file, O_CREAT | O_WRONLY, 0600) : -1;
    if (fd >= 0)
        close(fd);
}

#endif
