/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs another program and reads what it prints. */
#ifndef PROA_TOOL_CAPTURE_H
#define PROA_TOOL_CAPTURE_H

/* Runs argv[0] (a path, not looked up) and gives back its standard output as text, or NULL where it
 * could not be started. Its stderr is dropped and its exit status is not asked for:
 * callers look for words in the text. LD_PRELOAD is kept from it, because what the user preloads
 * says nothing about the program asked. */
char *proa_capture(char *const argv[]);

#endif
