! SPDX-License-Identifier: BSD-3-Clause
! Notified communication in Fortran (include/proa_notify.f90): every procedure, in a window of each rank's own array, which the rank on its
! left fills. With Proa, and by plain MPI.
program notify
  use mpi_f08
  use proa_notify
  use proa_mpi_names
  use, intrinsic :: iso_c_binding, only: c_associated, c_f_pointer, c_int64_t, c_null_ptr, c_ptr
  use check, only: expect, finish
  implicit none
  integer, parameter :: words = 64, number = 4
  integer(MPI_COUNT_KIND), parameter :: one = 1, two = 2
  integer(MPI_ADDRESS_KIND), parameter :: first = 0, second = 1
  integer, target, asynchronous, save :: memory(words)
  integer, asynchronous, save :: sent(words), got(words), add(1), before(1)
  integer :: rank, size, left, right, length
  logical :: is_native, is_expected
  type(MPI_Win) :: win

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, size)
  right = mod(rank + 1, size)
  left = mod(rank + size - 1, size)
  call get_environment_variable('PROA_EXPECT', length=length)
  is_expected = length > 0
  memory = -1
  sent = 100 + rank
  add = 1
  call MPI_Win_create(memory, int(4 * words, MPI_ADDRESS_KIND), 4, MPI_INFO_NULL, MPI_COMM_WORLD, win)
  is_native = PROA_Notify_is_native(win)
  call expect(is_native .eqv. is_expected, 'PROA_Notify_is_native')
  call numbers()
  call MPI_Win_lock_all(0, win)
  call operations()
  call requests()
  call large_counts()
  call waits()
  call thresholds()
  call buffers()
  call errors()
  call MPI_Win_unlock_all(win)
  if (is_native) call attributes()
  call MPI_Win_free(win)
  call finish('notify.f90', rank)
  call MPI_Finalize()

