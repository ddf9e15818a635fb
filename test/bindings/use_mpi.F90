! SPDX-License-Identifier: BSD-3-Clause
! The chapter through the module mpi.
#define USE_MPI use mpi
#define INCLUDE_MPI
#define HANDLE(NAME) integer
#define BASE integer(MPI_ADDRESS_KIND)
#define BINDING 'use_mpi'
#include "chapter.inc"

  ! Addresses as type(c_ptr), which the module takes too, and address arithmetic.
  subroutine only_here()
    integer :: win
    type(c_ptr) :: base

    if (.not. is_apart()) call shared_by_c_ptr()
    call MPI_Win_allocate(bytes_of(1), int(int_bytes), MPI_INFO_NULL, MPI_COMM_WORLD, base, win, ierr)
    call expect(attribute(win, MPI_WIN_BASE) == transfer(base, address), 'base by c_ptr')
    call MPI_Win_free(win, ierr)
    call expect(MPI_Aint_diff(MPI_Aint_add(address, int_bytes), address) == int_bytes, 'address arithmetic')
  end subroutine only_here

  subroutine shared_by_c_ptr()
    integer :: win, unit
    type(c_ptr) :: base, their_base
    integer(MPI_ADDRESS_KIND) :: bytes
    integer, pointer :: mine(:), theirs(:)

    call MPI_Win_allocate_shared(bytes_of(1), int(int_bytes), MPI_INFO_NULL, MPI_COMM_WORLD, base, win, ierr)
    call c_f_pointer(base, mine, [1])
    call MPI_Win_fence(0, win, ierr)
    mine = rank
    call MPI_Win_fence(0, win, ierr)
    call MPI_Win_shared_query(win, left, bytes, unit, their_base, ierr)
    call c_f_pointer(their_base, theirs, [1])
    call expect(theirs(1) == left, 'load from a neighbour by c_ptr')
    call MPI_Win_fence(0, win, ierr)
    call MPI_Win_free(win, ierr)
  end subroutine shared_by_c_ptr

end program bindings
