/* SPDX-License-Identifier: BSD-3-Clause */
/* See otf2.h. */
#include "otf2.h"

#include <stdio.h>

int proa_otf2_write(struct proa_model *model, const char *folder)
{
    (void)model;
    (void)folder;
    fprintf(stderr,
            "proa trace: Proa was built without OTF2 (Debian: libopen-trace-format2-dev)\n");
    return -1;
}
