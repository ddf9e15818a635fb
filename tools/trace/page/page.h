/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts of the page of `proa trace --html`, as they are in this folder: embedded when Proa is
 * built. */
#ifndef PROA_TRACE_PAGE_H
#define PROA_TRACE_PAGE_H

struct proa_page_part {
    const char *name; /* "style.css"; NULL: behind the last */
    const char *text;
};

extern const struct proa_page_part proa_page_parts[];

#endif
