# SPDX-License-Identifier: BSD-3-Clause
# Programs that run one after the other in one job (together.c), by the script test/together. Included by CMakeLists.txt.

# A program that may run with others in one job (together.c), for every host: part of together.HOST, where its main() is NAME_main. A program that
# changes its process, such as its limits, files, threads or signals, or that asks what the process has, is one by itself (proa_mpi_program).
function(proa_shared_program name)
  foreach(host IN LISTS PROA_HOSTS)
    add_library(${name}.${host} OBJECT ${ARGN})
    target_compile_definitions(${name}.${host} PRIVATE main=${name}_main)
    target_link_libraries(${name}.${host} PRIVATE proa_host_${host})
    set_property(GLOBAL APPEND PROPERTY PROA_SHARED_PROGRAMS_${host} ${name})
  endforeach()
endfunction()

# Sets RESULT to how that program, of either sort, is started: a file, or a file and a name.
function(proa_command_of name host result)
  get_target_property(type ${name}.${host} TYPE)
  set(${result} $<TARGET_FILE:${name}.${host}> PARENT_SCOPE)
  if(type STREQUAL "OBJECT_LIBRARY")
    set(${result} $<TARGET_FILE:together.${host}> ${name} PARENT_SCOPE)
  endif()
endfunction()

# Makes together.HOST of all such programs.
function(proa_make_together host)
  get_property(names GLOBAL PROPERTY PROA_SHARED_PROGRAMS_${host})
  list(TRANSFORM names REPLACE "(.+)" "PROGRAM(\\1)" OUTPUT_VARIABLE lines)
  list(JOIN lines "\n" lines)
  file(CONFIGURE OUTPUT ${host}/together.list CONTENT "${lines}\n")
  list(TRANSFORM names APPEND .${host})
  add_executable(together.${host} together.c)
  target_include_directories(together.${host} PRIVATE mpi ${CMAKE_CURRENT_BINARY_DIR}/${host})
  target_link_libraries(together.${host} PRIVATE ${names} proa_host_${host} m ${CMAKE_DL_LIBS})
  set_target_properties(together.${host} PROPERTIES OUTPUT_NAME together RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/${host})
endfunction()

# proa_join_group(NAME LABELS N HOST LIMIT COMMAND PROGRAM): the test NAME runs the programs of several tests, by test/together. COMMAND is the
# same for all, with LIMIT in place of the seconds, of which the longest count; PROGRAM is the words for one more.
function(proa_join_group name labels n host limit command program)
  get_property(known GLOBAL PROPERTY PROA_GROUP_${name} SET)
  get_property(before GLOBAL PROPERTY PROA_GROUP_${name})
  if(known AND NOT before STREQUAL command)
    message(FATAL_ERROR "${name} has programs that are started in different ways:\n${before}\n${command}")
  endif()
  get_property(limits GLOBAL PROPERTY PROA_GROUP_${name}_LIMITS)
  set_property(GLOBAL PROPERTY PROA_GROUP_${name} "${command}")
  set_property(GLOBAL PROPERTY PROA_GROUP_${name}_FACTS "${n};${host};${labels}")
  set_property(GLOBAL APPEND PROPERTY PROA_GROUP_${name}_LIMITS ${limit})
  set_property(GLOBAL APPEND PROPERTY PROA_GROUP_${name}_PROGRAMS -- ${program})
  if(NOT known)
    set_property(GLOBAL APPEND PROPERTY PROA_GROUPS ${name})
  endif()
endfunction()

# Registers the test of each group.
function(proa_register_groups)
  get_property(groups GLOBAL PROPERTY PROA_GROUPS)
  foreach(name IN LISTS groups)
    get_property(command GLOBAL PROPERTY PROA_GROUP_${name})
    get_property(labels GLOBAL PROPERTY PROA_GROUP_${name}_FACTS)
    get_property(limits GLOBAL PROPERTY PROA_GROUP_${name}_LIMITS)
    get_property(programs GLOBAL PROPERTY PROA_GROUP_${name}_PROGRAMS)
    list(POP_FRONT labels n host)
    list(POP_FRONT programs)
    list(SORT limits COMPARE NATURAL ORDER DESCENDING)
    list(GET limits 0 limit)
    list(TRANSFORM command REPLACE "^LIMIT$" ${limit})
    string(TOUPPER ${host} HOST)
    add_test(NAME ${name} COMMAND ${PROJECT_SOURCE_DIR}/test/together ${command} $<TARGET_FILE:together.${host}> ${programs})
    set_tests_properties(${name} PROPERTIES LABELS "${labels}" TIMEOUT ${PROA_TEST_TIMEOUT} PROCESSORS ${n} COST 50 SKIP_RETURN_CODE 77 FAIL_REGULAR_EXPRESSION "proa: race:"
                         ENVIRONMENT "PROA_MPIEXEC_${HOST}=${PROA_MPIEXEC_${HOST}}")
  endforeach()
endfunction()
