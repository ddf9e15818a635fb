/* SPDX-License-Identifier: BSD-3-Clause */
/* A stand-in for Proa's library in the tests of `proa run`: it can be seen, and does nothing. */
const char proa_tool_stand_in[] = PROA_TOOL_LIBRARY;
