! SPDX-License-Identifier: BSD-3-Clause
! What the Fortran tests share: checking, and the end of a test. No MPI here, because each binding has its own kinds of handles.
module check
  use, intrinsic :: iso_c_binding, only: c_int, c_ptr, c_size_t
  use, intrinsic :: iso_fortran_env, only: error_unit, output_unit
  implicit none
  private
  public :: expect, finish, reserved

  interface
    ! served.c
    function served_as_expected() bind(c) result(yes)
      import :: c_int
      integer(c_int) :: yes
    end function served_as_expected

    function reserved(bytes) bind(c) result(memory)
      import :: c_ptr, c_size_t
      integer(c_size_t), value :: bytes
      type(c_ptr) :: memory
    end function reserved
  end interface

contains

  ! The launcher ends the other ranks when one stops with an error.
  subroutine expect(true, what)
    logical, intent(in) :: true
    character(*), intent(in) :: what

    if (true) return
    write (error_unit, '(2a)') 'wrong: ', what
    flush (error_unit)
    error stop 1
  end subroutine expect

  ! To be called before MPI is finalized.
  subroutine finish(name, rank)
    character(*), intent(in) :: name
    integer, intent(in) :: rank

    call expect(served_as_expected() /= 0, 'Proa served no window of '//name)
    if (rank == 0) write (output_unit, '(2a)') 'ok ', name
    flush (output_unit)
  end subroutine finish

end module check
