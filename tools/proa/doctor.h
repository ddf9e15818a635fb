/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts of `proa doctor`. Each one makes checks and prints findings (finding.h). */
#ifndef PROA_TOOL_DOCTOR_H
#define PROA_TOOL_DOCTOR_H

/* Checks the features of the kernel that Proa uses: anonymous memory files, access to memory of
 * neighbours, and so on. */
void proa_doctor_kernel(void);

/* Checks processors, limits and memory. ranks: number of ranks on this machine, or 0 for the number
 * of processors. */
void proa_doctor_machine(int ranks);

/* Checks settings and networks. */
void proa_doctor_setup(void);

/* Checks each host: its library, Proa's library, its launcher, and two ranks that test windows. */
void proa_doctor_hosts(void);

/* Checks windows between machines: the same program with one rank on each, started by each MPI's
 * own launcher. machines: list, separated by commas. */
void proa_doctor_across(const char *machines);

#endif
