/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts of `proa doctor`: each looks at some things and says what it finds (finding.h). */
#ifndef PROA_TOOL_DOCTOR_H
#define PROA_TOOL_DOCTOR_H

/* What Proa asks of the kernel: memory without a name, the memory of neighbours, and so on. */
void proa_doctor_kernel(void);

/* Processors, limits and memory, for so many ranks on this machine; 0: as many as processors. */
void proa_doctor_machine(int ranks);

/* Settings, networks. */
void proa_doctor_setup(void);

/* Of each host: its library, Proa's, its launcher, and two ranks that try windows out. */
void proa_doctor_hosts(void);

/* Between the machines of that list, with commas between: the same program, a rank on each, started
 * by each MPI's own launcher. */
void proa_doctor_across(const char *machines);

#endif
