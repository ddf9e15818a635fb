/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether the engine works on this process's own adopted memory as on a peer's (proa_pages_map), by
 * a mapping apart from the program's, which may be protected (traps/view.h). Set before the first
 * window, and never changed after it. */
#ifndef PROA_SHM_APART_H
#define PROA_SHM_APART_H

extern int proa_pages_apart;

#endif
