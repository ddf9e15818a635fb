! SPDX-License-Identifier: BSD-3-Clause
! The chapter through mpif.h.
#define USE_MPI
#define INCLUDE_MPI include 'mpif.h'
#define HANDLE(NAME) integer
#define BASE integer(MPI_ADDRESS_KIND)
#define BINDING 'mpif_h'
#include "chapter.inc"

  ! Address arithmetic by functions, which MPICH's mpif.h does not declare.
  subroutine only_here()
    integer(MPI_ADDRESS_KIND), external :: MPI_Aint_add, MPI_Aint_diff

    call expect(MPI_Aint_diff(MPI_Aint_add(address, int_bytes), address) == int_bytes, 'address arithmetic')
  end subroutine only_here

end program bindings
