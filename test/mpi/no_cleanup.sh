#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# PROA_TEST_MPIEXEC, MPICH's launcher, told to end no job because one of its processes has ended.
exec "$PROA_TEST_MPIEXEC" -disable-auto-cleanup "$@"
