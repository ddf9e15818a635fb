/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program forks while a window has some of its memory: parent and child have memory of their own
 * after that, inside the window and beside it, even if the program has run short of
 * a resource.
 *
 *   fork_own plain | address_space | files_low | files_used | files_none | no_proc | other_file
 *
 * other_file: the program has put a file of its own under the numbers of Proa's. Where a copy
 * cannot be had the child may end with a sentence; never do they share.
 */
#include "twins.h"
#include <dirent.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>

static const char *shortage;
static struct rlimit limit_before;
static int filled[5000], nfilled, own_file = -1;

static int is(const char *name)
{
    return strcmp(shortage, name) == 0;
}

/* ---- limits ---- */

static void set_limit(int resource, rlim_t most)
{
    getrlimit(resource, &limit_before);
    struct rlimit limit = {most, limit_before.rlim_max};
    CHECK(setrlimit(resource, &limit) == 0, "setrlimit fails");
}

static rlim_t space_now(void)
{
    long pages = 0;
    FILE *statm = need(fopen("/proc/self/statm", "r"));
    CHECK(fscanf(statm, "%ld", &pages) == 1, "no /proc/self/statm");
    fclose(statm);
    return (rlim_t)pages * page_size();
}

static rlim_t lowest_free(void)
{
    int fd = dup(0);
    close(fd);
    return (rlim_t)fd;
}

static void use_all_numbers(void)
{
    set_limit(RLIMIT_NOFILE, 2048);
    while ((filled[nfilled] = dup(0)) >= 0)
        nfilled++;
}

/* ---- /proc ---- */

/* Of this thread. Is it gone? */
static int hide_proc(void)
{
    if (unshare(CLONE_NEWNS) != 0 || mount("", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
        return 0;
    while (umount2("/proc", MNT_DETACH) == 0)
        continue; /* in a container another may lie below */
    return access("/proc/self", F_OK) != 0;
}

/* ---- another file ---- */

static int is_proas(const char *entry)
{
    char path[300], name[300];
    snprintf(path, sizeof path, "/proc/self/fd/%s", entry);
    ssize_t length = readlink(path, name, sizeof name - 1);
    return length > 0 && strncmp(name, "/memfd:proa", strlen("/memfd:proa")) == 0;
}

static void replace_files(void)
{
    DIR *folder = need(opendir("/proc/self/fd"));
    int count = 0;
    own_file = memfd_create("own", 0);
    CHECK(ftruncate(own_file, (off_t)1 << 47) == 0, "ftruncate fails");
    for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder))
        if (is_proas(entry->d_name)) {
            CHECK(dup2(own_file, atoi(entry->d_name)) >= 0, "dup2 fails");
            count++;
        }
    closedir(folder);
    CHECK(count > 0 || !getenv("PROA_EXPECT"), "no file of Proa's is open");
}

/* ---- all ---- */

/* Is it so now? */
static int begin(void)
{
    if (is("address_space"))
        set_limit(RLIMIT_AS, space_now());
    if (is("files_low"))
        set_limit(RLIMIT_NOFILE, lowest_free());
    if (is("files_used"))
        use_all_numbers();
    if (is("files_none"))
        set_limit(RLIMIT_NOFILE, 0);
    if (is("other_file"))
        replace_files();
    return !is("no_proc") || hide_proc();
}

static void end(void)
{
    if (is("address_space"))
        setrlimit(RLIMIT_AS, &limit_before);
    if (strncmp(shortage, "files", 5) == 0)
        setrlimit(RLIMIT_NOFILE, &limit_before);
    while (nfilled > 0)
        close(filled[--nfilled]);
    if (is("no_proc"))
        CHECK(mount("proc", "/proc", "proc", 0, NULL) == 0, "mount fails");
}

static void with(enum memory memory)
{
    struct twins twins = {.status = 0};
    struct room room = room_make(memory);
    struct words words = words_of(&room);
    twins_open(&twins);
    room_open(&room, 0);
    room_works(&room, memory_names[memory]);
    MPI_Barrier(MPI_COMM_WORLD);
    int is_so = begin(), changed = twins_fork(&twins, &words);
    end();
    CHECK(is_so, "/proc is still there");
    twins_check(&twins, &words, changed, memory_names[memory]);
    MPI_Barrier(MPI_COMM_WORLD);
    if (!is("other_file"))
        room_works(&room, memory_names[memory]);
    words_set(&words, 44);
    room_close(&room);
    CHECK(words_differ(&words, 44) < 0, "%s: MPI_Win_free has changed %s", memory_names[memory],
          words.name[words_differ(&words, 44)]);
    twins_close(&twins);
    room_give_back(&room);
}

/* Bytes that Proa has written to the program's file would be data there. */
static void check_own_file(void)
{
    CHECK(lseek(own_file, 0, SEEK_DATA) < 0, "the program's file was written to at %ld",
          (long)lseek(own_file, 0, SEEK_DATA));
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    shortage = argc > 1 ? argv[1] : "plain";
    if (is("no_proc") && geteuid() != 0)
        return skip("/proc is root's to take away");
    if (is("other_file")) {
        with(HEAP);
        check_own_file();
    } else {
        for (enum memory memory = HEAP; memory < nmemories; memory++)
            with(memory);
    }
    return finish("fork_own");
}
