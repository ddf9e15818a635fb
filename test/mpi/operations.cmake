# SPDX-License-Identifier: BSD-3-Clause
# Derived datatypes, request forms, atomicity under load, large windows and operations. Included by CMakeLists.txt, which defines proa_mpi_case.

proa_mpi_case(datatype_random RANKS 2 SECONDS 120 ARGS 20000)

proa_mpi_case(datatype_reuse RANKS 1 2 3)
proa_mpi_case(dynamic_regions RANKS 1 2 4 SECONDS 60)
proa_mpi_case(request_forms RANKS 1 2 3 SECONDS 60)
proa_mpi_case(type_errors RANKS 1 2 ENVIRONMENT PROA_STRICT=1) # what is served otherwise: chapter.error.basic_types and its neighbours
proa_mpi_case(stress_atomic RANKS 1 2 4 8 SECONDS 120)
proa_mpi_program(stress_atomic_threads stress_atomic.c)
proa_mpi_test(stress_atomic_threads RANKS 1 2 4 8 SECONDS 120 ARGS threads)
proa_mpi_case(thread_multiple RANKS 1 2 3 SECONDS 120)
proa_mpi_case(thread_empty RANKS 1 2 3)
proa_mpi_case(large_window RANKS 2 SECONDS 300 SERIAL)
proa_mpi_case(op_dense RANKS 1 SECONDS 120)
