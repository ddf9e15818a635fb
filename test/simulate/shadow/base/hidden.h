/* SPDX-License-Identifier: BSD-3-Clause */
/* In place of src/base/hidden.h: the core is a library of its own here, whose variables the
 * simulator reads. */
#ifndef PROA_BASE_HIDDEN_H
#define PROA_BASE_HIDDEN_H

#define PROA_HIDDEN
#define PROA_HOT
#define PROA_INITIAL_EXEC __attribute__((tls_model("initial-exec")))

#endif
