# SPDX-License-Identifier: BSD-3-Clause
# The tests of several ranks once more, with ranks as threads of one process, where ThreadSanitizer sees them all (world_threads.c). The target
# unit-threads builds them all.

add_library(unit-threads-world OBJECT move.c world.c world_threads.c)
target_link_libraries(unit-threads-world PUBLIC proa-core cmocka)
set_target_properties(unit-threads-world PROPERTIES POSITION_INDEPENDENT_CODE ON C_VISIBILITY_PRESET hidden)

# Without instrumentation: see there.
add_executable(unit-threads-runner threads_runner.c)
set_target_properties(unit-threads-runner PROPERTIES OUTPUT_NAME threads_runner ENABLE_EXPORTS ON)
target_compile_definitions(unit-threads-runner PRIVATE _GNU_SOURCE)
target_compile_options(unit-threads-runner PRIVATE -fno-sanitize=thread)
target_link_libraries(unit-threads-runner PRIVATE ${CMAKE_DL_LIBS})

add_custom_target(unit-threads DEPENDS unit-threads-runner)

# As proa_unit_test. Without adoption, which moves pages of the process under all of its ranks: private memory is reached through the kernel.
function(proa_threads_test subject)
  cmake_parse_arguments(arg "" "" "SOURCES;LINK_OPTIONS" ${ARGN})
  add_library(unit-threads-${subject} MODULE ${subject}.c ${arg_SOURCES})
  target_compile_definitions(unit-threads-${subject} PRIVATE main=threads_main)
  target_compile_options(unit-threads-${subject} PRIVATE -include ${CMAKE_CURRENT_SOURCE_DIR}/threads_runner.h)
  target_link_libraries(unit-threads-${subject} PRIVATE unit-threads-world proa-core cmocka m)
  target_link_options(unit-threads-${subject} PRIVATE LINKER:--wrap=mmap,--wrap=munmap,--wrap=_cmocka_run_group_tests ${arg_LINK_OPTIONS})
  set_target_properties(unit-threads-${subject} PROPERTIES PREFIX "" OUTPUT_NAME threads_${subject} C_VISIBILITY_PRESET hidden)
  add_dependencies(unit-threads unit-threads-${subject})
  add_dependencies(unit-threads-${subject} unit-threads-runner) # test/mutate/run builds a test's module alone
  add_test(NAME threads.${subject} COMMAND unit-threads-runner $<TARGET_FILE:unit-threads-${subject}>)
  set_tests_properties(threads.${subject} PROPERTIES LABELS threads TIMEOUT ${PROA_TEST_TIMEOUT} ENVIRONMENT "PROA_ADOPT=never;TSAN_OPTIONS=history_size=7")
endfunction()

# Left out: tests of one rank and one thread (arena, lock, wait, ...), of adoption, of processes that end or refuse (leave, peer, peer_failure,
# windows_failures), and of fences by themselves (membar, visible), which ThreadSanitizer does not model.
foreach(subject IN ITEMS arena_blocks barrier guard guard_elements narrow passive passive_deadlock pscw regions rwlock spans table windows_operations)
  proa_threads_test(${subject})
endforeach()
proa_threads_test(doorbells LINK_OPTIONS LINKER:--wrap=syscall)
proa_threads_test(order LINK_OPTIONS LINKER:--wrap=proa_log)
proa_threads_test(windows LINK_OPTIONS LINKER:--wrap=prctl)
foreach(subject IN ITEMS hostile remote remote_gone remote_messages remote_request remote_room remote_tested single_locks)
  proa_threads_test(${subject} SOURCES net_fake.c)
endforeach()
