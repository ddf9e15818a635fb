/* SPDX-License-Identifier: BSD-3-Clause */
/* Files over sockets where /proc/PID/fd is closed (shm/fd_server.h): windows on them go by load and
 * store, private memory by the agent of its process; strangers get nothing. */
#include "move.h"
#include "net_fake.h"

#include "adopt/policy.h"
#include "base/fail.h"
#include "progress/progress.h"
#include "remote/work.h"
#include "shm/arena.h"
#include "shm/fd_server.h"
#include "shm/peer.h"

#include <errno.h>
#include <linux/capability.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { WORDS = 4096 };

/* As a program with privileges: no process looks into it, nor it into others like it. */
static void shut(struct world *world)
{
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3];

    (void)world;
    CHECK(syscall(SYS_capget, &head, sets) == 0);
    sets[0].effective &= ~(1u << CAP_SYS_PTRACE);
    CHECK(syscall(SYS_capset, &head, sets) == 0);
    CHECK(prctl(PR_SET_DUMPABLE, 0) == 0);
}

static void check_shut(const struct proa_win *win)
{
    char path[64];
    struct stat file;
    const struct proa_peer *peer = win->targets[(win->rank + 1) % win->size].peer;

    if (!peer || peer == proa_self)
        return;
    snprintf(path, sizeof path, "/proc/%d/fd/%d", peer->pid, peer->ctl->segments[0].fd);
    CHECK(stat(path, &file) != 0);
}

/* Each adds to a word of everybody's, and puts into one of its own. */
static void work_on(struct world *world, struct proa_win *win)
{
    int64_t got, one = 1;

    CHECK_OK(proa_win_lock_all(win, 0));
    for (int i = 0; i < win->size; i++) {
        CHECK_OK(put_word(win, i, win->rank + 1, 100 + win->rank));
        CHECK_OK(accumulate_many(win, i, 0, &one, 1, PROA_I64, PROA_OP_SUM));
        CHECK_OK(flushed(proa_win_flush(win, i)));
        CHECK_OK(get_word(win, i, win->rank + 1, &got));
        CHECK_OK(flushed(proa_win_flush(win, i)));
        CHECK_EQUAL(got, 100 + win->rank);
    }
    CHECK_OK(proa_win_unlock_all(win));
    world_barrier(world);
    CHECK_OK(proa_win_lock(win, win->rank, 0, 0));
    CHECK_EQUAL(*(const int64_t *)win->base, win->size);
    for (int i = 0; i < win->size; i++)
        CHECK_EQUAL(((const int64_t *)win->base)[i + 1], 100 + i);
    CHECK_OK(proa_win_unlock(win, win->rank));
    world_barrier(world);
}

static void check_near(const struct proa_win *win, int rank)
{
    CHECK(!proa_is_remote(&win->targets[rank]));
    CHECK(win->targets[rank].fast);
}

/* ---- files come by sockets ---- */

static void files_body(struct world *world)
{
    static const uint64_t sizes[] = {WORDS, (100 << 20) / 8}; /* the second in a new segment */

    for (int i = 0; i < 2; i++) {
        struct proa_win *win = window_of_words(world, sizes[i]);

        check_shut(win);
        CHECK_EQUAL(proa_fd_server_threads(), 1);
        for (int rank = 0; rank < win->size; rank++)
            check_near(win, rank);
        work_on(world, win);
        window_free(win);
    }
}

static void files(void **state)
{
    (void)state;
    for (int size = 2; size <= 5; size += 3)
        world_run(&(struct world_plan){.size = size, .body = files_body, .before = shut});
}

static void none_open_body(struct world *world)
{
    window_free(window_of_words(world, WORDS));
    CHECK_EQUAL(proa_fd_server_threads(), 0);
}
WORLD_TEST(none_open, 3)

/* A neighbour's adopted memory is mapped once, however many windows are on it. */
static void check_mapped_once(const struct proa_win *win, int rank)
{
    struct proa_peer *peer = win->targets[rank].peer;

    if (rank != win->rank)
        CHECK(proa_pages_map(peer, 0) == proa_pages_map(peer, 0));
}

