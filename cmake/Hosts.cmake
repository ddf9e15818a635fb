# Finds the MPI libraries ("hosts") that Proa can be built for and describes each as an imported target.
#
# A host is asked through its own compiler wrapper (mpicc.mpich, mpicc.openmpi: the names that Debian gives them; elsewhere set
# -DPROA_MPICC_MPICH=... or -DPROA_MPICC_OPENMPI=...). For every host found this file sets, with HOST being mpich or openmpi:
#   proa_host_HOST          interface target: include folders and libraries for C
#   proa_host_HOST_cxx      the same for the MPI-2 C++ binding; exists where the host still ships it
#   PROA_MPIEXEC_HOST, PROA_MPIFORT_HOST     the launcher and the Fortran wrapper
# and the list PROA_HOSTS. FindMPI is not used because it knows one MPI per project.

set(PROA_HOSTS "")

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

function(proa_find_host host)
  string(TOUPPER ${host} HOST)
  find_program(PROA_MPICC_${HOST} mpicc.${host} DOC "C compiler wrapper of ${host}")
  if(NOT PROA_MPICC_${HOST})
    message(STATUS "Host ${host}: not found (no mpicc.${host}; set PROA_MPICC_${HOST})")
    return()
  endif()
  find_program(PROA_MPIEXEC_${HOST} NAMES mpiexec.${host} DOC "launcher of ${host}")
  find_program(PROA_MPIFORT_${HOST} NAMES mpifort.${host} DOC "Fortran wrapper of ${host}")
  find_program(PROA_MPICXX_${HOST} NAMES mpicxx.${host} DOC "C++ wrapper of ${host}")
  proa_wrapper_target(proa_host_${host} ${PROA_MPICC_${HOST}})
  if(PROA_MPICXX_${HOST})
    proa_wrapper_target(proa_host_${host}_cxx ${PROA_MPICXX_${HOST}})
  endif()
  message(STATUS "Host ${host}: ${PROA_MPICC_${HOST}}, launcher ${PROA_MPIEXEC_${HOST}}")
  set(PROA_HOSTS ${PROA_HOSTS} ${host} PARENT_SCOPE)
endfunction()

proa_find_host(mpich)
proa_find_host(openmpi)
if(NOT PROA_HOSTS)
  message(FATAL_ERROR "No MPI found: install libmpich-dev or libopenmpi-dev, or set PROA_MPICC_MPICH / PROA_MPICC_OPENMPI")
endif()

# An MPI program in plain C, once per host: targets NAME.HOST, in <binary dir>/HOST/NAME.
function(proa_mpi_program name)
  foreach(host IN LISTS PROA_HOSTS)
    add_executable(${name}.${host} ${ARGN})
    target_link_libraries(${name}.${host} PRIVATE proa_host_${host} m)
    set_target_properties(${name}.${host} PROPERTIES OUTPUT_NAME ${name}
                          RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/${host})
  endforeach()
endfunction()
