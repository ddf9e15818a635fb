! SPDX-License-Identifier: BSD-3-Clause
! Notified one-sided communication for Fortran 2008: next to `use mpi_f08`, what proa_notify.h is for C, and with the same meaning.
! Compiled with the program, together with proa_notify_f08.c, which goes to Proa where it is there and does the work by plain MPI elsewhere.
! doc/NOTIFY.md shows how both are used.
!
! Each procedure has the name of the draft of MPI-5.1 with PROA_ for MPI_. The module proa_mpi_names, below, gives the names of the draft.
! Counts are all of the default kind, or all of MPI_COUNT_KIND. Buffers have to be contiguous: a strided section is MPI_ERR_BUFFER.
module proa_notify
  use, intrinsic :: iso_c_binding, only: c_associated, c_int, c_int64_t, c_intptr_t, c_loc, c_null_ptr, c_ptr
  use mpi_f08, only: MPI_ADDRESS_KIND, MPI_BOTTOM, MPI_COUNT_KIND, MPI_Datatype, MPI_ERR_BUFFER, MPI_Info, MPI_Op, MPI_Request, &
    MPI_Win, MPI_Win_call_errhandler
  implicit none
  private
  public :: PROA_Put_notify, PROA_Get_notify, PROA_Accumulate_notify, PROA_Get_accumulate_notify
  public :: PROA_Rput_notify, PROA_Rget_notify, PROA_Raccumulate_notify, PROA_Rget_accumulate_notify
  public :: PROA_Win_set_num_notify, PROA_Win_get_num_notify, PROA_Win_get_notify_value, PROA_Win_reset_notify_value
  public :: PROA_Win_notify_ithreshold, PROA_Win_wait_notify, PROA_Win_waitsome_notify, PROA_Win_get_notify_address
  public :: PROA_Notify_is_native, PROA_Notify_error_class
  public :: PROA_WIN_NOTIFICATION_NUM_SB, PROA_WIN_NOTIFICATION_NUM_UB, PROA_WIN_NOTIFICATION_VALUE_UB

  interface PROA_Put_notify
    module procedure put_notify, put_notify_c
  end interface PROA_Put_notify

  interface PROA_Get_notify
    module procedure get_notify, get_notify_c
  end interface PROA_Get_notify

  interface PROA_Accumulate_notify
    module procedure accumulate_notify, accumulate_notify_c
  end interface PROA_Accumulate_notify

  interface PROA_Get_accumulate_notify
    module procedure get_accumulate_notify, get_accumulate_notify_c
  end interface PROA_Get_accumulate_notify

  interface PROA_Rput_notify
    module procedure rput_notify, rput_notify_c
  end interface PROA_Rput_notify

  interface PROA_Rget_notify
    module procedure rget_notify, rget_notify_c
  end interface PROA_Rget_notify

  interface PROA_Raccumulate_notify
    module procedure raccumulate_notify, raccumulate_notify_c
  end interface PROA_Raccumulate_notify

  interface PROA_Rget_accumulate_notify
    module procedure rget_accumulate_notify, rget_accumulate_notify_c
  end interface PROA_Rget_accumulate_notify

  ! proa_notify_f08.c. Handles are integers there, as in mpif.h.
  interface
    function proa_f08_put_notify(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, &
      target_datatype, notification_idx, win) bind(c) result(code)
      import :: c_int, c_int64_t, c_intptr_t, c_ptr
      type(c_ptr), value :: origin_addr
      integer(c_int64_t), value :: origin_count, target_count
      integer(c_int), value :: origin_datatype, target_rank, target_datatype, notification_idx, win
      integer(c_intptr_t), value :: target_disp
      integer(c_int) :: code
    end function proa_f08_put_notify

    function proa_f08_get_notify(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, &
      target_datatype, notification_idx, win) bind(c) result(code)
      import :: c_int, c_int64_t, c_intptr_t, c_ptr
      type(c_ptr), value :: origin_addr
      integer(c_int64_t), value :: origin_count, target_count
      integer(c_int), value :: origin_datatype, target_rank, target_datatype, notification_idx, win
      integer(c_intptr_t), value :: target_disp
      integer(c_int) :: code
    end function proa_f08_get_notify

    function proa_f08_accumulate_notify(origin_addr, origin_count, origin_datatype, target_rank, target_disp, &
      target_count, target_datatype, op, notification_idx, win) bind(c) result(code)
      import :: c_int, c_int64_t, c_intptr_t, c_ptr
      type(c_ptr), value :: origin_addr
      integer(c_int64_t), value :: origin_count, target_count
      integer(c_int), value :: origin_datatype, target_rank, target_datatype, op, notification_idx, win
      integer(c_intptr_t), value :: target_disp
      integer(c_int) :: code
    end function proa_f08_accumulate_notify

    function proa_f08_get_accumulate_notify(origin_addr, origin_count, origin_datatype, result_addr, result_count, &
      result_datatype, target_rank, target_disp, target_count, target_datatype, op, notification_idx, win) bind(c) &
      result(code)
      import :: c_int, c_int64_t, c_intptr_t, c_ptr
      type(c_ptr), value :: origin_addr, result_addr
      integer(c_int64_t), value :: origin_count, result_count, target_count
      integer(c_int), value :: origin_datatype, result_datatype, target_rank, target_datatype, op, notification_idx, win
      integer(c_intptr_t), value :: target_disp
      integer(c_int) :: code
    end function proa_f08_get_accumulate_notify

    function proa_f08_rput_notify(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, &
      target_datatype, notification_idx, win, request) bind(c) result(code)
      import :: c_int, c_int64_t, c_intptr_t, c_ptr
      type(c_ptr), value :: origin_addr
      integer(c_int64_t), value :: origin_count, target_count
      integer(c_int), value :: origin_datatype, target_rank, target_datatype, notification_idx, win
      integer(c_intptr_t), value :: target_disp
      integer(c_int), intent(out) :: request
      integer(c_int) :: code
    end function proa_f08_rput_notify

    function proa_f08_rget_notify(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, &
      target_datatype, notification_idx, win, request) bind(c) result(code)
      import :: c_int, c_int64_t, c_intptr_t, c_ptr
      type(c_ptr), value :: origin_addr
      integer(c_int64_t), value :: origin_count, target_count
      integer(c_int), value :: origin_datatype, target_rank, target_datatype, notification_idx, win
      integer(c_intptr_t), value :: target_disp
      integer(c_int), intent(out) :: request
      integer(c_int) :: code
    end function proa_f08_rget_notify

    function proa_f08_raccumulate_notify(origin_addr, origin_count, origin_datatype, target_rank, target_disp, &
      target_count, target_datatype, op, notification_idx, win, request) bind(c) result(code)
      import :: c_int, c_int64_t, c_intptr_t, c_ptr
      type(c_ptr), value :: origin_addr
      integer(c_int64_t), value :: origin_count, target_count
      integer(c_int), value :: origin_datatype, target_rank, target_datatype, op, notification_idx, win
      integer(c_intptr_t), value :: target_disp
      integer(c_int), intent(out) :: request
      integer(c_int) :: code
    end function proa_f08_raccumulate_notify

    function proa_f08_rget_accumulate_notify(origin_addr, origin_count, origin_datatype, result_addr, result_count, &
      result_datatype, target_rank, target_disp, target_count, target_datatype, op, notification_idx, win, request) &
      bind(c) result(code)
      import :: c_int, c_int64_t, c_intptr_t, c_ptr
      type(c_ptr), value :: origin_addr, result_addr
      integer(c_int64_t), value :: origin_count, result_count, target_count
      integer(c_int), value :: origin_datatype, result_datatype, target_rank, target_datatype, op, notification_idx, win
      integer(c_intptr_t), value :: target_disp
      integer(c_int), intent(out) :: request
      integer(c_int) :: code
    end function proa_f08_rget_accumulate_notify

    function proa_f08_win_set_num_notify(win, info, num) bind(c) result(code)
      import :: c_int
      integer(c_int), value :: win, info
      integer(c_int), value :: num
      integer(c_int) :: code
    end function proa_f08_win_set_num_notify

    function proa_f08_win_get_num_notify(win, rank, num) bind(c) result(code)
      import :: c_int
      integer(c_int), value :: win
      integer(c_int), value :: rank
      integer(c_int), intent(out) :: num
      integer(c_int) :: code
    end function proa_f08_win_get_num_notify

    function proa_f08_win_get_notify_value(win, notification_idx, value) bind(c) result(code)
      import :: c_int, c_int64_t
      integer(c_int), value :: win
      integer(c_int), value :: notification_idx
      integer(c_int64_t), intent(inout) :: value
      integer(c_int) :: code
    end function proa_f08_win_get_notify_value

    function proa_f08_win_reset_notify_value(win, notification_idx, value) bind(c) result(code)
      import :: c_int, c_int64_t
      integer(c_int), value :: win
      integer(c_int), value :: notification_idx
      integer(c_int64_t), intent(inout) :: value
      integer(c_int) :: code
    end function proa_f08_win_reset_notify_value

    function proa_f08_win_notify_ithreshold(win, notification_idx, expected, request) bind(c) result(code)
      import :: c_int, c_int64_t
      integer(c_int), value :: win
      integer(c_int), value :: notification_idx
      integer(c_int64_t), value :: expected
      integer(c_int), intent(out) :: request
      integer(c_int) :: code
    end function proa_f08_win_notify_ithreshold

    function proa_f08_win_wait_notify(win, notification_idx, expected) bind(c) result(code)
      import :: c_int, c_int64_t
      integer(c_int), value :: win
      integer(c_int), value :: notification_idx
      integer(c_int64_t), value :: expected
      integer(c_int) :: code
    end function proa_f08_win_wait_notify

    function proa_f08_win_waitsome_notify(win, count, indices, expected, outcount, which) bind(c) result(code)
      import :: c_int, c_int64_t
      integer(c_int), value :: win
      integer(c_int), value :: count
      integer(c_int), intent(in) :: indices(*)
      integer(c_int64_t), intent(in) :: expected(*)
      integer(c_int), intent(inout) :: outcount
      integer(c_int), intent(inout) :: which(*)
      integer(c_int) :: code
    end function proa_f08_win_waitsome_notify

    function proa_f08_win_get_notify_address(win, notification_idx, address) bind(c) result(code)
      import :: c_int, c_ptr
      integer(c_int), value :: win
      integer(c_int), value :: notification_idx
      type(c_ptr), intent(inout) :: address
      integer(c_int) :: code
    end function proa_f08_win_get_notify_address

    function proa_f08_notify_is_native(win) bind(c) result(yes)
      import :: c_int
      integer(c_int), value :: win
      integer(c_int) :: yes
    end function proa_f08_notify_is_native

    function proa_f08_notify_error_class() bind(c) result(class)
      import :: c_int
      integer(c_int) :: class
    end function proa_f08_notify_error_class

    function proa_f08_notify_keyval(which) bind(c) result(keyval)
      import :: c_int
      integer(c_int), value :: which
      integer(c_int) :: keyval
    end function proa_f08_notify_keyval
  end interface