/* Adopted memory comes that way too, and the thread at the door is no hindrance. */
static void adopted_body(struct world *world)
{
    void *memory =
        mmap(NULL, WORDS * 8, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    CHECK(memory != MAP_FAILED);
    for (int i = 0; i < 2; i++) {
        struct proa_win *win = window_create(
            world, &(struct proa_create_args){
                       .base = memory, .bytes = WORDS * 8, .disp_unit = 8, .adopt = 1});

        memset(memory, 0, WORDS * 8);
        world_barrier(world);
        for (int rank = 0; rank < win->size; rank++) {
            check_near(win, rank);
            check_mapped_once(win, rank);
        }
        work_on(world, win);
        window_free(win);
    }
}

static void adopted(void **state)
{
    (void)state;
    world_run(&(struct world_plan){.size = 3, .body = adopted_body, .kernel = 1, .before = shut});
}

/* ---- private memory is served by its process, the rest stays as it is ---- */

enum { SERVES = 1 };

/* Holds memory as a window that is freed at once. Was it moved? */
static int moves(const void *memory, uint64_t bytes)
{
    struct proa_hold hold;
    int moved;

    CHECK_OK(proa_adopt_policy_hold(&hold, memory, bytes, PROA_ADOPT_AUTO));
    moved = proa_adopt_bytes(&hold) > 0;
    proa_adopt_policy_freed(&hold, 0);
    proa_adopt_drop(&hold);
    return moved;
}

/* Memory that stays, as windows on it wasted their moves. */
static void *memory_that_stays(uint64_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int left = 1000;

    CHECK(memory != MAP_FAILED);
    while (left-- && moves(memory, bytes))
        ;
    CHECK(!moves(memory, bytes));
    return memory;
}

/* The process that serves is refused nothing itself, and hears of it from the others. */
static void private_apart_body(struct world *world)
{
    int64_t local[WORDS] = {0};
    void *shared = proa_arena_alloc(sizeof local, 4096);
    void *stays = world->rank == SERVES ? memory_that_stays(sizeof local) : NULL;
    struct proa_create_args args = {
        .base = world->rank == SERVES ? local : shared, .bytes = sizeof local, .disp_unit = 8};

    net_fake_join(world);
    world_barrier(world);
    proa_remote_start(&proa_net_fake);
    for (int i = 0; i < 2; i++) {
        struct proa_win *win = window_create(world, &args);

        memset(args.base, 0, sizeof local);
        for (int rank = 0; rank < win->size; rank++)
            if (rank != win->rank && (rank == SERVES || win->rank == SERVES))
                CHECK(proa_is_remote(&win->targets[rank]));
            else if (rank != win->rank)
                check_near(win, rank);
        world_barrier(world);
        work_on(world, win);
        window_free(win);
    }
    CHECK(!stays || moves(stays, sizeof local));
    world_barrier(world);
    proa_progress_stop();
}

static void private_apart(void **state)
{
    (void)state;
    for (int size = 2; size <= 4; size++)
        world_run(&(struct world_plan){
            .size = size, .body = private_apart_body, .kernel = 1, .before = shut});
}

/* ---- processes and the memory that each gets ---- */

static struct proa_segment_name first_of(const struct proa_win *win, int rank)
{
    const struct proa_peer *peer = win->targets[rank].peer;

    return proa_segment_name(peer->ctl, &peer->ctl->segments[0]);
}

static void check_refused(const struct proa_segment_name *name, int error)
{
    CHECK_EQUAL(proa_fd_server_ask(name), -1);
    CHECK_EQUAL(errno, error);
}

static void refused_body(struct world *world)
{
    struct proa_win *win = window_of_words(world, WORDS);
    struct proa_segment_name name = first_of(win, (win->rank + 1) % win->size), other = name;
    int fd = proa_fd_server_ask(&name);
    struct stat file;

    CHECK(fd >= 0 && fstat(fd, &file) == 0 && file.st_ino == name.inode);
    close(fd);
    other.inode++; /* a file that is not Proa's */
    check_refused(&other, ESTALE);
    other = name;
    other.pid++; /* another process than the one that said hello */
    check_refused(&other, EPERM);
    other = name;
    other.id++;
    check_refused(&other, ECONNREFUSED);
    world_barrier(world);
    close(proa_self->ctl->segments[0].fd); /* as the program might */
    world_barrier(world);
    check_refused(&name, ESTALE);
    world_barrier(world);
    window_free(win);
}

static void refused(void **state)
{
    (void)state;
    world_run(&(struct world_plan){.size = 2, .body = refused_body, .before = shut});
}

/* The question of shm/fd_server.c. It is asked without proa_fd_server_ask, which refuses a server
 * of another user by itself. Bytes of control data that come back: 0, no file; -1: there is no
 * server.
 */
static long ask_by_hand(const struct proa_segment_name *name)
{
    const uint64_t question[] = {name->device, name->inode};
    struct sockaddr_un server = {.sun_family = AF_UNIX};
    char room[64], answer;
    struct iovec byte = {&answer, 1};
    struct msghdr message = {
        .msg_iov = &byte, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
    int at = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0),
        length = snprintf(server.sun_path + 1, sizeof server.sun_path - 1, "proa-door-%016llx",
                          (unsigned long long)name->id);

    if (connect(at, (const struct sockaddr *)&server,
                (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length)) != 0)
        return -1;
    (void)send(at, question, sizeof question, MSG_NOSIGNAL); /* it may have been closed already */
    return recvmsg(at, &message, 0) > 0 ? (long)message.msg_controllen : 0;
}

enum { NOBODY = 65534 };

static void other_user_body(struct world *world)
{
    struct proa_win *win = window_of_words(world, WORDS);
    struct proa_segment_name name = first_of(win, (win->rank + 1) % win->size);
    pid_t child;
    int status;

    CHECK(ask_by_hand(&name) > 0);
    child = fork();
    if (child == 0)
        _exit(setresuid(NOBODY, NOBODY, NOBODY) == 0 && ask_by_hand(&name) == 0 ? 0 : 1);
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    work_on(world, win);
    window_free(win);
}

/* Needs root, and a user beside it. */
static int can_be_another(void)
{
    int status = -1;
    pid_t child = fork();

    if (child == 0)
        _exit(setresuid(NOBODY, NOBODY, NOBODY) == 0 ? 0 : 1);
    return waitpid(child, &status, 0) == child && status == 0;
}

static void other_user(void **state)
{
    (void)state;
    if (geteuid() != 0 || !can_be_another())
        skip();
    world_run(&(struct world_plan){.size = 2, .body = other_user_body, .before = shut});
}

/* ---- the program closes the socket, or forks ---- */

/* The number of the socket: the highest open one that is a socket. */
static int door_number(void)
{
    struct stat file;
    int found = -1;

    for (int fd = 3; fd < 4096; fd++)
        if (fstat(fd, &file) == 0 && S_ISSOCK(file.st_mode))
            found = fd;
    CHECK(found > 0);
    return found;
}

static void closed_body(struct world *world)
{
    struct proa_win *win = window_of_words(world, WORDS);
    struct proa_segment_name name = first_of(win, (win->rank + 1) % win->size);
    int fd;

    CHECK_OK(proa_fd_server_open()); /* it is */
    close(door_number());
    world_barrier(world);
    fd = proa_fd_server_ask(&name); /* the thread was at it, and may be still */
    if (fd >= 0)
        close(fd);
    check_refused(&name, ECONNREFUSED);
    CHECK_FAILS(proa_fd_server_open(), PROA_ERR_OTHER);
    work_on(world, win);
    window_free(win);
}

static void closed(void **state)
{
    (void)state;
    world_run(&(struct world_plan){.size = 2, .body = closed_body, .before = shut});
}

/* A child stands at no door, and does not keep its parent's. */
static void forked_body(struct world *world)
{
    struct proa_win *win = window_of_words(world, WORDS);
    int door = door_number(), status;
    pid_t child = fork();

    if (child == 0) {
        struct stat file;
        _exit(proa_fd_server_threads() == 0 && fstat(door, &file) != 0 ? 0 : 1);
    }
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    CHECK_EQUAL(proa_fd_server_threads(), 1);
    work_on(world, win);
    window_free(win);
}

static void forked(void **state)
{
    (void)state;
    world_run(&(struct world_plan){.size = 2, .body = forked_body, .before = shut});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files),         cmocka_unit_test(none_open),  cmocka_unit_test(adopted),
        cmocka_unit_test(private_apart), cmocka_unit_test(refused),    cmocka_unit_test(closed),
        cmocka_unit_test(forked),        cmocka_unit_test(other_user),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
