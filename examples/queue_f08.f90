! SPDX-License-Identifier: BSD-3-Clause
! A queue of work without a server: queue.c in Fortran 2008. Ranks take rows of a picture of the Mandelbrot set by fetch-and-op on a number in
! rank 0's window, compute them, and put them into the picture behind it. One rank is slow on purpose; the others are to take the more.
!
!   mpifort queue_f08.f90 -o queue_f08 && proa run -n 4 ./queue_f08
module queue_parts
  use, intrinsic :: iso_fortran_env, only: int32, int64, real64, error_unit
  use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
  use mpi_f08
  implicit none

  integer, parameter :: owner = 0       ! the rank that has the queue and the picture
  integer, parameter :: queue_words = 2 ! that the queue takes, of the four bytes that are the window's unit
  integer :: cols = 256, rows = 192, depth = 500, factor = 8
  character(16) :: slow = "last"

  integer :: rank, ranks
  type(MPI_Win) :: win
  type(c_ptr) :: base
  ! Here, and not in a procedure: MPI writes and reads them after the call that names them has returned.
  integer(int64), asynchronous :: first, one = 1
  integer(int32), allocatable, asynchronous :: line(:)

contains

  subroutine usage
    print '(a)', "Usage: queue_f08 [--size NXxNY] [--depth N] [--slow last|owner|none] [--factor N]", &
      "Ranks take the rows of a picture from a queue, and one rank is slow.", "", &
      "  --size NXxNY  pixels of the picture, columns x rows (256x192)", &
      "  --depth N     iterations after which a point belongs to the set (500)", &
      "  --slow WHICH  which rank is slow: the last one, the one that has the queue, or none (last)", &
      "  --factor N    how many times the slow rank computes each row (8)", "", &
      "The picture is compared, number by number, with one that rank 0 computes alone."
  end subroutine

  subroutine refuse(what)
    character(*), intent(in) :: what
    write (error_unit, '(2a)') "queue_f08: ", what
    stop 64, quiet=.true.
  end subroutine

  ! Before MPI_Init: --help needs no MPI. False: there is nothing more to do.
  logical function parse_arguments()
    character(64) :: word, value
    integer :: i, x, status
    parse_arguments = .true.
    i = 1
    do while (i <= command_argument_count())
      call get_command_argument(i, word)
      call get_command_argument(i + 1, value)
      i = i + 2
      status = 0
      select case (word)
      case ("--help")
        call usage
        parse_arguments = .false.
        return
      case ("--size")
        x = index(value, "x")
        if (x < 2) call refuse("the size must be like 200x100")
        read (value(:x - 1), *, iostat=status) cols
        if (status == 0) read (value(x + 1:), *, iostat=status) rows
      case ("--depth")
        read (value, *, iostat=status) depth
      case ("--factor")
        read (value, *, iostat=status) factor
      case ("--slow")
        slow = value(:len(slow))
        if (slow /= "last" .and. slow /= "owner" .and. slow /= "none") status = 1
      case default
        call refuse("unknown option "//trim(word)//"; --help lists them")
      end select
      if (status /= 0) call refuse(trim(word)//" cannot be '"//trim(value)//"'")
    end do
    if (min(cols, rows, depth, factor) < 1) call refuse("sizes, depth and factor must be positive")
  end function

  ! How many iterations each point of a row takes to leave the circle of radius 2.
  subroutine compute_row(row, found)
    integer, intent(in) :: row
    integer(int32), intent(out) :: found(:)
    real(real64) :: re, im, x, y, next
    integer :: col, i
    im = 2.4_real64*(row + 0.5_real64)/rows - 1.2_real64
    do col = 1, cols
      re = 3.2_real64*(col - 0.5_real64)/cols - 2.3_real64
      x = 0
      y = 0
      do i = 0, depth - 1
        if (x*x + y*y > 4) exit
        next = x*x - y*y + re
        y = 2*x*y + im
        x = next
      end do
      found(col) = i
    end do
  end subroutine

  subroutine set_up
    integer(MPI_ADDRESS_KIND) :: bytes
    integer(int32), pointer :: words(:)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    allocate (line(cols))
    bytes = 0
    if (rank == owner) bytes = 4*(queue_words + int(cols, MPI_ADDRESS_KIND)*rows)
    call MPI_Win_allocate(bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, base, win)
    if (rank == owner) then
      call c_f_pointer(base, words, [bytes/4])
      call MPI_Win_lock(MPI_LOCK_EXCLUSIVE, owner, 0, win)
      words = 0
      call MPI_Win_unlock(owner, win)
    end if
    call MPI_Barrier(MPI_COMM_WORLD) ! the queue is there before the first one takes from it
  end subroutine

  ! Returns how many rows this rank has computed.
  integer function work()
    integer :: times, time, slow_rank
    real(real64) :: shown, now
    shown = MPI_Wtime()
    slow_rank = -1
    if (slow == "last") slow_rank = ranks - 1
    if (slow == "owner") slow_rank = owner
    times = merge(factor, 1, rank == slow_rank)
    work = 0
    do
      call MPI_Fetch_and_op(one, first, MPI_INTEGER8, owner, 0_MPI_ADDRESS_KIND, MPI_SUM, win)
      call MPI_Win_flush(owner, win)
      if (first >= rows) exit
      do time = 1, times
        call compute_row(int(first), line)
      end do
      call MPI_Put(line, cols, MPI_INTEGER4, owner, int(queue_words + first*cols, MPI_ADDRESS_KIND), cols, MPI_INTEGER4, win)
      call MPI_Win_flush_local(owner, win) ! the line has left its buffer
      work = work + 1
      now = MPI_Wtime()
      if (rank == owner .and. now - shown > 2) then ! a launcher gives its ranks no terminal to draw on
        shown = now
        write (error_unit, '(a, i0, a, i0, a)') "queue_f08: ", first, " of ", rows, " rows so far"
      end if
    end do
  end function

  ! Whether the picture is right, on every rank.
  logical function judge(taken, seconds)
    integer, intent(in) :: taken
    real(real64), intent(in) :: seconds
    integer :: each(ranks), row, differ
    character(16) :: time
    integer(int32), pointer :: words(:)
    call MPI_Gather(taken, 1, MPI_INTEGER, each, 1, MPI_INTEGER, owner, MPI_COMM_WORLD)
    judge = .true.
    if (rank == owner) then
      call c_f_pointer(base, words, [queue_words + cols*rows])
      differ = 0
      call MPI_Win_lock(MPI_LOCK_SHARED, owner, 0, win)
      do row = 0, rows - 1
        call compute_row(row, line)
        if (any(words(queue_words + row*cols + 1:queue_words + (row + 1)*cols) /= line)) differ = differ + 1
      end do
      call MPI_Win_unlock(owner, win)
      judge = differ == 0 .and. sum(each) == rows
      write (time, '(f16.6)') seconds
      print '(5a, i0, a, i0, a, i0, 3a, *(1x, i0))', "queue_f08: result ", merge("equal", "WRONG", judge), ", time ", &
        trim(adjustl(time)), " s; ", cols, "x", rows, " pixels by ", ranks, " ranks, slow: ", trim(slow), "; rows of each:", each
    end if
    call MPI_Bcast(judge, 1, MPI_LOGICAL, owner, MPI_COMM_WORLD)
  end function
end module

program queue_f08
  use queue_parts
  implicit none
  real(real64) :: seconds, slowest
  integer :: taken
  logical :: good

  if (.not. parse_arguments()) stop
  call MPI_Init()
  call set_up
  call MPI_Barrier(MPI_COMM_WORLD)
  seconds = -MPI_Wtime()
  call MPI_Win_lock_all(0, win)
  taken = work()
  call MPI_Win_unlock_all(win)
  call MPI_Barrier(MPI_COMM_WORLD)
  seconds = seconds + MPI_Wtime()
  call MPI_Allreduce(seconds, slowest, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD)
  good = judge(taken, slowest)
  call MPI_Win_free(win)
  call MPI_Finalize()
  if (.not. good) stop 1, quiet=.true.
end program
