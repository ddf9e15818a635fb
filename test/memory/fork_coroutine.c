/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A coroutine, whose stack the program has from malloc, forks while a window lies directly behind
 * that stack, or directly before it. Child and parent go on, each on a stack of its own.
 */
#include "twins.h"
#include <signal.h>
#include <ucontext.h>

enum { patience_s = 10 };

static ucontext_t program, coroutine;
static struct twins twins;
static struct words words;
static int changed;

/* Parent and child on one stack hang or crash, each where it may. */
static void on_signal(int signal)
{
    static const char crashed[] = "the coroutine's stack is not the process's own: SIGSEGV\n",
                      hung[] = "the coroutine's stack is not the process's own: it hangs\n";
    const char *text = signal == SIGSEGV ? crashed : hung;
    if (write(twins.stderr_before, text, strlen(text)) < 0)
        _exit(2);
    _exit(1);
}

static void catch_signals(void)
{
    static char room[1 << 16];
    stack_t stack = {.ss_sp = room, .ss_size = sizeof room};
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
    sigaltstack(&stack, NULL);
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGALRM, &action, NULL);
}

/* A word of the coroutine's own is looked at as well. */
static void run(void)
{
    volatile int mine = 0;
    words.at[words.count] = &mine;
    words.name[words.count++] = "a variable on the coroutine's stack";
    changed = twins_fork(&twins, &words);
}

static void with(char *stack, size_t stack_bytes, char *window, size_t window_bytes,
                 const char *what)
{
    MPI_Win win;
    words = (struct words){{(int *)(void *)window}, {"the window's first word"}, 1};
    twins_open(&twins);
    MPI_Win_create(window, (MPI_Aint)window_bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    window_works(win, window, 0, 64, what);
    getcontext(&coroutine);
    coroutine.uc_stack.ss_sp = stack;
    coroutine.uc_stack.ss_size = stack_bytes;
    coroutine.uc_link = &program;
    makecontext(&coroutine, run, 0);
    alarm(patience_s);
    swapcontext(&program, &coroutine);
    alarm(0);
    twins_check(&twins, &words, changed, what);
    window_works(win, window, 0, 64, what);
    MPI_Win_free(&win);
    twins_close(&twins);
}

static void on_heap(int stack_first)
{
    size_t page = page_size(), stack_bytes = 16 * page - 512, window_bytes = 6 * page;
    char *block = need(malloc(stack_bytes + window_bytes + 2 * page));
    char *whole = (char *)(((uintptr_t)block + page - 1) / page * page);
    if (stack_first)
        with(whole, stack_bytes, whole + stack_bytes, window_bytes, "the stack before the window");
    else
        with(whole + window_bytes - 512, stack_bytes, whole, window_bytes - 512,
             "the stack behind the window");
    free(block);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    catch_signals();
    on_heap(1);
    on_heap(0);
    return finish("fork_coroutine");
}
