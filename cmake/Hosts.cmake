# SPDX-License-Identifier: BSD-3-Clause
# Finds the MPI libraries ("hosts") that Proa can be built for and describes each as an imported target.
#
# Which there are stands in the file `hosts`. A host is asked through its own compiler wrapper (mpicc.mpich, mpicc.openmpi: the names that
# Debian gives them; elsewhere set -DPROA_MPICC_MPICH=... or -DPROA_MPICC_OPENMPI=...). For every host known this file sets
#   PROA_HOST_host_KEY      what `hosts` says of it, as PROA_HOST_mpich_title; PROA_KNOWN_HOSTS lists them
# and makes host/hosts.h with the same for C, in the folder PROA_GENERATED. For every host found, with HOST being MPICH or OPENMPI:
#   proa_host_host          interface target: include folders and libraries for C
#   proa_host_host_cxx      the same for the MPI-2 C++ binding; exists where the host still ships it
#   PROA_MPIEXEC_HOST, PROA_MPIFORT_HOST     the launcher and the Fortran wrapper
# and the list PROA_HOSTS. FindMPI is not used because it knows one MPI per project.
#
# A host of the standard ABI is another library and another header of an MPI, without wrappers: set -DPROA_ABI_LIBRARY_HOST=... and
# -DPROA_ABI_INCLUDE_HOST=... where they are elsewhere than in Debian.

set(PROA_HOSTS "")
set(PROA_GENERATED ${PROJECT_BINARY_DIR}/generated)

# ---- what is known ----

set(PROA_KNOWN_HOSTS "")
set(proa_host_keys "")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/hosts)
file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/hosts proa_host_lines REGEX "^[^#]")
foreach(line IN LISTS proa_host_lines)
  if(NOT line MATCHES "^([a-z][a-z0-9_]*) +([a-z_]+) *([^\";\\]*)$")
    message(FATAL_ERROR "cmake/hosts: not HOST KEY VALUE: ${line}")
  endif()
  set(PROA_HOST_${CMAKE_MATCH_1}_${CMAKE_MATCH_2} "${CMAKE_MATCH_3}")
  list(APPEND PROA_KNOWN_HOSTS ${CMAKE_MATCH_1})
  list(APPEND proa_host_keys ${CMAKE_MATCH_2})
endforeach()
list(REMOVE_DUPLICATES PROA_KNOWN_HOSTS)
list(REMOVE_DUPLICATES proa_host_keys)

# host/hosts.h: PROA_KNOWN_HOSTS(X) has X(host) for each, PROA_HOST_FACT(host, key) is a value: a string, or a number where it is one. Of its
# own: mpiexec_found, the launcher found here, or "".
function(proa_write_hosts_header)
  set(text "/* Made of cmake/hosts when the build was configured. */\n#ifndef PROA_HOST_HOSTS_H\n#define PROA_HOST_HOSTS_H\n\n")
  list(TRANSFORM PROA_KNOWN_HOSTS REPLACE "(.+)" "X(\\1)" OUTPUT_VARIABLE list)
  list(JOIN list " " list)
  string(APPEND text "#define PROA_KNOWN_HOSTS(X) ${list}\n#define PROA_HOST_FACT(host, key) PROA_HOST_##host##_##key\n")
  foreach(host IN LISTS PROA_KNOWN_HOSTS)
    string(TOUPPER ${host} HOST)
    string(APPEND text "\n")
    foreach(key IN LISTS proa_host_keys)
      if(NOT DEFINED PROA_HOST_${host}_${key})
        message(FATAL_ERROR "cmake/hosts: ${host} has no ${key}")
      endif()
      set(value "${PROA_HOST_${host}_${key}}")
      if(NOT value MATCHES "^[0-9]+$")
        set(value "\"${value}\"")
      endif()
      string(APPEND text "#define PROA_HOST_${host}_${key} ${value}\n")
    endforeach()
    set(found "")
    if(PROA_MPIEXEC_${HOST})
      set(found "${PROA_MPIEXEC_${HOST}}")
    endif()
    string(APPEND text "#define PROA_HOST_${host}_mpiexec_found \"${found}\"\n")
  endforeach()
  file(CONFIGURE OUTPUT ${PROA_GENERATED}/host/hosts.h CONTENT "${text}\n#endif\n" @ONLY)
endfunction()

# ---- what is here ----

# Splits what "WRAPPER -show" prints into an interface target.
function(proa_wrapper_target target wrapper)
  execute_process(COMMAND ${wrapper} -show OUTPUT_VARIABLE line OUTPUT_STRIP_TRAILING_WHITESPACE
                  RESULT_VARIABLE status ERROR_QUIET)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${wrapper} -show failed: cannot learn how to compile for this MPI")
  endif()
  separate_arguments(words UNIX_COMMAND "${line}")
  set(includes "")
  set(links "")
  foreach(word IN LISTS words)
    if(word MATCHES "^-I(.+)$")
      list(APPEND includes "${CMAKE_MATCH_1}")
    elseif(word MATCHES "^-[lL].+$" OR word MATCHES "^-Wl,")
      list(APPEND links "${word}")
    endif()
  endforeach()
  add_library(${target} INTERFACE)
  target_include_directories(${target} SYSTEM INTERFACE ${includes})
  target_link_options(${target} INTERFACE ${links})
  # Libraries once more at the end of the line, where the linker wants them.
  target_link_libraries(${target} INTERFACE ${links})
