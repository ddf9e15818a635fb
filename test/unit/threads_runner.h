/* SPDX-License-Identifier: BSD-3-Clause */
/* Between the runner of the tests with ranks as threads and the object that it runs. */
#ifndef PROA_TEST_THREADS_RUNNER_H
#define PROA_TEST_THREADS_RUNNER_H

typedef void *threads_function(void *arg);

/* In the object: main() of the test, under this name; and the start of a rank's thread in its copy
 * of the object (world_threads.c). */
__attribute__((visibility("default"))) int threads_main(void);
__attribute__((visibility("default"))) threads_function threads_rank;

#endif
