/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A fork after which parent and child look whether each has its memory for itself: the child stores
 * 7 where 42 was, the parent 43, and each looks at its own. Output to stderr is kept meanwhile: a
 * child that cannot have memory of its own may end with a sentence there.
 */
#ifndef PROA_TEST_TWINS_H
#define PROA_TEST_TWINS_H

#include "memory.h"
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

enum { BEFORE = 42, OF_CHILD = 7, OF_PARENT = 43 };

enum { words_most = 8 };

/* Where they look. */
struct words {
    volatile int *at[words_most];
    const char *name[words_most];
    int count;
};

/* Files for the two to wait for each other by: made before they may be short. */
struct twins {
    int to_child[2], to_parent[2], said[2], stderr_before;
    char text[1000]; /* the output */
    int status;      /* of the child */
};

static inline void twins_open(struct twins *twins)
{
    CHECK(pipe(twins->to_child) == 0 && pipe(twins->to_parent) == 0 && pipe(twins->said) == 0,
          "no pipe");
    fcntl(twins->said[0], F_SETFL, O_NONBLOCK);
    twins->stderr_before = dup(2);
}

static inline void twins_close(const struct twins *twins)
{
    for (int i = 0; i < 2; i++) {
        close(twins->to_child[i]);
        close(twins->to_parent[i]);
        close(twins->said[i]);
    }
    close(twins->stderr_before);
}

static inline void words_set(const struct words *words, int value)
{
    for (int i = 0; i < words->count; i++)
        *words->at[i] = value;
}

/* The first that is not so; -1: all are. */
static inline int words_differ(const struct words *words, int value)
{
    for (int i = 0; i < words->count; i++)
        if (*words->at[i] != value)
            return i;
    return -1;
}

/* The child's status: what it found, which nothing but the status tells. */
enum { ALL_RIGHT, NOT_COPIED = 10, NOT_ITS_OWN = 30 };

static inline void twin_child(const struct twins *twins, const struct words *words)
{
    char go = 1;
    int wrong = words_differ(words, BEFORE);
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* a parent that fails may not get to say what it should */
    if (wrong >= 0)
        _exit(NOT_COPIED + wrong);
    words_set(words, OF_CHILD);
    if (write(twins->to_parent[1], &go, 1) != 1 || read(twins->to_child[0], &go, 1) != 1)
        _exit(99);
    wrong = words_differ(words, OF_CHILD);
    _exit(wrong < 0 ? ALL_RIGHT : NOT_ITS_OWN + wrong);
}

/* Returns in the parent, when the child has ended; the words hold OF_PARENT then. The first that
 * the child has changed, or -1; -2: no child. No function of MPI's is called, nor any that needs a
 * file. */
static inline int twins_fork(struct twins *twins, const struct words *words)
{
    char go = 1;
    int wrong = -1;
    words_set(words, BEFORE);
    dup2(twins->said[1], 2);
    pid_t child = fork();
    if (child == 0)
        twin_child(twins, words);
    if (child > 0) {
        struct timespec pause = {0, 1000000};
        fcntl(twins->to_parent[0], F_SETFL, O_NONBLOCK);
        while (read(twins->to_parent[0], &go, 1) != 1 &&
               waitpid(child, &twins->status, WNOHANG) == 0)
            nanosleep(&pause, NULL);
        wrong = words_differ(words, BEFORE);
        words_set(words, OF_PARENT);
        if (write(twins->to_child[1], &go, 1) == 1)
            waitpid(child, &twins->status, 0); /* ECHILD: it has ended before */
    }
    dup2(twins->stderr_before, 2);
    ssize_t got = read(twins->said[0], twins->text, sizeof twins->text - 1);
    twins->text[got > 0 ? got : 0] = '\0';
    return child < 0 ? -2 : wrong;
}

/* After twins_fork. */
static inline void twins_check(const struct twins *twins, const struct words *words, int changed,
                               const char *what)
{
    int status = twins->status, code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    if (changed == -2)
        return; /* a fork that fails is an answer too */
    CHECK(changed < 0, "%s: the child's store to %s is the parent's too", what,
          words->name[changed]);
    CHECK(WIFEXITED(status), "%s: the child was ended by signal %d", what, WTERMSIG(status));
    CHECK(code < NOT_COPIED || code >= NOT_COPIED + words_most,
          "%s: in the child %s does not hold what it held in the parent", what,
          words->name[(code - NOT_COPIED) % words_most]);
    CHECK(code < NOT_ITS_OWN || code >= NOT_ITS_OWN + words_most,
          "%s: the parent's store to %s is the child's too", what,
          words->name[(code - NOT_ITS_OWN) % words_most]);
    CHECK(code == ALL_RIGHT || twins->text[0], "%s: the child ended with status %d and no sentence",
          what, code);
}

static inline struct words words_of(const struct room *room)
{
    struct words words = {{(int *)(void *)room->base, (int *)(void *)room->inside,
                           (int *)(void *)(room->tail - sizeof(int)), (int *)(void *)room->head,
                           (int *)(void *)room->tail},
                          {"the window's first word", "a word inside the window",
                           "the window's last word", "a word in the page where the window begins",
                           "a word in the page where the window ends"},
                          5};
    return words;
}

#endif
