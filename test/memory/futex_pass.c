/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two threads of rank 0 take turns by words inside a window's memory, without PRIVATE, while
 * hundreds of windows are made and freed on it: a wait may begin at any moment of a move, and each
 * is woken. They take turns by a futex, and by semaphores between processes.
 */
#include "memory.h"
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

enum { windows = 80, patience_s = 10, rest_ns = 20000 };

struct game {
    int *turn;        /* futex: the player that is to go on */
    sem_t *semaphore; /* two of them; NULL: by the futex */
    const char *name;
    long turns; /* this and what follows: of the player whose turn it is */
    int is_last, hangs;
};

struct player {
    struct game *game;
    int number; /* 0 or 1 */
    pthread_t thread;
};

static int is_over;

static struct timespec deadline(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    time.tv_sec += patience_s;
    return time;
}

/* 0: not woken. */
static int wait_turn(const struct game *game, int number)
{
    struct timespec end = deadline();
    int error = 0;
    if (game->semaphore) {
        while ((error = sem_clockwait(&game->semaphore[number], CLOCK_MONOTONIC, &end)) != 0 &&
               errno == EINTR)
            continue;
        return error == 0;
    }
    while (__atomic_load_n(game->turn, __ATOMIC_ACQUIRE) != number)
        if (syscall(SYS_futex, game->turn, FUTEX_WAIT_BITSET, !number, &end, NULL,
                    FUTEX_BITSET_MATCH_ANY) != 0 &&
            errno == ETIMEDOUT)
            return 0;
    return 1;
}

static void pass_turn(const struct game *game, int number)
{
    if (game->semaphore) {
        sem_post(&game->semaphore[!number]);
        return;
    }
    __atomic_store_n(game->turn, !number, __ATOMIC_RELEASE);
    syscall(SYS_futex, game->turn, FUTEX_WAKE, 1, NULL, NULL, 0);
}

/* The first player says in its turn that this is its last, and the second's. */
static void *play(void *arg)
{
    const struct player *player = arg;
    struct game *game = player->game;
    const struct timespec rest = {0, rest_ns};
    int is_last = 0;
    while (!is_last) {
        if (!wait_turn(game, player->number)) {
            __atomic_store_n(&game->hangs, 1, __ATOMIC_RELAXED);
            break;
        }
        game->turns++;
        if (player->number == 0)
            game->is_last = __atomic_load_n(&is_over, __ATOMIC_RELAXED);
        is_last = game->is_last;
        nanosleep(&rest, NULL);
        pass_turn(game, player->number);
    }
    return NULL;
}

/* Each window a little shorter than the last, so that none is on the very same memory. */
static void make_windows(struct room *room)
{
    size_t whole = room->bytes;
    for (size_t i = 0; i < windows; i++) {
        room->bytes = whole - 8 * i;
        room_open(room, 0);
        room_close(room);
    }
    room->bytes = whole;
}

static void with(enum memory memory)
{
    struct room room = room_of(memory, room_most);
    sem_t *semaphore = (sem_t *)(void *)(room.inside + room.page);
    struct game games[2] = {{.turn = (int *)(void *)room.inside, .name = "a futex"},
                            {.semaphore = semaphore, .name = "semaphores"}};
    struct player players[4];
    memset(room.inside + 2 * room.page, 3, 8 * room.page);
    sem_init(&semaphore[0], 1, 1);
    sem_init(&semaphore[1], 1, 0);
    __atomic_store_n(&is_over, 0, __ATOMIC_RELAXED);
    for (int i = 0; i < 4 && rank == 0; i++) {
        players[i] = (struct player){.game = &games[i / 2], .number = i % 2};
        pthread_create(&players[i].thread, NULL, play, &players[i]);
    }
    make_windows(&room);
    __atomic_store_n(&is_over, 1, __ATOMIC_RELAXED);
    for (int i = 0; i < 4 && rank == 0; i++)
        pthread_join(players[i].thread, NULL);
    for (int i = 0; i < 2; i++)
        CHECK(!games[i].hangs,
              "%s: threads that take turns by %s inside a window are not woken after %ld turns",
              memory_names[memory], games[i].name, games[i].turns);
    room_give_back(&room);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    for (int i = 0; i < nmemories && !has_failed(); i++)
        with((enum memory)i);
    return finish("futex_pass");
}
