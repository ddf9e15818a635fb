/* SPDX-License-Identifier: BSD-3-Clause */
/* The subcommands of proa. main.c has the table. Each is called with its own name in argv[0], such
 * as "proa run", and returns the exit status. */
#ifndef PROA_TOOL_COMMANDS_H
#define PROA_TOOL_COMMANDS_H

/* The options of `proa run` and `proa exec` that observe the program, as their help lists them. */
#define PROA_OBSERVERS_HELP                                                                        \
    "  --check       tells of wrong uses, with the calls and the remedy (doc/CHECK.md)\n"          \
    "  --check=usage\n"                                                                            \
    "                tells of usage rules and hangs alone, and compares no operations\n"           \
    "  --check=memory\n"                                                                           \
    "                compares loads and stores by the program as well\n"                           \
    "  --check-stack the same, and names all calls down to main instead of five\n"                 \
    "  --check-json FILE, --check-sarif FILE\n"                                                    \
    "                the same, and writes all that was found to FILE, as JSON or as SARIF 2.1.0\n" \
    "  --check-root DIR\n"                                                                         \
    "                paths in the SARIF file begin at DIR\n"                                       \
    "  --fail-on race|misuse|note\n"                                                               \
    "                the same, and a finding of that weight or more makes the exit status 66\n"    \
    "  --stats[=FILE]\n"                                                                           \
    "                counts what is done on each window, and which rank waits for which: a table " \
    "at the end, or FILE of JSON\n"                                                                \
    "  --trace DIR   records epochs, operations and waits in the folder DIR, for `proa trace`\n"

int proa_command_run(int argc, char **argv);
int proa_command_exec(int argc, char **argv);
int proa_command_info(int argc, char **argv);
int proa_command_doctor(int argc, char **argv);
int proa_command_trace(int argc, char **argv);
int proa_command_top(int argc, char **argv);
int proa_command_bench(int argc, char **argv);

#endif
