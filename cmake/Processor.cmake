# SPDX-License-Identifier: BSD-3-Clause
# Refuses processors that Proa cannot serve. Words that processes share hold 64 bits and addresses, and are changed by one instruction.
if(NOT CMAKE_SIZEOF_VOID_P EQUAL 8)
  math(EXPR proa_bits "8 * ${CMAKE_SIZEOF_VOID_P}")
  message(FATAL_ERROR "Proa needs a processor of 64 bits, but ${CMAKE_C_COMPILER} compiles for ${proa_bits} bits: choose another by CC=...")
endif()
