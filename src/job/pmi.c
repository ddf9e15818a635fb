/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * See manager.h. PMI-1 sends a line and receives a line, on the socket that the environment names
 * (PMI_FD). The host uses the same socket from its own start on. MPICH exports no function for it.
 *
 * Hydra answers a second "init" on a socket as the first, and keeps the keys of all. Slurm's daemon
 * for PMI-1 takes a second one for an error. So Proa speaks only to Hydra, which sets
 * MPI_LOCALNRANKS.
 */
#include "host/kind.h"
#include "job/manager.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/types.h>

enum { LINE = 1024 }; /* the longest of PMI-1 */

static int file;        /* the socket */
static char store[256]; /* the name of the job's keys; "": not known */
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

/* The launcher sends nothing after the line, as there was no other question. */
static int receive_line(char *line)
{
    size_t length = 0;

    do {
        ssize_t got = recv(file, line + length, LINE - 1 - length, 0);

        if (got <= 0 && !(got < 0 && errno == EINTR))
            return 0;
        length += got > 0 ? (size_t)got : 0;
    } while (length < LINE - 1 && (length == 0 || line[length - 1] != '\n'));
    line[length] = '\0';
    return 1;
}

/* 1: the answer is in line, where the question was. */
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

static int put_key(enum proa_key key)
{
    char line[LINE];

    snprintf(line, sizeof line, "cmd=put kvsname=%s key=proa-%s value=proa-%d\n", store,
             getenv("PMI_RANK"), key);
    return ask(line) && strstr(line, "rc=0");
}

static void put(enum proa_key key)
{
    if (!store[0] && !has_failed && is_hydra())
        has_failed = !ask_store() || !put_key(key);
}

static int is_here(void)
{
    return is_hydra() && !has_failed;
}

static enum proa_key look(int rank)
{
    static const char before[] = "value=proa-";
    char line[LINE];
    const char *value;

    snprintf(line, sizeof line, "cmd=get kvsname=%s key=proa-%d\n", store, rank);
    value = ask(line) ? strstr(line, before) : NULL;
    return value ? (enum proa_key)atoi(value + sizeof before - 1) : PROA_KEY_NONE;
}

const struct proa_manager proa_manager_pmi = {.put = put, .is_here = is_here, .look = look};