contains

  subroutine numbers()
    integer :: found, ierr

    call MPI_Win_set_num_notify(win, MPI_INFO_NULL, number + rank, ierr)
    call expect(ierr == MPI_SUCCESS, 'set_num_notify')
    call MPI_Win_get_num_notify(win, right, found)
    call expect(found == number + right, 'get_num_notify')
    call MPI_Barrier(MPI_COMM_WORLD)
  end subroutine numbers

  function value_of(index) result(value)
    integer, intent(in) :: index
    integer(MPI_COUNT_KIND) :: value
    integer :: ierr

    value = -1
    call MPI_Win_get_notify_value(win, index, value, ierr)
    call expect(ierr == MPI_SUCCESS, 'get_notify_value')
  end function value_of

  ! All have what they wait for, and set their counter to zero.
  subroutine count_is(index, value, what)
    integer, intent(in) :: index
    integer(MPI_COUNT_KIND), intent(in) :: value
    character(*), intent(in) :: what
    integer(MPI_COUNT_KIND) :: was

    call PROA_Win_wait_notify(win, index, value)
    call MPI_Win_reset_notify_value(win, index, was)
    call expect(was == value .and. value_of(index) == 0, what)
    call MPI_Barrier(MPI_COMM_WORLD)
  end subroutine count_is

  subroutine operations()
    call MPI_Put_notify(sent, words, MPI_INTEGER, right, first, words, MPI_INTEGER, 1, win)
    call count_is(1, one, 'put: the counter')
    call expect(all(memory == 100 + left), 'put: the data')
    call MPI_Win_flush(right, win)
    call MPI_Barrier(MPI_COMM_WORLD)
    call MPI_Accumulate_notify(add, 1, MPI_INTEGER, right, second, 1, MPI_INTEGER, MPI_SUM, 2, win)
    call MPI_Get_accumulate_notify(add, 1, MPI_INTEGER, before, 1, MPI_INTEGER, right, second, 1, MPI_INTEGER, MPI_SUM, 2, win)
    call MPI_Win_flush(right, win)
    call expect(before(1) == 101 + rank, 'get_accumulate: what was there')
    call count_is(2, two, 'accumulates: the counter')
    call MPI_Get_notify(got, words, MPI_INTEGER, right, first, words, MPI_INTEGER, 3, win)
    call MPI_Win_flush(right, win)
    call expect(got(1) == 100 + rank .and. got(2) == 102 + rank .and. got(words) == 100 + rank, 'get: the data')
    call expect(value_of(0) == 0, 'a counter beside counts')
    call count_is(3, one, 'get: the counter')
  end subroutine operations

  subroutine requests()
    type(MPI_Request) :: request(2)

    call MPI_Rput_notify(sent, words, MPI_INTEGER, right, first, words, MPI_INTEGER, 0, win, request(1))
    call MPI_Wait(request(1), MPI_STATUS_IGNORE)
    call count_is(0, one, 'rput: the counter')
    call expect(all(memory == 100 + left), 'rput: the data')
    call MPI_Barrier(MPI_COMM_WORLD)
    got = -1
    call MPI_Rget_notify(got, words, MPI_INTEGER, right, first, words, MPI_INTEGER, 0, win, request(1))
    call MPI_Wait(request(1), MPI_STATUS_IGNORE)
    call expect(all(got == 100 + rank), 'rget: the data')
    call MPI_Raccumulate_notify(add, 1, MPI_INTEGER, right, first, 1, MPI_INTEGER, MPI_SUM, 0, win, request(1))
    call MPI_Rget_accumulate_notify(add, 1, MPI_INTEGER, before, 1, MPI_INTEGER, right, first, 1, MPI_INTEGER, MPI_SUM, 0, win, &
      request(2))
    call MPI_Waitall(2, request, MPI_STATUSES_IGNORE)
    call expect(before(1) == 101 + rank, 'rget_accumulate: what was there')
    call count_is(0, two + one, 'requests: the counter')
  end subroutine requests

  ! The same procedures by counts of the large kind.
  subroutine large_counts()
    integer(MPI_COUNT_KIND), parameter :: all_words = words
    type(MPI_Request) :: request(2)

    sent = 200 + rank
    call MPI_Put_notify(sent, all_words, MPI_INTEGER, right, first, all_words, MPI_INTEGER, 0, win)
    call count_is(0, one, 'put by large counts: the counter')
    call expect(all(memory == 200 + left), 'put by large counts: the data')
    call MPI_Win_flush(right, win)
    call MPI_Barrier(MPI_COMM_WORLD)
    call MPI_Accumulate_notify(add, one, MPI_INTEGER, right, first, one, MPI_INTEGER, MPI_SUM, 0, win)
    call MPI_Get_accumulate_notify(add, one, MPI_INTEGER, before, one, MPI_INTEGER, right, first, one, MPI_INTEGER, MPI_SUM, 0, win)
    call MPI_Win_flush(right, win)
    call expect(before(1) == 201 + rank, 'get_accumulate by large counts')
    call MPI_Get_notify(got, all_words, MPI_INTEGER, right, first, all_words, MPI_INTEGER, 0, win)
    call MPI_Win_flush(right, win)
    call expect(got(1) == 202 + rank .and. got(words) == 200 + rank, 'get by large counts')
    call count_is(0, two + one, 'large counts: the counter')
    call MPI_Rput_notify(sent, one, MPI_INTEGER, right, first, one, MPI_INTEGER, 0, win, request(1))
    call MPI_Wait(request(1), MPI_STATUS_IGNORE)
    call MPI_Win_flush(right, win)
    call MPI_Raccumulate_notify(add, one, MPI_INTEGER, right, first, one, MPI_INTEGER, MPI_SUM, 0, win, request(1))
    call MPI_Rget_accumulate_notify(add, one, MPI_INTEGER, before, one, MPI_INTEGER, right, first, one, MPI_INTEGER, MPI_SUM, 0, &
      win, request(2))
    call MPI_Waitall(2, request, MPI_STATUSES_IGNORE)
    call MPI_Win_flush(right, win)
    call MPI_Rget_notify(got, one, MPI_INTEGER, right, first, one, MPI_INTEGER, 0, win, request(1))
    call MPI_Wait(request(1), MPI_STATUS_IGNORE)
    call expect(before(1) == 201 + rank .and. got(1) == 202 + rank, 'requests by large counts')
    call count_is(0, two + two, 'requests by large counts: the counter')
  end subroutine large_counts

  subroutine waits()
    integer :: outcount, which(3)
    integer(c_int64_t), pointer :: counter
    type(c_ptr) :: address

    call MPI_Put_notify(sent, 0, MPI_INTEGER, right, first, 0, MPI_INTEGER, 2, win)
    call PROA_Win_waitsome_notify(win, 3, [0, 2, 3], [one, one, one], outcount, which)
    call expect(outcount == 1 .and. which(1) == 2, 'waitsome: the second has come')
    if (is_native) then
      call PROA_Win_get_notify_address(win, 2, address)
      call expect(c_associated(address), 'get_notify_address')
      call c_f_pointer(address, counter)
      call expect(counter == 1, 'a counter by its address')
    end if
    call count_is(2, one, 'waitsome: the counter')
  end subroutine waits

  ! Among requests of the host's.
  subroutine thresholds()
    type(MPI_Request) :: request(4)
    integer, asynchronous :: token, out
    logical :: flag

    token = -1
    out = rank
    call MPI_Win_notify_ithreshold(win, 0, one, request(1))
    call MPI_Win_notify_ithreshold(win, 0, two, request(2))
    call MPI_Irecv(token, 1, MPI_INTEGER, left, 5, MPI_COMM_WORLD, request(3))
    call MPI_Isend(out, 1, MPI_INTEGER, right, 5, MPI_COMM_WORLD, request(4))
    call MPI_Test(request(1), flag, MPI_STATUS_IGNORE)
    call expect(.not. flag, 'a threshold is complete too early')
    call MPI_Barrier(MPI_COMM_WORLD)
    call MPI_Put_notify(sent, 0, MPI_INTEGER, right, first, 0, MPI_INTEGER, 0, win)
    call MPI_Wait(request(1), MPI_STATUS_IGNORE)
    call MPI_Put_notify(sent, 0, MPI_INTEGER, right, first, 0, MPI_INTEGER, 0, win)
    call MPI_Waitall(4, request, MPI_STATUSES_IGNORE)
    call expect(token == left, 'a message among thresholds')
    call expect(request(2) == MPI_REQUEST_NULL, 'a threshold is gone')
    call count_is(0, two, 'thresholds: the counter')
  end subroutine thresholds

  ! Scalars, part of an array, MPI_BOTTOM, and what is refused: a strided section, whose elements are at no one address.
  subroutine buffers()
    integer, asynchronous, save :: scalar
    integer(MPI_ADDRESS_KIND) :: address
    type(MPI_Datatype) :: there
    integer :: ierr

    scalar = 300 + rank
    sent(5:6) = 400 + rank
    call MPI_Get_address(scalar, address)
    call MPI_Type_create_hindexed(1, [1], [address], MPI_INTEGER, there)
    call MPI_Type_commit(there)
    call MPI_Put_notify(MPI_BOTTOM, 1, there, right, 0_MPI_ADDRESS_KIND, 1, MPI_INTEGER, 0, win)
    call MPI_Put_notify(scalar, 1, MPI_INTEGER, right, 1_MPI_ADDRESS_KIND, 1, MPI_INTEGER, 0, win)
    call MPI_Put_notify(sent(5:6), 2, MPI_INTEGER, right, 2_MPI_ADDRESS_KIND, 2, MPI_INTEGER, 0, win)
    call MPI_Win_flush(right, win)
    call MPI_Type_free(there)
    call PROA_Win_wait_notify(win, 0, two + one)
    call expect(all(memory(1:2) == 300 + left) .and. all(memory(3:4) == 400 + left), 'scalars, and a part of an array')
    call MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN)
    call MPI_Put_notify(sent(1:9:2), 5, MPI_INTEGER, right, first, 5, MPI_INTEGER, 0, win, ierr)
    call expect(class_of(ierr) == MPI_ERR_BUFFER, 'a strided section')
    call MPI_Barrier(MPI_COMM_WORLD)
    call count_is(0, two + one, 'buffers: the counter')
  end subroutine buffers

  function class_of(code) result(class)
    integer, intent(in) :: code
    integer :: class

    call MPI_Error_class(code, class)
  end function class_of

  subroutine errors()
    integer(MPI_COUNT_KIND) :: value
    integer :: expected, ierr
    type(MPI_Request) :: request

    call MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN)
    expected = MPI_ERR_RMA_NOTIFICATION()
    if (.not. is_native) expected = class_of(expected) ! Open MPI 4 does not know a class that was added
    call MPI_Put_notify(sent, 1, MPI_INTEGER, right, first, 1, MPI_INTEGER, -1, win, ierr)
    call expect(class_of(ierr) == expected, 'a negative index')
    call MPI_Put_notify(sent, one, MPI_INTEGER, right, first, one, MPI_INTEGER, number + right, win, ierr)
    call expect(class_of(ierr) == expected, 'an index beyond the last')
    call MPI_Win_get_notify_value(win, number + rank, value, ierr)
    call expect(class_of(ierr) == expected, 'the value of a counter that is not there')
    call MPI_Win_notify_ithreshold(win, number + rank, one, request, ierr)
    call expect(class_of(ierr) == expected, 'a threshold of a counter that is not there')
    call MPI_Barrier(MPI_COMM_WORLD)
  end subroutine errors

  subroutine attributes()
    integer(MPI_ADDRESS_KIND) :: most, value
    logical :: flag

    call MPI_Win_get_attr(win, MPI_WIN_NOTIFICATION_NUM_SB(), most, flag)
    call expect(flag .and. most == huge(0), 'NUM_SB')
    call MPI_Win_get_attr(win, MPI_WIN_NOTIFICATION_NUM_UB(), most, flag)
    call expect(flag .and. most == huge(0), 'NUM_UB')
    call MPI_Win_get_attr(win, MPI_WIN_NOTIFICATION_VALUE_UB(), value, flag)
    call expect(flag .and. value == huge(value), 'VALUE_UB')
    call own_attributes()
  end subroutine attributes

  ! Keyvals next to those: none of them is taken for another one.
  subroutine own_attributes()
    integer(MPI_ADDRESS_KIND), parameter :: nothing = 0
    integer(MPI_ADDRESS_KIND) :: value
    integer :: keyval(4), i
    logical :: flag

    do i = 1, 4
      call MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, keyval(i), nothing)
      call MPI_Win_get_attr(win, keyval(i), value, flag)
      call expect(.not. flag, 'an attribute that was never set')
      call MPI_Win_set_attr(win, keyval(i), int(i, MPI_ADDRESS_KIND))
      call MPI_Win_get_attr(win, keyval(i), value, flag)
      call expect(flag .and. value == i, 'an own attribute')
    end do
    do i = 1, 4
      call MPI_Win_free_keyval(keyval(i))
    end do
  end subroutine own_attributes

end program notify
