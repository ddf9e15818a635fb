/* SPDX-License-Identifier: BSD-3-Clause */
/* Findings in files for programs: JSON, and SARIF 2.1.0 (the OASIS standard) for editors and
 * continuous integration. */
#ifndef PROA_FINDINGS_DOCUMENTS_H
#define PROA_FINDINGS_DOCUMENTS_H

#include "findings/summary.h"

#include <stdio.h>

void proa_document_json(FILE *out, const struct proa_summary *summary);
void proa_document_sarif(FILE *out, const struct proa_summary *summary);

#endif
