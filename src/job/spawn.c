/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * See spawn.h.
 *
 * Open MPI gives new processes the launcher's environment. 4.1 adds the variables of its option -x,
 * 5.0 does not, and neither adds variables that a script has set for this process alone. An info
 * value passes variables on, one a line, in at most MPI_MAX_INFO_VAL bytes. MPICH's Hydra passes
 * its options -genv on by itself, and knows no such key. The host's kind names the key.
 */
#include "job/spawn.h"

#include "base/log.h"
#include "host/hints.h"
#include "host/kind.h"
#include "host/pmpi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern char **environ;

/* Lines NAME=VALUE. */
struct lines {
    char text[MPI_MAX_INFO_VAL];
};

/* Returns whether a line sets the variable of NAME=... */
static int sets(const struct lines *lines, const char *entry)
{
    size_t name = strcspn(entry, "=") + 1;

    for (const char *line = lines->text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, entry, name) == 0)
            return 1;
    }
    return 0;
}

/* Returns 0 if there is no room, or the value has several lines. */
static int add(struct lines *lines, const char *entry)
{
    size_t length = strlen(lines->text), more = strlen(entry);

    if (strchr(entry, '\n') || length + 1 + more >= sizeof lines->text)
        return 0;
    if (length)
        lines->text[length++] = '\n';
    memcpy(lines->text + length, entry, more + 1);
    return 1;
}

static const char *own_preload(void)
{
    for (char **entry = environ; *entry; entry++)
        if (strncmp(*entry, "LD_PRELOAD=", strlen("LD_PRELOAD=")) == 0)
            return strstr(*entry, "libproa-") ? *entry : NULL;
    return NULL;
}

/* Returns the lines that the program passes on by that key. */
static struct lines lines_of(MPI_Info info, const char *key)
{
    struct lines lines = {""};

    if (!proa_info_text(info, key, lines.text, sizeof lines.text))
        lines.text[0] = '\0';
    return lines;
}

static MPI_Info info_with(MPI_Info info, const char *key, const char *value)
{
    const struct proa_pmpi *mpi = proa_pmpi();
    MPI_Info with = MPI_INFO_NULL;
    int error = info == MPI_INFO_NULL ? mpi->Info_create(&with) : mpi->Info_dup(info, &with);

    if (error != MPI_SUCCESS)
        return info;
    mpi->Info_set(with, key, value);
    return with;
}

/* Adds the variables of this process that the new ones are to have, after those that the program
 * passes on by either key. */
static void add_own(struct lines *lines, const struct lines *other)
{
    for (char **entry = environ; *entry; entry++)
        if (strncmp(*entry, "PROA_", strlen("PROA_")) == 0 && !sets(lines, *entry) &&
            !sets(other, *entry))
            add(lines, *entry);
}

static MPI_Info spawn_info(MPI_Info info, const struct proa_spawn_keys *keys)
{
    const char *preload = own_preload();
    struct lines lines = lines_of(info, keys->ours), other = lines_of(info, keys->other);

    if (!preload || sets(&lines, preload) || sets(&other, preload))
        return info;
    if (!add(&lines, preload)) {
        proa_log(PROA_LOG_WARN,
                 "processes of MPI_Comm_spawn may run without Proa: LD_PRELOAD and the variables "
                 "of the info exceed %d bytes",
                 MPI_MAX_INFO_VAL - 1);
        return info;
    }
    add_own(&lines, &other);
    return info_with(info, keys->ours, lines.text);
}

MPI_Info proa_spawn_info(MPI_Info info)
{
    const struct proa_host_kind *kind = proa_host_kind();
    char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    struct proa_spawn_keys keys;
    int length;

    if (!kind->spawn_keys)
        return info;
    proa_pmpi()->Get_library_version(version, &length);
    keys = kind->spawn_keys(version);
    return spawn_info(info, &keys);
}
