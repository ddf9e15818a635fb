/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How the processes of a window that is created agree on an outcome: PROA_OK, PROA_ELSEWHERE or a
 * negative code. A failure on any process is a failure of the same class on all. Neighbours agree
 * by a word of each one. Processes of several nodes agree by the host (one reduction), and so do
 * neighbours after a failure. All calls are collective over the window's group. Callers: the files
 * of this folder.
 */
#ifndef PROA_CREATE_AGREE_H
#define PROA_CREATE_AGREE_H

#include "window/win.h"

/* All processes return the same outcome: the worst of theirs, by the host. proa_failure() is set
 * unless that is PROA_OK. */
int proa_agree(const struct proa_group *group, int outcome);

/* The same in a window whose targets were to be reached: where all processes are neighbours
 * (win->near), by their words, and by the host only after a failure. If a process of the window is
 * gone: PROA_ERR_OTHER, and the host is not asked. */
int proa_agree_on(struct proa_win *win, const struct proa_group *group, int outcome);

/* The process of that rank has failed alone with that outcome; all processes learn the reason.
 * Returns the outcome, with proa_failure() set, or the code with which the host failed. */
int proa_reason_learn(const struct proa_group *group, int rank, int error);

#endif
