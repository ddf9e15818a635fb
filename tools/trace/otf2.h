/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A trace as an archive of OTF2, which Vampir, Score-P's tools and otf2-print read:
 *
 *   a location group   a rank
 *   a location         a thread of it, with its calls as regions and the records of one-sided
 *                      communication in them (RmaPut, RmaGroupSync, RmaAcquireLock ...); and
 *                      exposure epochs and operations that were applied here, as regions of
 *                      locations of their own: as many as overlap
 *
 * Operations over the network that are completed together have one matching number.
 */
#ifndef PROA_TRACE_OTF2_H
#define PROA_TRACE_OTF2_H

#include "model.h"

/* Creates the folder, which must not exist. Returns 0, or -1 after an error message: an error of
 * the file system, or Proa was built without the library. */
int proa_otf2_write(struct proa_model *model, const char *folder);

#endif
