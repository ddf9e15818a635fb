/* SPDX-License-Identifier: BSD-3-Clause */
/* See child.h. */
#include "child.h"

#include "keep.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct text {
    char *bytes;
    size_t length, room;
};

/* Returns false at the end, or on an error. */
static bool read_more(int in, struct text *text)
{
    if (text->room - text->length < 4096) {
        char *larger = proa_keep(2 * text->room + 8192);
        if (text->length)
            memcpy(larger, text->bytes, text->length);
        text->bytes = larger;
        text->room = 2 * text->room + 8192;
    }
    ssize_t got = read(in, text->bytes + text->length, text->room - text->length - 1);
    if (got > 0)
        text->length += (size_t)got;
    return got > 0 || (got < 0 && errno == EINTR);
}

static long now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Reads until the other end is closed. Returns false on a timeout. */
static bool read_until(int in, struct text *text, long end_ms)
{
    for (;;) {
        struct pollfd ready = {.fd = in, .events = POLLIN};
        long left_ms = end_ms - now_ms();

        if (left_ms <= 0)
            return false;
        if (poll(&ready, 1, (int)left_ms) <= 0)
            continue;
        if (!read_more(in, text))
            return true;
    }
}

static int wait_for(pid_t pid)
{
    int status = 0;

    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static void silence(int file, int flags)
{
    int nothing = open("/dev/null", flags | O_CLOEXEC);

    if (nothing >= 0)
        dup2(nothing, file);
}

char *proa_child_says(void (*work)(void *arg, FILE *out), void *arg)
{
    struct text text = {0};
    int ends[2];

    fflush(NULL);
    if (pipe2(ends, O_CLOEXEC) != 0)
        return NULL;
    pid_t pid = fork();
    if (pid == 0) {
        FILE *out = fdopen(ends[1], "w");
        silence(STDERR_FILENO, O_WRONLY);
        work(arg, out);
        fflush(out);
        _exit(0); /* skips the exit functions of the libraries */
    }
    close(ends[1]);
    while (pid > 0 && read_more(ends[0], &text))
        ;
    close(ends[0]);
    if (pid < 0 || wait_for(pid) != 0)
        return NULL;
    return text.bytes ? text.bytes : proa_keep(1);
}

/* Launchers give ranks process groups of their own. All ranks stay in one session, except those of
 * newer versions of Open MPI, which end when their launcher ends. */
static void end_group(pid_t pid)
{
    kill(-pid, SIGTERM);
    for (int tenth = 0; tenth < 20 && kill(-pid, 0) == 0; tenth++)
        nanosleep(&(struct timespec){0, 100000000}, NULL);
    kill(-pid, SIGKILL);
}

char *proa_child_run(char *const argv[], int seconds, int *status)
{
    struct text text = {0};
    int ends[2];

    *status = 127;
    fflush(NULL);
    if (pipe2(ends, O_CLOEXEC) != 0)
        return proa_keep(1);
    pid_t pid = fork();
    if (pid == 0) {
        setsid();
        silence(STDIN_FILENO, O_RDONLY);
        dup2(ends[1], STDOUT_FILENO);
        dup2(ends[1], STDERR_FILENO);
        execv(argv[0], argv);
        _exit(127);
    }
    close(ends[1]);
    if (pid > 0) {
        bool ended = read_until(ends[0], &text, now_ms() + 1000L * seconds);
        if (!ended)
            end_group(pid);
        int how = wait_for(pid);
        *status = ended ? how : 124;
    }
    close(ends[0]);
    return text.bytes ? text.bytes : proa_keep(1);
}
