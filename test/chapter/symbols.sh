#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Compares what Proa's library exports with the chapter:  symbols.sh LIBRARY NM HOST PROGRAM
#
# PROGRAM is any that is linked to the host.
#
# Every function of the chapter that the host's library has must be there, as MPI_X and as PMPI_X, in its large-count form too where the
# host has that; and nothing else may be, except what is listed below.
set -u
# shellcheck source=cmake/hosts.sh
. "$(dirname "${BASH_SOURCE[0]}")/../../cmake/hosts.sh"

library=$1 nm=$2 host=$3 program=$4

# The chapter (MPI-4.1, chapter 13; MPI_Alloc_mem and MPI_Free_mem of 9.2; the attributes, names and error handlers of windows).
taken='
  Win_create Win_allocate Win_allocate_shared Win_create_dynamic Win_attach Win_detach Win_free Win_shared_query
  Win_get_group Win_set_info Win_get_info Win_get_attr Win_set_attr Win_delete_attr Win_set_name Win_get_name
  Win_set_errhandler Win_get_errhandler Win_call_errhandler Alloc_mem Free_mem
  Put Get Accumulate Get_accumulate Rput Rget Raccumulate Rget_accumulate Fetch_and_op Compare_and_swap
  Win_fence Win_start Win_complete Win_post Win_wait Win_test Win_lock Win_unlock Win_lock_all Win_unlock_all
  Win_flush Win_flush_all Win_flush_local Win_flush_local_all Win_sync'
large='Win_create Win_allocate Win_allocate_shared Win_shared_query Put Get Accumulate Get_accumulate Rput Rget Raccumulate
  Rget_accumulate'

# Functions that may stay the host's, and why nothing is lost: no window is given to them.
#   Win_create_keyval, Win_free_keyval   a keyval belongs to no window; attributes are kept on a host window behind Proa's
#   Win_create_errhandler                the same of an error handler (but see below: under MPICH the creations are taken over)
#   Aint_add, Aint_diff                  sums of addresses
#   Win_c2f, Win_f2c                     a handle of Proa's is one of the host's, or a number as the host's are
#   Win_toint, Win_fromint               the same (MPI-5); by the ABI light handles are none of the host's, and these calls are taken over
left='Win_create_keyval Win_free_keyval Win_create_errhandler Aint_add Aint_diff Win_c2f Win_f2c Win_toint Win_fromint'

# What may be exported besides.
#   MPI_Win_create_keyval, MPI_Win_create_errhandler, MPII_Keyval_set_proxy, MPII_Errhandler_set_cxx, MPIX_Win_create_errhandler_x
#                                 so that functions of the program get the handle that the program knows (light handles, MPICH)
#   MPI_Wait, _Test and their kin, MPI_Request_get_status*   requests of operations on other nodes
#   MPI_Error_string              the sentence about a failure in Proa
#   MPI_Init, MPI_Init_thread     so that Proa's end comes after the program's own callbacks at MPI_Finalize
#   MPI_Session_init              as MPI_Init: this rank has Proa
#   PMIx_Put, PMIx_Commit     the same, where the process manager speaks PMIx; with a prefix in Open MPI 4's own copy
#   MPI_Session_finalize          the end of the last session is Proa's end, as MPI_Finalize is (Open MPI has it from 5.0 on)
#   MPI_Abort                     the files of check mode come before it
#   MPI_Group_free                its handle may then stand for another group
#   MPI_Comm_spawn, _multiple     what they start gets Proa too
#   MPI_Comm_accept, _connect, _join   after these nobody can tell whether the others have Proa
#   MPII_Win_get_attr, _set_attr  MPICH's Fortran calls these for attributes
#   ompi_win_get_attr_f, ...      Open MPI's Fortran has these names for one function
#   ompi_errhandler_invoke        an error that Open MPI raises by itself: what Proa has said is then no longer about the last failure
#   proa_*                        include/proa.h
#   PROA_*, MPI_*_notify*         include/proa_notify.h
#   proa_observe                  the door for the library of instruments (src/watch/observe.h)
#   MPI_Error_class               Open MPI 4 does not know classes that were added
besides='MPI_Abort PMPI_Abort MPI_Error_string PMPI_Error_string MPI_Group_free PMPI_Group_free MPI_Init PMPI_Init MPI_Init_thread PMPI_Init_thread MPI_Session_init PMPI_Session_init MPI_Session_finalize PMPI_Session_finalize
  PMIx_Put PMIx_Commit OPAL_MCA_PMIX3X_PMIx_Put OPAL_MCA_PMIX3X_PMIx_Commit
  MPI_Comm_spawn PMPI_Comm_spawn MPI_Comm_spawn_multiple PMPI_Comm_spawn_multiple
  MPI_Comm_accept PMPI_Comm_accept MPI_Comm_connect PMPI_Comm_connect MPI_Comm_join PMPI_Comm_join proa_observe proa_stats_get proa_version proa_windows_served'
