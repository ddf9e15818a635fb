# Derived datatypes, request forms, atomicity under load, large windows. Included by CMakeLists.txt, which defines proa_mpi_case.

proa_mpi_case(datatype_random RANKS 2 SECONDS 120 ARGS 20000)