contains

  ! ---- what the host's header would have as constants ----

  ! The class MPI_ERR_RMA_NOTIFICATION.
  function PROA_Notify_error_class() result(class)
    integer :: class

    class = proa_f08_notify_error_class()
  end function PROA_Notify_error_class

  ! Keyvals for MPI_Win_get_attr, whose values Fortran gets as they are.
  function PROA_WIN_NOTIFICATION_NUM_SB() result(keyval)
    integer :: keyval

    keyval = proa_f08_notify_keyval(0_c_int)
  end function PROA_WIN_NOTIFICATION_NUM_SB

  function PROA_WIN_NOTIFICATION_NUM_UB() result(keyval)
    integer :: keyval

    keyval = proa_f08_notify_keyval(1_c_int)
  end function PROA_WIN_NOTIFICATION_NUM_UB

  function PROA_WIN_NOTIFICATION_VALUE_UB() result(keyval)
    integer :: keyval

    keyval = proa_f08_notify_keyval(2_c_int)
  end function PROA_WIN_NOTIFICATION_VALUE_UB

  ! Whether Proa itself serves notified operations on this window.
  function PROA_Notify_is_native(win) result(yes)
    type(MPI_Win), intent(in) :: win
    logical :: yes

    yes = proa_f08_notify_is_native(win%MPI_VAL) /= 0
  end function PROA_Notify_is_native

  ! ---- counters ----

  subroutine PROA_Win_set_num_notify(win, info, num, ierror)
    type(MPI_Win), intent(in) :: win
    type(MPI_Info), intent(in) :: info
    integer, intent(in) :: num
    integer, optional, intent(out) :: ierror
    integer :: code

    code = proa_f08_win_set_num_notify(win%MPI_VAL, info%MPI_VAL, int(num, c_int))
    if (present(ierror)) ierror = code
  end subroutine PROA_Win_set_num_notify

  subroutine PROA_Win_get_num_notify(win, rank, num, ierror)
    type(MPI_Win), intent(in) :: win
    integer, intent(in) :: rank
    integer, intent(out) :: num
    integer, optional, intent(out) :: ierror
    integer(c_int) :: found
    integer :: code

    code = proa_f08_win_get_num_notify(win%MPI_VAL, int(rank, c_int), found)
    num = found
    if (present(ierror)) ierror = code
  end subroutine PROA_Win_get_num_notify

  subroutine PROA_Win_get_notify_value(win, notification_idx, value, ierror)
    type(MPI_Win), intent(in) :: win
    integer, intent(in) :: notification_idx
    integer(MPI_COUNT_KIND), intent(inout) :: value
    integer, optional, intent(out) :: ierror
    integer :: code

    code = proa_f08_win_get_notify_value(win%MPI_VAL, int(notification_idx, c_int), value)
    if (present(ierror)) ierror = code
  end subroutine PROA_Win_get_notify_value

  subroutine PROA_Win_reset_notify_value(win, notification_idx, value, ierror)
    type(MPI_Win), intent(in) :: win
    integer, intent(in) :: notification_idx
    integer(MPI_COUNT_KIND), intent(inout) :: value
    integer, optional, intent(out) :: ierror
    integer :: code

    code = proa_f08_win_reset_notify_value(win%MPI_VAL, int(notification_idx, c_int), value)
    if (present(ierror)) ierror = code
  end subroutine PROA_Win_reset_notify_value

  subroutine PROA_Win_notify_ithreshold(win, notification_idx, expected, request, ierror)
    type(MPI_Win), intent(in) :: win
    integer, intent(in) :: notification_idx
    integer(MPI_COUNT_KIND), intent(in) :: expected
    type(MPI_Request), intent(out) :: request
    integer, optional, intent(out) :: ierror
    integer :: code

    code = proa_f08_win_notify_ithreshold(win%MPI_VAL, int(notification_idx, c_int), expected, request%MPI_VAL)
    if (present(ierror)) ierror = code
  end subroutine PROA_Win_notify_ithreshold

  ! ---- beyond the draft ----

  subroutine PROA_Win_wait_notify(win, notification_idx, expected, ierror)
    type(MPI_Win), intent(in) :: win
    integer, intent(in) :: notification_idx
    integer(MPI_COUNT_KIND), intent(in) :: expected
    integer, optional, intent(out) :: ierror
    integer :: code

    code = proa_f08_win_wait_notify(win%MPI_VAL, int(notification_idx, c_int), expected)
    if (present(ierror)) ierror = code
  end subroutine PROA_Win_wait_notify

  ! Places in which begin with 1, as those of MPI_Waitsome. Counters are numbered from 0.
  subroutine PROA_Win_waitsome_notify(win, count, indices, expected, outcount, which, ierror)
    type(MPI_Win), intent(in) :: win
    integer, intent(in) :: count, indices(count)
    integer(MPI_COUNT_KIND), intent(in) :: expected(count)
    integer, intent(out) :: outcount
    integer, intent(inout) :: which(*)
    integer, optional, intent(out) :: ierror
    integer(c_int) :: found, places(count)
    integer :: code

    found = 0
    code = proa_f08_win_waitsome_notify(win%MPI_VAL, int(count, c_int), int(indices, c_int), expected, found, places)
    outcount = found
    which(1:outcount) = places(1:outcount) + 1
    if (present(ierror)) ierror = code
  end subroutine PROA_Win_waitsome_notify

  ! address: of an integer of 64 bits.
  subroutine PROA_Win_get_notify_address(win, notification_idx, address, ierror)
    type(MPI_Win), intent(in) :: win
    integer, intent(in) :: notification_idx
    type(c_ptr), intent(out) :: address
    integer, optional, intent(out) :: ierror
    integer :: code

    address = c_null_ptr
    code = proa_f08_win_get_notify_address(win%MPI_VAL, int(notification_idx, c_int), address)
    if (present(ierror)) ierror = code
  end subroutine PROA_Win_get_notify_address

  ! ---- operations ----

  ! Of a buffer, as C has it: MPI_BOTTOM is a variable of the host's here.
  function address_of(buffer) result(address)
    type(*), dimension(..), intent(in), target :: buffer
    type(c_ptr) :: address

    address = c_loc(buffer)
    if (c_associated(address, place_of(MPI_BOTTOM))) address = c_null_ptr
  end function address_of

  function place_of(buffer) result(address)
    type(*), dimension(..), intent(in), target :: buffer
    type(c_ptr) :: address

    address = c_loc(buffer)
  end function place_of

  function strided(win) result(code)
    type(MPI_Win), intent(in) :: win
    integer :: code

    code = MPI_ERR_BUFFER
    call MPI_Win_call_errhandler(win, code)
  end function strided

  subroutine put_notify(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, &
    target_datatype, notification_idx, win, ierror)
    type(*), dimension(..), intent(in), asynchronous, target :: origin_addr
    integer, intent(in) :: origin_count, target_rank, target_count, notification_idx
    type(MPI_Datatype), intent(in) :: origin_datatype, target_datatype
    integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
    type(MPI_Win), intent(in) :: win
    integer, optional, intent(out) :: ierror

    call put_notify_c(origin_addr, int(origin_count, MPI_COUNT_KIND), origin_datatype, target_rank, target_disp, &
      int(target_count, MPI_COUNT_KIND), target_datatype, notification_idx, win, ierror)
  end subroutine put_notify

  subroutine put_notify_c(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, &
    target_datatype, notification_idx, win, ierror)
    type(*), dimension(..), intent(in), asynchronous, target :: origin_addr
    integer(MPI_COUNT_KIND), intent(in) :: origin_count, target_count
    type(MPI_Datatype), intent(in) :: origin_datatype, target_datatype
    integer, intent(in) :: target_rank, notification_idx
    integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
    type(MPI_Win), intent(in) :: win
    integer, optional, intent(out) :: ierror
    integer :: code

    if (is_contiguous(origin_addr)) then
      code = proa_f08_put_notify(address_of(origin_addr), origin_count, origin_datatype%MPI_VAL, int(target_rank, &
        c_int), target_disp, target_count, target_datatype%MPI_VAL, int(notification_idx, c_int), win%MPI_VAL)
    else
      code = strided(win)
    end if
    if (present(ierror)) ierror = code
  end subroutine put_notify_c

  subroutine get_notify(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, &
    target_datatype, notification_idx, win, ierror)
    type(*), dimension(..), asynchronous, target :: origin_addr
    integer, intent(in) :: origin_count, target_rank, target_count, notification_idx
    type(MPI_Datatype), intent(in) :: origin_datatype, target_datatype
    integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
    type(MPI_Win), intent(in) :: win
    integer, optional, intent(out) :: ierror

    call get_notify_c(origin_addr, int(origin_count, MPI_COUNT_KIND), origin_datatype, target_rank, target_disp, &
      int(target_count, MPI_COUNT_KIND), target_datatype, notification_idx, win, ierror)
  end subroutine get_notify

  subroutine get_notify_c(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, &
    target_datatype, notification_idx, win, ierror)
    type(*), dimension(..), asynchronous, target :: origin_addr
    integer(MPI_COUNT_KIND), intent(in) :: origin_count, target_count
    type(MPI_Datatype), intent(in) :: origin_datatype, target_datatype
    integer, intent(in) :: target_rank, notification_idx
    integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
    type(MPI_Win), intent(in) :: win
    integer, optional, intent(out) :: ierror
    integer :: code

    if (is_contiguous(origin_addr)) then
      code = proa_f08_get_notify(address_of(origin_addr), origin_count, origin_datatype%MPI_VAL, int(target_rank, &
        c_int), target_disp, target_count, target_datatype%MPI_VAL, int(notification_idx, c_int), win%MPI_VAL)
    else
      code = strided(win)
    end if
    if (present(ierror)) ierror = code
  end subroutine get_notify_c

  subroutine accumulate_notify(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, &
    target_datatype, op, notification_idx, win, ierror)
    type(*), dimension(..), intent(in), asynchronous, target :: origin_addr
    integer, intent(in) :: origin_count, target_rank, target_count, notification_idx
    type(MPI_Datatype), intent(in) :: origin_datatype, target_datatype
    integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
    type(MPI_Op), intent(in) :: op
    type(MPI_Win), intent(in) :: win
    integer, optional, intent(out) :: ierror

    call accumulate_notify_c(origin_addr, int(origin_count, MPI_COUNT_KIND), origin_datatype, target_rank, &
      target_disp, int(target_count, MPI_COUNT_KIND), target_datatype, op, notification_idx, win, ierror)
  end subroutine accumulate_notify

  subroutine accumulate_notify_c(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, &
    target_datatype, op, notification_idx, win, ierror)
    type(*), dimension(..), intent(in), asynchronous, target :: origin_addr
    integer(MPI_COUNT_KIND), intent(in) :: origin_count, target_count
    type(MPI_Datatype), intent(in) :: origin_datatype, target_datatype
    integer, intent(in) :: target_rank, notification_idx
    integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
    type(MPI_Op), intent(in) :: op
    type(MPI_Win), intent(in) :: win
    integer, optional, intent(out) :: ierror
    integer :: code

    if (is_contiguous(origin_addr)) then
      code = proa_f08_accumulate_notify(address_of(origin_addr), origin_count, origin_datatype%MPI_VAL, &
        int(target_rank, c_int), target_disp, target_count, target_datatype%MPI_VAL, op%MPI_VAL, int(notification_idx, &
        c_int), win%MPI_VAL)
    else
      code = strided(win)
    end if
    if (present(ierror)) ierror = code
  end subroutine accumulate_notify_c

  subroutine get_accumulate_notify(origin_addr, origin_count, origin_datatype, result_addr, result_count, &
    result_datatype, target_rank, target_disp, target_count, target_datatype, op, notification_idx, win, ierror)
    type(*), dimension(..), intent(in), asynchronous, target :: origin_addr
    integer, intent(in) :: origin_count, result_count, target_rank, target_count, notification_idx
    type(MPI_Datatype), intent(in) :: origin_datatype, result_datatype, target_datatype
    type(*), dimension(..), asynchronous, target :: result_addr
    integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
    type(MPI_Op), intent(in) :: op
    type(MPI_Win), intent(in) :: win
    integer, optional, intent(out) :: ierror

    call get_accumulate_notify_c(origin_addr, int(origin_count, MPI_COUNT_KIND), origin_datatype, result_addr, &
      int(result_count, MPI_COUNT_KIND), result_datatype, target_rank, target_disp, int(target_count, MPI_COUNT_KIND), &
      target_datatype, op, notification_idx, win, ierror)
  end subroutine get_accumulate_notify

  subroutine get_accumulate_notify_c(origin_addr, origin_count, origin_datatype, result_addr, result_count, &
    result_datatype, target_rank, target_disp, target_count, target_datatype, op, notification_idx, win, ierror)
    type(*), dimension(..), intent(in), asynchronous, target :: origin_addr
    integer(MPI_COUNT_KIND), intent(in) :: origin_count, result_count, target_count
    type(MPI_Datatype), intent(in) :: origin_datatype, result_datatype, target_datatype
    type(*), dimension(..), asynchronous, target :: result_addr
    integer, intent(in) :: target_rank, notification_idx
    integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
    type(MPI_Op), intent(in) :: op
    type(MPI_Win), intent(in) :: win
    integer, optional, intent(out) :: ierror
    integer :: code

    if (is_contiguous(origin_addr) .and. is_contiguous(result_addr)) then
      code = proa_f08_get_accumulate_notify(address_of(origin_addr), origin_count, origin_datatype%MPI_VAL, &
        address_of(result_addr), result_count, result_datatype%MPI_VAL, int(target_rank, c_int), target_disp, &
        target_count, target_datatype%MPI_VAL, op%MPI_VAL, int(notification_idx, c_int), win%MPI_VAL)
    else
      code = strided(win)
    end if
    if (present(ierror)) ierror = code
  end subroutine get_accumulate_notify_c

  subroutine rput_notify(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, &
    target_datatype, notification_idx, win, request, ierror)
    type(*), dimension(..), intent(in), asynchronous, target :: origin_addr
    integer, intent(in) :: origin_count, target_rank, target_count, notification_idx
    type(MPI_Datatype), intent(in) :: origin_datatype, target_datatype
    integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
    type(MPI_Win), intent(in) :: win
    type(MPI_Request), intent(out) :: request
    integer, optional, intent(out) :: ierror

    call rput_notify_c(origin_addr, int(origin_count, MPI_COUNT_KIND), origin_datatype, target_rank, target_disp, &
      int(target_count, MPI_COUNT_KIND), target_datatype, notification_idx, win, request, ierror)
  end subroutine rput_notify

  subroutine rput_notify_c(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, &
    target_datatype, notification_idx, win, request, ierror)
    type(*), dimension(..), intent(in), asynchronous, target :: origin_addr
    integer(MPI_COUNT_KIND), intent(in) :: origin_count, target_count
    type(MPI_Datatype), intent(in) :: origin_datatype, target_datatype
    integer, intent(in) :: target_rank, notification_idx
    integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
    type(MPI_Win), intent(in) :: win
    type(MPI_Request), intent(out) :: request
    integer, optional, intent(out) :: ierror
    integer :: code

    if (is_contiguous(origin_addr)) then
      code = proa_f08_rput_notify(address_of(origin_addr), origin_count, origin_datatype%MPI_VAL, int(target_rank, &
        c_int), target_disp, target_count, target_datatype%MPI_VAL, int(notification_idx, c_int), win%MPI_VAL, &
        request%MPI_VAL)
    else
      code = strided(win)
    end if
    if (present(ierror)) ierror = code
  end subroutine rput_notify_c

  subroutine rget_notify(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, &
    target_datatype, notification_idx, win, request, ierror)
    type(*), dimension(..), asynchronous, target :: origin_addr
    integer, intent(in) :: origin_count, target_rank, target_count, notification_idx
    type(MPI_Datatype), intent(in) :: origin_datatype, target_datatype
    integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
    type(MPI_Win), intent(in) :: win
    type(MPI_Request), intent(out) :: request
    integer, optional, intent(out) :: ierror

    call rget_notify_c(origin_addr, int(origin_count, MPI_COUNT_KIND), origin_datatype, target_rank, target_disp, &
      int(target_count, MPI_COUNT_KIND), target_datatype, notification_idx, win, request, ierror)
  end subroutine rget_notify

  subroutine rget_notify_c(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, &
    target_datatype, notification_idx, win, request, ierror)
    type(*), dimension(..), asynchronous, target :: origin_addr
    integer(MPI_COUNT_KIND), intent(in) :: origin_count, target_count
    type(MPI_Datatype), intent(in) :: origin_datatype, target_datatype
    integer, intent(in) :: target_rank, notification_idx
    integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
    type(MPI_Win), intent(in) :: win
    type(MPI_Request), intent(out) :: request
    integer, optional, intent(out) :: ierror
    integer :: code

    if (is_contiguous(origin_addr)) then
      code = proa_f08_rget_notify(address_of(origin_addr), origin_count, origin_datatype%MPI_VAL, int(target_rank, &
        c_int), target_disp, target_count, target_datatype%MPI_VAL, int(notification_idx, c_int), win%MPI_VAL, &
        request%MPI_VAL)
    else
      code = strided(win)
    end if
    if (present(ierror)) ierror = code
  end subroutine rget_notify_c

  subroutine raccumulate_notify(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, &
    target_datatype, op, notification_idx, win, request, ierror)
    type(*), dimension(..), intent(in), asynchronous, target :: origin_addr
    integer, intent(in) :: origin_count, target_rank, target_count, notification_idx
    type(MPI_Datatype), intent(in) :: origin_datatype, target_datatype
    integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
    type(MPI_Op), intent(in) :: op
    type(MPI_Win), intent(in) :: win
    type(MPI_Request), intent(out) :: request
    integer, optional, intent(out) :: ierror

    call raccumulate_notify_c(origin_addr, int(origin_count, MPI_COUNT_KIND), origin_datatype, target_rank, &
      target_disp, int(target_count, MPI_COUNT_KIND), target_datatype, op, notification_idx, win, request, ierror)
  end subroutine raccumulate_notify

  subroutine raccumulate_notify_c(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, &
    target_datatype, op, notification_idx, win, request, ierror)
    type(*), dimension(..), intent(in), asynchronous, target :: origin_addr
    integer(MPI_COUNT_KIND), intent(in) :: origin_count, target_count
    type(MPI_Datatype), intent(in) :: origin_datatype, target_datatype
    integer, intent(in) :: target_rank, notification_idx
    integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
    type(MPI_Op), intent(in) :: op
    type(MPI_Win), intent(in) :: win
    type(MPI_Request), intent(out) :: request
    integer, optional, intent(out) :: ierror
    integer :: code

    if (is_contiguous(origin_addr)) then
      code = proa_f08_raccumulate_notify(address_of(origin_addr), origin_count, origin_datatype%MPI_VAL, &
        int(target_rank, c_int), target_disp, target_count, target_datatype%MPI_VAL, op%MPI_VAL, int(notification_idx, &
        c_int), win%MPI_VAL, request%MPI_VAL)
    else
      code = strided(win)
    end if
    if (present(ierror)) ierror = code
  end subroutine raccumulate_notify_c

  subroutine rget_accumulate_notify(origin_addr, origin_count, origin_datatype, result_addr, result_count, &
    result_datatype, target_rank, target_disp, target_count, target_datatype, op, notification_idx, win, request, &
    ierror)
    type(*), dimension(..), intent(in), asynchronous, target :: origin_addr
    integer, intent(in) :: origin_count, result_count, target_rank, target_count, notification_idx
    type(MPI_Datatype), intent(in) :: origin_datatype, result_datatype, target_datatype
    type(*), dimension(..), asynchronous, target :: result_addr
    integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
    type(MPI_Op), intent(in) :: op
    type(MPI_Win), intent(in) :: win
    type(MPI_Request), intent(out) :: request
    integer, optional, intent(out) :: ierror

    call rget_accumulate_notify_c(origin_addr, int(origin_count, MPI_COUNT_KIND), origin_datatype, result_addr, &
      int(result_count, MPI_COUNT_KIND), result_datatype, target_rank, target_disp, int(target_count, MPI_COUNT_KIND), &
      target_datatype, op, notification_idx, win, request, ierror)
  end subroutine rget_accumulate_notify

  subroutine rget_accumulate_notify_c(origin_addr, origin_count, origin_datatype, result_addr, result_count, &
    result_datatype, target_rank, target_disp, target_count, target_datatype, op, notification_idx, win, request, &
    ierror)
    type(*), dimension(..), intent(in), asynchronous, target :: origin_addr
    integer(MPI_COUNT_KIND), intent(in) :: origin_count, result_count, target_count
    type(MPI_Datatype), intent(in) :: origin_datatype, result_datatype, target_datatype
    type(*), dimension(..), asynchronous, target :: result_addr
    integer, intent(in) :: target_rank, notification_idx
    integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
    type(MPI_Op), intent(in) :: op
    type(MPI_Win), intent(in) :: win
    type(MPI_Request), intent(out) :: request
    integer, optional, intent(out) :: ierror
    integer :: code

    if (is_contiguous(origin_addr) .and. is_contiguous(result_addr)) then
      code = proa_f08_rget_accumulate_notify(address_of(origin_addr), origin_count, origin_datatype%MPI_VAL, &
        address_of(result_addr), result_count, result_datatype%MPI_VAL, int(target_rank, c_int), target_disp, &
        target_count, target_datatype%MPI_VAL, op%MPI_VAL, int(notification_idx, c_int), win%MPI_VAL, request%MPI_VAL)
    else
      code = strided(win)
    end if
    if (present(ierror)) ierror = code
  end subroutine rget_accumulate_notify_c