besides+=' MPI_Error_class PMPI_Error_class'
for name in Put Get Accumulate Get_accumulate Rput Rget Raccumulate Rget_accumulate; do
    for form in "${name}_notify" "${name}_notify_c"; do besides+=" MPI_$form PMPI_$form PROA_$form"; done
done
for name in Win_set_num_notify Win_get_num_notify Win_get_notify_value Win_reset_notify_value Win_notify_ithreshold; do besides+=" MPI_$name PMPI_$name PROA_$name"; done
besides+=' PROA_Win_wait_notify PROA_Win_waitsome_notify PROA_Win_get_notify_address PROA_Notify_is_native PROA_Notify_others PROA_Notify_put PROA_Notify_get PROA_Notify_error_class PROA_Notify_keyval'
for name in Wait Waitall Waitany Waitsome Test Testall Testany Testsome Request_get_status Request_get_status_all Request_get_status_any Request_get_status_some; do besides+=" MPI_$name PMPI_$name"; done
declare -A also=([mpich]='MPII_Win_get_attr MPII_Win_set_attr
  MPI_Win_create_keyval PMPI_Win_create_keyval MPI_Win_create_errhandler PMPI_Win_create_errhandler
  MPII_Keyval_set_proxy MPII_Errhandler_set_cxx MPIX_Win_create_errhandler_x PMPIX_Win_create_errhandler_x'
  [openmpi]='ompi_win_get_attr_f ompi_errhandler_invoke'
  [abi]='MPI_Win_create_keyval PMPI_Win_create_keyval MPI_Win_create_errhandler PMPI_Win_create_errhandler
  MPI_Win_toint PMPI_Win_toint MPI_Win_fromint PMPI_Win_fromint MPI_Win_c2f PMPI_Win_c2f MPI_Win_f2c PMPI_Win_f2c ompi_errhandler_invoke')
for name in MPI_WIN_GET_ATTR mpi_win_get_attr mpi_win_get_attr_ mpi_win_get_attr__ MPI_Win_get_attr_f MPI_Win_get_attr_f08; do
  case $name in
    mpi*) also[openmpi]+=" $name p$name" ;;
    *) also[openmpi]+=" $name P$name" ;;
  esac
done

failures=0
fail() {
  echo "${library##*/}: $1"
  failures=$((failures + 1))
}

exported() {
  "$nm" -D --defined-only "$1" | awk '{ sub(/@.*/, "", $3); print $3 }' | sort -u
}

host_known "$host" || { echo "symbols: which host is $library for?" >&2; exit 2; }
host_library=$(host_library "$host" "$program")
[ -r "$host_library" ] || { echo "symbols: $program is not linked to $host" >&2; exit 2; }

declare -A ours theirs chapter known allowed
for name in $(exported "$library"); do ours[$name]=1; done
for name in $(exported "$host_library"); do theirs[$name]=1; done
for name in $taken; do chapter[$name]=1; done
for name in $large; do chapter[${name}_c]=1; done
for name in "${!chapter[@]}" $left; do known[$name]=1; done
for name in "${!chapter[@]}"; do allowed[MPI_$name]=1 allowed[PMPI_$name]=1; done
for name in $besides ${also[${host_fact[$host.library]}]:-}; do allowed[$name]=1; done

# Nothing is missing.
count=0
for name in "${!chapter[@]}"; do
  for form in "MPI_$name" "PMPI_$name"; do
    [ -n "${theirs[$form]:-}" ] || continue
    count=$((count + 1))
    [ -n "${ours[$form]:-}" ] || fail "$form is missing"
  done
done
[ "$count" -ge 90 ] || fail "the host has only $count functions of the chapter: the comparison is wrong"

# No window function of the host's has been overlooked.
for name in "${!theirs[@]}"; do
  case $name in
    MPI_Win_* | MPI_Rput* | MPI_Rget* | MPI_Raccumulate* | MPI_Put* | MPI_Get | MPI_Get_c | MPI_Get_acc* | MPI_Accumulate*)
      [ -n "${known[${name#MPI_}]:-}" ] || fail "the host's $name is neither taken over nor listed as the host's" ;;
  esac
done

# The program's other calls are its own: few names of MPI lie outside the chapter (src/instruments has those that check mode sees).
outside=0
for name in "${!ours[@]}"; do
  case $name in
    *_notify* | MPI_Win_* | MPI_WIN_*) ;;
    MPI_*) [ -n "${chapter[${name#MPI_}]:-}" ] || outside=$((outside + 1)) ;;
  esac
done
[ "$outside" -le 25 ] || fail "it exports $outside names of MPI outside the chapter, and 25 are enough"

# Nothing is exported that should not be.
for name in "${!ours[@]}"; do
  [ -n "${allowed[$name]:-}" ] || fail "$name should not be exported"
done

[ "$failures" -eq 0 ] && echo "ok ${library##*/}: $count functions of the chapter"
[ "$failures" -eq 0 ]
