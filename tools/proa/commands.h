/* SPDX-License-Identifier: BSD-3-Clause */
/* The subcommands of proa. main.c has the table; each is called with argv[0] being its own name,
 * "proa run", and returns the exit status. */
#ifndef PROA_TOOL_COMMANDS_H
#define PROA_TOOL_COMMANDS_H

int proa_command_run(int argc, char **argv);
int proa_command_exec(int argc, char **argv);
int proa_command_info(int argc, char **argv);
int proa_command_doctor(int argc, char **argv);
int proa_command_trace(int argc, char **argv);
int proa_command_top(int argc, char **argv);
int proa_command_bench(int argc, char **argv);

#endif