end module proa_notify

! The names of the draft, for a program whose host has none: `use proa_mpi_names` next to `use proa_notify`.
! What is a constant in the draft is a function without arguments here: MPI_ERR_RMA_NOTIFICATION().
module proa_mpi_names
  use proa_notify, only: MPI_Put_notify => PROA_Put_notify, &
    MPI_Get_notify => PROA_Get_notify, &
    MPI_Accumulate_notify => PROA_Accumulate_notify, &
    MPI_Get_accumulate_notify => PROA_Get_accumulate_notify, &
    MPI_Rput_notify => PROA_Rput_notify, &
    MPI_Rget_notify => PROA_Rget_notify, &
    MPI_Raccumulate_notify => PROA_Raccumulate_notify, &
    MPI_Rget_accumulate_notify => PROA_Rget_accumulate_notify, &
    MPI_Win_set_num_notify => PROA_Win_set_num_notify, &
    MPI_Win_get_num_notify => PROA_Win_get_num_notify, &
    MPI_Win_get_notify_value => PROA_Win_get_notify_value, &
    MPI_Win_reset_notify_value => PROA_Win_reset_notify_value, &
    MPI_Win_notify_ithreshold => PROA_Win_notify_ithreshold, &
    MPI_ERR_RMA_NOTIFICATION => PROA_Notify_error_class, &
    MPI_WIN_NOTIFICATION_NUM_SB => PROA_WIN_NOTIFICATION_NUM_SB, &
    MPI_WIN_NOTIFICATION_NUM_UB => PROA_WIN_NOTIFICATION_NUM_UB, &
    MPI_WIN_NOTIFICATION_VALUE_UB => PROA_WIN_NOTIFICATION_VALUE_UB
  implicit none
end module proa_mpi_names
