/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The last rank ends before a window that the others create, and the host's collective waits for
 * it: one line on its machine names it. Options keep the launcher from ending the job.
 *
 *   unmet MARK
 *
 * MARK: a file; all ranks end once it is there. The rank whose Proa has written the line makes it.
 */
#include "check.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *mark;
static int lines[2], told = STDERR_FILENO; /* what is written on stderr; where it goes on to */

static void look_at(const char *text)
{
    char sentence[60];

    snprintf(sentence, sizeof sentence, "the process of rank %d is gone (", nranks - 1);
    if (!strstr(text, sentence))
        return;
    dprintf(told, "named: %s", text);
    usleep(2500000); /* a second line would come */
    close(open(mark, O_CREAT | O_WRONLY, 0600));
}

/* Each line is one write. */
static void *read_lines(void *none)
{
    char text[2000];
    ssize_t length;

    while ((length = read(lines[0], text, sizeof text - 1)) > 0) {
        text[length] = '\0';
        look_at(text);
    }
    return none;
}

static void *await_mark(void *none)
{
    while (access(mark, F_OK) != 0)
        usleep(20000);
    fflush(stdout);
    _exit(0);
    return none;
}

/* MPICH's launcher knows a death by the end of this descriptor. On a machine of its own it does not
 * look at it once it has seen the end of the rank's output, so a rank whose descriptors end with it
 * is missed now and then. */
static void end(void)
{
    const char *manager = getenv("PMI_FD");

    usleep(100000); /* what the host still moves for the others */
    if (manager)
        close((int)strtol(manager, NULL, 10));
    _exit(0);
}

int main(int argc, char **argv)
{
    pthread_t reader, other;
    long *memory;
    MPI_Win win;

    start(&argc, &argv);
    mark = argv[1];
    if (rank == 0)
        unlink(mark);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == nranks - 1)
        end();
    told = dup(STDERR_FILENO);
    if (pipe(lines) != 0 || dup2(lines[1], STDERR_FILENO) < 0 ||
        pthread_create(&reader, NULL, read_lines, NULL) ||
        pthread_create(&other, NULL, await_mark, NULL))
        return 3;
    MPI_Win_allocate(sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    return 1;
}
