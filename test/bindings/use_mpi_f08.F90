! SPDX-License-Identifier: BSD-3-Clause
! The chapter through the module mpi_f08.
#define USE_MPI use mpi_f08
#define INCLUDE_MPI
#define HANDLE(NAME) type(NAME)
#define BASE type(c_ptr)
#define BINDING 'use_mpi_f08'
#include "chapter.inc"

  ! Calls without the error argument, and address arithmetic.
  subroutine only_here()
    type(MPI_Win) :: win

    memory(0) = -1
    call MPI_Win_create(memory, bytes_of(64), int(int_bytes), MPI_INFO_NULL, MPI_COMM_WORLD, win)
    call MPI_Win_fence(0, win)
    sent = rank
    call MPI_Put(sent, 1, MPI_INTEGER, right, at(0), 1, MPI_INTEGER, win)
    call MPI_Win_fence(0, win)
    call expect(memory(0) == left, 'put without error arguments')
    call MPI_Win_free(win)
    call expect(MPI_Aint_diff(MPI_Aint_add(address, int_bytes), address) == int_bytes, 'address arithmetic')
  end subroutine only_here

end program bindings