endfunction()

# Programs made for it find its library at run time by a link in the build folder: all have the name libmpi_abi.so.1, and whose the
# loader's own list has is chance.
function(proa_find_abi host)
  string(TOUPPER ${host} HOST)
  separate_arguments(names UNIX_COMMAND "${PROA_HOST_${host}_abi_library}")
  separate_arguments(includes UNIX_COMMAND "${PROA_HOST_${host}_abi_include}")
  find_library(PROA_ABI_LIBRARY_${HOST} NAMES ${names} DOC "library of ${host}")
  if(PROA_ABI_LIBRARY_${HOST})
    cmake_path(GET PROA_ABI_LIBRARY_${HOST} PARENT_PATH folder)
    list(TRANSFORM includes PREPEND "${folder}/")
    find_path(PROA_ABI_INCLUDE_${HOST} mpi.h PATHS ${includes} NO_DEFAULT_PATH DOC "folder of the mpi.h of ${host}")
  endif()
  find_program(PROA_MPIEXEC_${HOST} NAMES ${PROA_HOST_${host}_mpiexec} DOC "launcher of ${host}")
  if(NOT PROA_ABI_LIBRARY_${HOST} OR NOT PROA_ABI_INCLUDE_${HOST} OR NOT PROA_MPIEXEC_${HOST})
    message(STATUS "Host ${host}: not found")
    return()
  endif()
  file(MAKE_DIRECTORY ${PROA_GENERATED}/${host})
  file(CREATE_LINK ${PROA_ABI_LIBRARY_${HOST}} ${PROA_GENERATED}/${host}/libmpi_abi.so.1 SYMBOLIC)
  add_library(proa_host_${host} INTERFACE)
  target_include_directories(proa_host_${host} SYSTEM INTERFACE ${PROA_ABI_INCLUDE_${HOST}})
  target_compile_definitions(proa_host_${host} INTERFACE PROA_ON_${host}) # for tests: the header does not say whose it is
  target_link_libraries(proa_host_${host} INTERFACE ${PROA_GENERATED}/${host}/libmpi_abi.so.1 -Wl,-rpath,${PROA_GENERATED}/${host})
  message(STATUS "Host ${host}: ${PROA_ABI_LIBRARY_${HOST}}, launcher ${PROA_MPIEXEC_${HOST}}")
  set(PROA_HOSTS ${PROA_HOSTS} ${host} PARENT_SCOPE)
endfunction()

function(proa_find_host host)
  string(TOUPPER ${host} HOST)
  find_program(PROA_MPICC_${HOST} ${PROA_HOST_${host}_mpicc} DOC "C compiler wrapper of ${host}")
  if(NOT PROA_MPICC_${HOST})
    message(STATUS "Host ${host}: not found (no ${PROA_HOST_${host}_mpicc}; set PROA_MPICC_${HOST})")
    return()
  endif()
  find_program(PROA_MPIEXEC_${HOST} NAMES ${PROA_HOST_${host}_mpiexec} DOC "launcher of ${host}")
  find_program(PROA_MPIFORT_${HOST} NAMES ${PROA_HOST_${host}_mpifort} DOC "Fortran wrapper of ${host}")
  find_program(PROA_MPICXX_${HOST} NAMES ${PROA_HOST_${host}_mpicxx} DOC "C++ wrapper of ${host}")
  proa_wrapper_target(proa_host_${host} ${PROA_MPICC_${HOST}})
  if(PROA_MPICXX_${HOST})
    proa_wrapper_target(proa_host_${host}_cxx ${PROA_MPICXX_${HOST}})
  endif()
  message(STATUS "Host ${host}: ${PROA_MPICC_${HOST}}, launcher ${PROA_MPIEXEC_${HOST}}")
  set(PROA_HOSTS ${PROA_HOSTS} ${host} PARENT_SCOPE)
endfunction()

set(wishes "")
foreach(host IN LISTS PROA_KNOWN_HOSTS)
  if(PROA_HOST_${host}_abi_library)
    proa_find_abi(${host})
    continue()
  endif()
  proa_find_host(${host})
  string(TOUPPER ${host} HOST)
  list(APPEND wishes "${PROA_HOST_${host}_packages} (or set PROA_MPICC_${HOST})")
endforeach()
if(NOT PROA_HOSTS)
  list(JOIN wishes ", or " wishes)
  message(FATAL_ERROR "No MPI found: install ${wishes}")
endif()
proa_write_hosts_header()

# An MPI program in plain C, once per host: targets NAME.HOST, in <binary dir>/HOST/NAME.
function(proa_mpi_program name)
  foreach(host IN LISTS PROA_HOSTS)
    add_executable(${name}.${host} ${ARGN})
    target_link_libraries(${name}.${host} PRIVATE proa_host_${host} m)
    set_target_properties(${name}.${host} PROPERTIES OUTPUT_NAME ${name}
                          RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/${host})
  endforeach()
endfunction()
