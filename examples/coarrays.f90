! SPDX-License-Identifier: BSD-3-Clause
! Fortran coarrays on MPI's one-sided communication, by way of OpenCoarrays: the images put and get sections of each other's arrays, in any
! stride, count with atomics, take locks, post events; each result is checked. Not built with the rest, as it needs OpenCoarrays (Debian:
! libcoarrays-mpich-dev or libcoarrays-openmpi-dev):
!
!   caf.mpich examples/coarrays.f90 -o coarrays && proa run -n 4 ./coarrays
program coarrays
  use, intrinsic :: iso_fortran_env
  implicit none

  type ragged
    real, allocatable :: values(:)
    integer :: length
  end type

  integer, parameter :: rounds = 200
  integer :: line(100)[*], under_lock[*], in_critical[*]
  real(real64), allocatable :: field(:, :)[:]
  integer(atomic_int_kind) :: counter[*], before
  type(lock_type) :: lock_of[*]
  type(event_type) :: arrived[*]
  type(ragged) :: part[*]
  integer :: me, right, left, i, wrong

  me = this_image()
  right = mod(me, num_images()) + 1
  left = mod(me + num_images() - 2, num_images()) + 1
  wrong = 0

  line = me
  sync all
  line(1:50)[right] = [(1000*me + i, i=1, 50)]
  sync all
  call check(all(line(1:50) == [(1000*left + i, i=1, 50)]) .and. all(line(51:) == me), "a section")
  sync all
  line(100:1:-2)[right] = [(i, i=1, 50)]
  sync all
  call check(all(line(100:1:-2) == [(i, i=1, 50)]), "a section backwards")

  allocate (field(20, 30)[*], source=real(me, real64))
  sync all
  field(2:20:3, 30:1:-4)[right] = 10*me
  sync all
  call check(all(field(2:20:3, 30:1:-4) == 10*left) .and. all(field(1:20:3, :) == me), "a section of two dimensions")

  call atomic_define(counter, 0)
  sync all
  do i = 1, rounds
    call atomic_add(counter[1], 1)
    call atomic_fetch_add(counter[1], 1, before)
  end do
  under_lock = 0
  in_critical = 0
  sync all
  if (me == 1) call check(counter == 2*rounds*num_images(), "atomics")
  do i = 1, rounds
    lock (lock_of[1])
    under_lock[1] = under_lock[1] + 1
    unlock (lock_of[1])
    critical
      in_critical[1] = in_critical[1] + 1
    end critical
  end do
  sync all
  if (me == 1) call check(under_lock == rounds*num_images() .and. in_critical == rounds*num_images(), "locks")

  event post(arrived[right])
  event wait(arrived)
  allocate (part%values(10*me))
  part%length = size(part%values)
  sync all
  call check(part[right]%length == 10*right, "a component")

  call co_sum(wrong)
  if (me == 1 .and. wrong == 0) print '(a, i0, a)', "ok: ", num_images(), " images"
  if (wrong > 0) error stop

contains

  subroutine check(holds, what)
    logical, intent(in) :: holds
    character(*), intent(in) :: what
    if (holds) return
    wrong = wrong + 1
    print '(a, i0, 2a)', "image ", me, ": wrong: ", what
  end subroutine
end program
