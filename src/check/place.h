/* SPDX-License-Identifier: BSD-3-Clause */
/* Places in the program, for people: a function, and what addr2line takes. */
#ifndef PROA_CHECK_PLACE_H
#define PROA_CHECK_PLACE_H

enum { PROA_PLACE_BYTES = 512 };

/* Writes the place of a call with this return address into `text`, and returns it. */
const char *proa_place_say(const void *caller, char text[PROA_PLACE_BYTES]);

#endif
