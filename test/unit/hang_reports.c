/* SPDX-License-Identifier: BSD-3-Clause */
/* the hang reports (hang/reports.c) that rank 0 takes: those of this job, whole. */
#include "hang/reports.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/wait.h>

#include <cmocka.h>

/* ---- the host: this process is rank 0, and alone ---- */

static int comm_rank(MPI_Comm comm, int *rank)
{
    (void)comm;
    *rank = 0;
    return MPI_SUCCESS;
}

static int broadcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    (void)data, (void)count, (void)type, (void)root, (void)comm;
    return MPI_SUCCESS;
}

static const struct proa_pmpi host = {.Comm_rank = comm_rank, .Bcast = broadcast};
const struct proa_pmpi *proa_pmpi_filled = &host;

const struct proa_pmpi *proa_pmpi_fill(void)
{
    return &host;
}

/* ---- senders, each a process ---- */

typedef void sender(void);

static struct proa_stuck letter = {.rank = 3, .waits = 1, .episode = 77};

static void send_letter(void)
{
    proa_hang_reports_send(&letter);
}

static void send_bytes(const void *bytes, size_t count)
{
    int fd = connect_to(htonl(INADDR_LOOPBACK));

    (void)!send(fd, bytes, count, MSG_NOSIGNAL);
    close(fd);
}

static void guess(int word, uint64_t bit)
{
    memcpy(letter.secret, office.secret, sizeof letter.secret);
    letter.secret[word] ^= bit;
    send_bytes(&letter, sizeof letter);
}

static void guess_first(void)
{
    guess(0, 1);
}

static void guess_last(void)
{
    guess(1, UINT64_C(1) << 63);
}

static void send_nothing(void)
{
    send_bytes("", 0);
}

static void send_secret_alone(void)
{
    send_bytes(office.secret, sizeof office.secret);
}

static void send_part(void)
{
    memcpy(letter.secret, office.secret, sizeof letter.secret);
    send_bytes(&letter, sizeof letter - 1);
}

/* Longer than rank 0 has patience. */
static void keep_silent(void)
{
    int fd = connect_to(htonl(INADDR_LOOPBACK));

    sleep(3 * PATIENCE_MS / 1000);
    close(fd);
}

/* What rank 0 has taken: 0, or -1. */
static int taken_from(sender *send, struct proa_stuck *stuck)
{
    pid_t pid = fork();
    int taken;

    if (pid == 0) {
        send();
        _exit(0);
    }
    taken = proa_hang_reports_take(stuck, 10000);
    waitpid(pid, NULL, 0);
    return taken;
}

/* ---- tests ---- */

static void of_this_job(void **state)
{
    struct proa_stuck stuck = {0};

    (void)state;
    assert_int_equal(taken_from(send_letter, &stuck), 0);
    assert_memory_equal(&stuck.episode, &letter.episode,
                        sizeof stuck - offsetof(struct proa_stuck, episode));
}

/* And the next good letter is taken. */
static void hostile(void **state)
{
    static sender *const senders[] = {guess_first, guess_last, send_nothing, send_secret_alone,
                                      send_part};
    struct proa_stuck stuck = {0};

    (void)state;
    for (size_t i = 0; i < sizeof senders / sizeof *senders; i++) {
        assert_int_equal(taken_from(senders[i], &stuck), -1);
        assert_int_equal(taken_from(send_letter, &stuck), 0);
    }
}

static void silent(void **state)
{
    struct proa_stuck stuck = {0};

    (void)state;
    assert_int_equal(taken_from(keep_silent, &stuck), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(of_this_job), cmocka_unit_test(hostile),
                                       cmocka_unit_test(silent)};

    if (proa_hang_reports_begin(MPI_COMM_WORLD) != 0)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
