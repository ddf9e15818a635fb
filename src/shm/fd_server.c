/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * See fd_server.h. It is a thread because a neighbour may need a new segment in the middle of an
 * operation, not only at creation. The thread stores only to its own stack and calls no function
 * that allocates memory, so that adoption can ignore it.
 *
 * A connection carries one question and one answer. The question is a file, by device and inode.
 * The answer is a byte, with the file if it is one of ours (unix(7), SCM_RIGHTS).
 */
#include "shm/fd_server.h"
#include "base/atomic.h"
#include "base/fail.h"
#include "shm/peer.h"
#include "shm/threads.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum {
    QUESTION_S = 1, /* timeout for the question of a connected neighbour */
    ANSWER_S = 10,  /* timeout for an answer: the process may be stopped or without a processor */
    WAITING_MOST = 128
};

struct question {
    uint64_t device, inode;
};

/* Room for one file in a message. */
union rights {
    struct cmsghdr head;
    char room[CMSG_SPACE(sizeof(int))];
};

static pthread_mutex_t fd_server_mutex = PTHREAD_MUTEX_INITIALIZER;
static int door = -1; /* the socket; changed under the mutex, atomically */
static struct stat fd_server_file;
static pthread_t thread;

/* ---- both sides ---- */

static socklen_t name_of(uint64_t id, struct sockaddr_un *name)
{
    memset(name, 0, sizeof *name);
    name->sun_family = AF_UNIX;
    snprintf(name->sun_path + 1, sizeof name->sun_path - 1, "proa-door-%016llx",
             (unsigned long long)id);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name->sun_path + 1));
}

static void limit(int fd, int seconds)
{
    const struct timeval most = {.tv_sec = seconds};

    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &most, sizeof most);
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &most, sizeof most);
}

/* Returns whether the other end is a process of our user, according to the kernel. pid: the process
 * it must be, or 0 for any. */
static int is_trusted(int fd, int pid)
{
    struct ucred other;
    socklen_t length = sizeof other;

    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &other, &length) == 0 &&
           other.uid == geteuid() && (pid <= 0 || other.pid == pid);
}

/* ---- this process's fd server ---- */

static int is_ours(int fd)
{
    struct stat file;

    return proa_file_is(fd, fd_server_file.st_dev, fd_server_file.st_ino, &file);
}

/* Returns the file, or -1 if it is not one of ours or the program has closed it. */
static int file_for(const struct question *question)
{
    const struct proa_proc_ctl *ctl = proa_self->ctl;
    struct stat file;

    for (int i = -1; i < PROA_SEGMENTS; i++) {
        struct proa_segment_name name =
            proa_segment_name(ctl, i < 0 ? &ctl->adopted : &ctl->segments[i]);

        if (name.bytes && name.device == question->device && name.inode == question->inode)
            return proa_file_is(name.fd, name.device, name.inode, &file) ? name.fd : -1;
    }
    return -1;
}

static void answer(int to, int fd)
{
    char none = 0;
    struct iovec byte = {&none, 1};
    union rights rights = {.room = {0}};
    struct msghdr message = {.msg_iov = &byte,
                             .msg_iovlen = 1,
                             .msg_control = rights.room,
                             .msg_controllen = fd >= 0 ? sizeof rights.room : 0};

    rights.head = (struct cmsghdr){
        .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof fd)};
    memcpy(CMSG_DATA(&rights.head), &fd, sizeof fd);
    sendmsg(to, &message, MSG_NOSIGNAL);
}

/* Core is not stopped as long as the fd server is open. */
static void receive(int guest, int fd)
{
    struct question question;

    limit(guest, QUESTION_S);
    if (is_trusted(guest, 0) &&
        recv(guest, &question, sizeof question, 0) == (ssize_t)sizeof question) {
        pthread_mutex_lock(&fd_server_mutex);
        if (door == fd)
            answer(guest, file_for(&question));
        pthread_mutex_unlock(&fd_server_mutex);
    }
    close(guest);
}

/* Serves until the socket is shut down or the program has closed it. */
static void *stand(void *arg)
{
    int fd = (int)(intptr_t)arg;

    proa_threads_begin();
    while (is_ours(fd)) {
        int guest = accept4(fd, NULL, NULL, SOCK_CLOEXEC);

        if (guest >= 0)
            receive(guest, fd);
        else if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS)
            nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL); /* until there is room
                                                                       * again */
        else if (errno != EINTR && errno != ECONNABORTED)
            break;
    }
    proa_threads_end();
    return NULL;
}

