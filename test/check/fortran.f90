! SPDX-License-Identifier: BSD-3-Clause
! Two puts to one place, and a store there by the target: each in a line of its own.
program fortran
  use mpi
  implicit none
  integer, parameter :: many = 100000
  integer :: win, rank, one = 1, two = 2, error
  integer(kind=MPI_ADDRESS_KIND) :: bytes = 4 * many, at = 5000
  integer, save, volatile :: words(many)

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Win_create(words, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win, error)
  call MPI_Win_fence(0, win, error)
  if (rank == 0) then
    call MPI_Put(one, 1, MPI_INTEGER, 1, at, 1, MPI_INTEGER, win, error) ! first
    call MPI_Put(two, 1, MPI_INTEGER, 1, at, 1, MPI_INTEGER, win, error) ! second
  end if
  if (rank == 1) words(5001) = 3 ! store
  call MPI_Win_fence(0, win, error)
  call MPI_Win_free(win, error)
  call MPI_Finalize(error)
end program
