/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs another program and reads its output (capture.h). */
#include "capture.h"

#include "keep.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static char **environment_without_preload(void)
{
    struct proa_words words = {0};

    for (char **entry = environ; *entry; entry++) {
        if (strncmp(*entry, "LD_PRELOAD=", strlen("LD_PRELOAD=")) != 0)
            proa_words_add(&words, *entry);
    }
    return words.list;
}

static pid_t start(char *const argv[], int out)
{
    posix_spawn_file_actions_t actions;
    pid_t pid = -1;

    if (posix_spawn_file_actions_init(&actions) != 0)
        return -1;
    if (posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0) != 0 ||
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0) != 0 ||
        posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO) != 0 ||
        posix_spawn(&pid, argv[0], &actions, NULL, argv, environment_without_preload()) != 0)
        pid = -1;
    posix_spawn_file_actions_destroy(&actions);
    return pid;
}

static char *read_all(int in)
{
    size_t room = 16384, length = 0;
    char *text = proa_keep(room);

    for (;;) {
        ssize_t got = read(in, text + length, room - 1 - length);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return text; /* proa_keep returned zeroed memory */
        length += (size_t)got;
        if (length + 1 == room) {
            char *larger = proa_keep(2 * room);
            memcpy(larger, text, length);
            text = larger;
            room *= 2;
        }
    }
}

char *proa_capture(char *const argv[])
{
    int ends[2];

    if (pipe2(ends, O_CLOEXEC) != 0)
        return NULL;
    pid_t pid = start(argv, ends[1]);
    close(ends[1]);
    char *text = pid > 0 ? read_all(ends[0]) : NULL;
    close(ends[0]);
    while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
    return text;
}
