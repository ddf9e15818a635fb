! SPDX-License-Identifier: BSD-3-Clause
! Rank 0 puts its results into the window of rank 1, which learns from its counter that they are there. doc/NOTIFY.md: how it is compiled.
program notify_f08
  use mpi_f08
  use proa_notify
  use proa_mpi_names
  implicit none
  integer(MPI_COUNT_KIND), parameter :: one = 1
  integer(MPI_ADDRESS_KIND), parameter :: first = 0, bytes = 8 * 1000
  double precision, target, asynchronous, save :: results(1000), received(1000)
  type(MPI_Win) :: win
  integer :: rank

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  received = 0
  call MPI_Win_create(received, bytes, 8, MPI_INFO_NULL, MPI_COMM_WORLD, win)
  call MPI_Win_set_num_notify(win, MPI_INFO_NULL, 1) ! collective: each rank has counter 0
  call MPI_Win_lock_all(0, win)
  if (rank == 0) then
    results = 3
    call MPI_Put_notify(results, 1000, MPI_DOUBLE_PRECISION, 1, first, 1000, MPI_DOUBLE_PRECISION, 0, win)
  else if (rank == 1) then
    call PROA_Win_wait_notify(win, 0, one) ! the data of the first put are there
    print '(a, f0.0)', 'sum ', sum(received)
  end if
  call MPI_Win_unlock_all(win)
  call MPI_Win_free(win)
  call MPI_Finalize()
end program notify_f08