/* A child after fork has no fd server thread. With its socket open, neighbours would wait for it
 * once the parent has ended. */
static void after_fork_in_child(void)
{
    if (door >= 0 && is_ours(door))
        close(door);
    door = -1;
    pthread_mutex_init(&fd_server_mutex, NULL);
}

/* Returns 0, or -1 and errno. The thread blocks all signals, which the program's own threads
 * handle. */
static int thread_start(int fd)
{
    sigset_t all, before;

    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    errno = pthread_create(&thread, NULL, stand, (void *)(intptr_t)fd);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return errno ? -1 : 0;
}

static int open_locked(void)
{
    struct sockaddr_un name;
    socklen_t length = name_of(proa_self->id, &name);
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

    if (fd >= 0)
        fd = proa_file_move_up(fd);
    if (fd < 0 || bind(fd, (const struct sockaddr *)&name, length) != 0 ||
        listen(fd, WAITING_MOST) != 0 || fstat(fd, &fd_server_file) != 0 || thread_start(fd) != 0) {
        if (fd >= 0)
            proa_file_close(fd);
        return errno;
    }
    proa_atomic_store(&door, fd, PROA_RELAXED);
    return 0;
}

int proa_fd_server_open(void)
{
    static int has_handler; /* under the mutex */
    int error = 0;

    pthread_mutex_lock(&fd_server_mutex);
    if (!has_handler)
        has_handler = pthread_atfork(NULL, NULL, after_fork_in_child) == 0;
    if (door < 0)
        error = open_locked();
    else if (!is_ours(door)) /* the program has closed it */
        error = EBADF;
    pthread_mutex_unlock(&fd_server_mutex);
    return error
               ? proa_fail(PROA_ERR_OTHER,
                           "cannot open a socket that passes files of process %d to neighbours: %s",
                           (int)getpid(), strerror(error))
               : PROA_OK;
}

void proa_fd_server_close(void)
{
    int fd;

    pthread_mutex_lock(&fd_server_mutex);
    fd = door;
    proa_atomic_store(&door, -1, PROA_RELAXED);
    pthread_mutex_unlock(&fd_server_mutex);
    if (fd < 0)
        return;
    if (is_ours(fd)) {
        shutdown(fd, SHUT_RDWR);
        pthread_join(thread, NULL);
        close(fd);
    } else { /* closed by the program: the thread may sleep there forever */
        pthread_detach(thread);
    }
}

int proa_fd_server_threads(void)
{
    return proa_atomic_load(&door, PROA_RELAXED) >= 0;
}

/* ---- another process's fd server ---- */

/* Returns the file received with the message, or -1 and errno. */
static int file_of(struct msghdr *message)
{
    struct cmsghdr *rights = CMSG_FIRSTHDR(message);
    int fd;

    errno = ESTALE;
    if (!rights || rights->cmsg_level != SOL_SOCKET || rights->cmsg_type != SCM_RIGHTS ||
        rights->cmsg_len != CMSG_LEN(sizeof fd))
        return -1;
    memcpy(&fd, CMSG_DATA(rights), sizeof fd);
    return fd;
}

static int ask(int at, const struct proa_segment_name *name)
{
    const struct question question = {name->device, name->inode};
    char none;
    struct iovec byte = {&none, 1};
    union rights rights;
    struct msghdr message = {.msg_iov = &byte,
                             .msg_iovlen = 1,
                             .msg_control = rights.room,
                             .msg_controllen = sizeof rights.room};
    struct sockaddr_un address;
    socklen_t length = name_of(name->id, &address);
    ssize_t got;

    limit(at, ANSWER_S);
    if (connect(at, (const struct sockaddr *)&address, length) != 0)
        return -1;
    errno = EPERM;
    if (!is_trusted(at, name->pid) ||
        send(at, &question, sizeof question, MSG_NOSIGNAL) != (ssize_t)sizeof question)
        return -1;
    do
        got = recvmsg(at, &message, MSG_CMSG_CLOEXEC);
    while (got < 0 && errno == EINTR);
    if (got == 0)
        errno = ECONNREFUSED;
    return got > 0 ? file_of(&message) : -1;
}

int proa_fd_server_ask(const struct proa_segment_name *name)
{
    int at = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0), fd;

    if (at < 0)
        return -1;
    fd = ask(at, name);
    proa_file_close(at);
    return fd;
}
