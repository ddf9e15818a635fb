/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * See manager.h. PMI-1 sends a line and receives a line, on the socket that the environment names
 * (PMI_FD). The host uses the same socket from its own start on. MPICH exports no function for it.
 *
 * Hydra answers a second "init" on a socket like the first, and keeps the keys of all. Slurm's
 * daemon for PMI-1 rejects a second one as an error. So Proa uses PMI-1 only with Hydra, which sets
 * MPI_LOCALNRANKS.
 */
#include "host/kind.h"
#include "job/manager.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <unistd.h>

enum { LINE = 1024 }; /* the longest line of PMI-1 */

static int file;        /* the socket */
static char store[256]; /* the name of the job's store of keys; "" if unknown */
static int has_failed;

static int is_hydra(void)
{
    const char *number = getenv("PMI_FD");

    if (!number || !getenv("PMI_RANK") || !getenv("MPI_LOCALNRANKS"))
        return 0;
    file = atoi(number);
    return proa_host_kind()->speaks_pmi;
}

static int send_line(const char *line)
{
    size_t length = strlen(line);
    ssize_t sent;

    do
        sent = send(file, line, length, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent == (ssize_t)length;
}

/* The launcher sends nothing after the line, as there was no other request. If the line is too
 * long, which only a list of hundreds of ranks can be, the rest is discarded. */
static int receive_line(char *line)
{
    size_t length = 0;

    do {
        ssize_t got;

        length -= length == LINE - 1;
        got = recv(file, line + length, LINE - 1 - length, 0);
        if (got <= 0 && !(got < 0 && errno == EINTR))
            return 0;
        length += got > 0 ? (size_t)got : 0;
    } while (length == 0 || line[length - 1] != '\n');
    line[length] = '\0';
    return 1;
}

/* line: the request, then the answer. Returns 1 if there is one. */
static int ask(char *line)
{
    return send_line(line) && receive_line(line);
}

static int ask_store(void)
{
    char line[LINE] = "cmd=init pmi_version=1 pmi_subversion=1\n";
    const char *name;

    if (!ask(line) || !strstr(line, "rc=0"))
        return 0;
    strcpy(line, "cmd=get_my_kvsname\n");
    name = ask(line) ? strstr(line, "kvsname=") : NULL;
    return name && sscanf(name, "kvsname=%255s", store) == 1;
}

static int put_mark(uint64_t mark)
{
    char line[LINE], host[PROA_MANAGER_HOST] = "";

    gethostname(host, sizeof host - 1);
    snprintf(line, sizeof line, "cmd=put kvsname=%s key=proa-%s value=proa-%" PRIu64 "-%s\n", store,
             getenv("PMI_RANK"), mark, host);
    return ask(line) && strstr(line, "rc=0");
}

static void put(uint64_t mark)
{
    if (!store[0] && !has_failed && is_hydra())
        has_failed = !ask_store() || !put_mark(mark);
}

static int is_here(void)
{
    return is_hydra() && !has_failed;
}

static uint64_t look_both(int rank, char host[PROA_MANAGER_HOST])
{
    char line[LINE];
    const char *value;
    uint64_t mark = 0;

    snprintf(line, sizeof line, "cmd=get kvsname=%s key=proa-%d\n", store, rank);
    value = ask(line) ? strstr(line, "value=proa-") : NULL;
    host[0] = '\0';
    if (value)
        sscanf(value, "value=proa-%" SCNu64 "-%64s", &mark, host);
    return mark;
}

static uint64_t look(int rank)
{
    char host[PROA_MANAGER_HOST];

    return look_both(rank, host);
}

/* ---- after the start ---- */

/* Returns the first number, from `from` on, in a list such as "1,3-5"; -1 if there is none. */
static int next_in(const char *list, int from)
{
    int first, last, length;

    for (; sscanf(list, "%d%n", &first, &length) == 1; list += *list == ',') {
        list += length;
        last = first;
        if (sscanf(list, "-%d%n", &last, &length) == 1)
            list += length;
        if (from <= last)
            return from < first ? first : from;
    }
    return -1;
}

/* Hydra lists dead ranks under this key, for the host, if it does not end the job. */
static int find_dead(int from)
{
    static const char before[] = "value=";
    char line[LINE];
    const char *value;

    snprintf(line, sizeof line, "cmd=get kvsname=%s key=PMI_dead_processes\n", store);
    value = ask(line) && strstr(line, "rc=0") ? strstr(line, before) : NULL;
    return value ? next_in(value + sizeof before - 1, from) : -1;
}

static const char *name_host(int rank, char host[PROA_MANAGER_HOST])
{
    look_both(rank, host);
    return host;
}

const struct proa_manager proa_manager_pmi = {
    .put = put, .is_here = is_here, .look = look, .find_dead = find_dead, .name_host = name_host};
