/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A window of the processes of two worlds: those that were started together, and two that they
 * spawned, on the merged communicator. Skipped where the host cannot spawn.
 *
 *   spawn [own | halves | ports | multiple | info | theirs]
 *
 * own: as without; for spawn.sh, where the processes have Proa by themselves alone.
 * halves: the two worlds are the even and the odd ranks of one, joined by an intercommunicator and
 * merged. ports: the same, joined by MPI_Comm_accept and MPI_Comm_connect.
 * multiple: spawned as two programs, one of them with an info.
 * info: the program hands a variable on to what it spawns, by an info key of Open MPI's; that must
 * come through, and the info be as it was. Proa hands on another, whose name is the beginning of
 * that one's. theirs: it hands an empty LD_PRELOAD on, and so what it spawns runs without Proa;
 * there are no windows then.
 */
#include "window.h"

enum { spawned = 2 };

static void exchange(MPI_Comm merged)
{
    int me, n, value, got = -1;
    MPI_Comm_rank(merged, &me);
    MPI_Comm_size(merged, &n);
    for (int kind = 0; kind < nkinds; kind++) {
        struct area a = open_area(kind, 64, 4, merged);
        int right = (me + 1) % n;
        value = 100 + me;
        MPI_Win_fence(0, a.win);
        MPI_Put(&value, 1, MPI_INT, right, disp_at(&a, right, 1), 1, MPI_INT, a.win);
        MPI_Win_fence(MPI_MODE_NOSUCCEED, a.win);
        CHECK(((int *)a.base)[1] == 100 + (me + n - 1) % n, "%s: put brings %d", kind_names[kind],
              ((int *)a.base)[1]);
        MPI_Win_lock(MPI_LOCK_SHARED, right, 0, a.win);
        MPI_Fetch_and_op(&value, &got, MPI_INT, right, disp_at(&a, right, 1), MPI_NO_OP, a.win);
        MPI_Win_unlock(right, a.win);
        CHECK(got == value, "%s: fetch_and_op brings %d", kind_names[kind], got);
        close_area(&a);
    }
}

static void join_by_ports(MPI_Comm half, MPI_Comm *between)
{
    char port[MPI_MAX_PORT_NAME] = "";
    if (rank == 0)
        MPI_Open_port(MPI_INFO_NULL, port);
    MPI_Bcast(port, sizeof port, MPI_CHAR, 0, MPI_COMM_WORLD);
    if (rank % 2)
        MPI_Comm_connect(port, MPI_INFO_NULL, 0, half, between);
    /* rank 0 is the last of its half */
    else
        MPI_Comm_accept(port, MPI_INFO_NULL, nranks / 2 - 1, half, between);
}

static int merge_halves(int by_ports)
{
    MPI_Comm half, between, merged;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, nranks - rank, &half);
    /* of the other half: halves are ordered from the last rank down */
    int leader = (nranks - 1) % 2 == rank % 2 ? nranks - 2 : nranks - 1;
    if (by_ports)
        join_by_ports(half, &between);
    else
        MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, leader, 5, &between);
    MPI_Intercomm_merge(between, rank % 2, &merged);
    exchange(merged);
    MPI_Comm_free(&merged);
    MPI_Comm_free(&between);
    MPI_Comm_free(&half);
    return finish("spawn halves");
}

static const char *const handed_info = "PROA_TEST_WORD=kept", *const handed_theirs = "LD_PRELOAD=",
                         *const own_name = "PROA_TEST_W";

/* Further rights and libraries of a spawned process. */
static void look(const char *way)
{
    const char *word = getenv("PROA_TEST_WORD"), *own = getenv(own_name);
    CHECK(!getenv("PROA_TEST_M"), "a line of a value has become a variable");
    if (strcmp(way, "info") == 0) {
        CHECK(word && strcmp(word, "kept") == 0, "the variable that the program handed on is %s",
              word ? word : "not there");
        CHECK(own && strcmp(own, "ours") == 0, "the variable of the process that spawned is %s",
              own ? own : "not there");
    }
    if (strcmp(way, "theirs") == 0) {
        CHECK(!dlsym(RTLD_DEFAULT, "proa_windows_served"),
              "Proa is loaded, but the program said LD_PRELOAD=");
        unsetenv("PROA_EXPECT");
    }
}

static int spawn_multiple(char **argv, MPI_Comm *children)
{
    char *commands[spawned] = {argv[0], argv[0]}, **arguments[spawned] = {argv + 1, argv + 1};
    int counts[spawned] = {1, 1}, code;
    MPI_Info infos[spawned] = {MPI_INFO_NULL, MPI_INFO_NULL};
    MPI_Info_create(&infos[1]);
    MPI_Info_set(infos[1], "env", handed_info);
    code = MPI_Comm_spawn_multiple(spawned, commands, arguments, counts, infos, 0, MPI_COMM_WORLD,
                                   children, MPI_ERRCODES_IGNORE);
    MPI_Info_free(&infos[1]);
    return code;
}

static int spawn(char **argv, const char *way, MPI_Comm *children)
{
    const char *handed = strcmp(way, "info") == 0     ? handed_info
                         : strcmp(way, "theirs") == 0 ? handed_theirs
                                                      : NULL;
    MPI_Info info = MPI_INFO_NULL;
    char value[200] = "";
    int found = 0, keys = 0, code;
    /* Open MPI hands 255 bytes on. These have to be among them, so what the launcher has set and no
     * rank reads makes room. */
    unsetenv("PROA_LAUNCH_MARK");
    unsetenv("PROA_MPIEXEC_OPENMPI");
    unsetenv("PROA_TEST_PATIENCE");
    setenv(own_name, "ours", 1);
    setenv("PROA_TEST_L", "\nPROA_TEST_M=", 1);
    if (handed) {
        MPI_Info_create(&info);
        MPI_Info_set(info, "env", handed);
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (strcmp(way, "multiple") == 0)
        code = spawn_multiple(argv, children);
    else
        code = MPI_Comm_spawn(argv[0], argv + 1, spawned, info, 0, MPI_COMM_WORLD, children,
                              MPI_ERRCODES_IGNORE);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    if (handed) {
        found = info_value(info, "env", value, sizeof value);
        MPI_Info_get_nkeys(info, &keys);
        CHECK(found && strcmp(value, handed) == 0 && keys == 1, "the info has %d keys, and \"%s\"",
              keys, value);
        MPI_Info_free(&info);
    }
    return code;
}

int main(int argc, char **argv)
{
    MPI_Comm parent, merged;
    start(&argc, &argv);
    const char *way = argc > 1 ? argv[1] : "";
    if (strcmp(way, "halves") == 0 || strcmp(way, "ports") == 0)
        return merge_halves(strcmp(way, "ports") == 0);
    MPI_Comm_get_parent(&parent);
    int is_child = parent != MPI_COMM_NULL;
    if (is_child)
        look(way);
    else if (spawn(argv, way, &parent) != MPI_SUCCESS)
        return skip("the host cannot spawn here");
    if (strcmp(way, "theirs") == 0) {
        unsetenv("PROA_EXPECT"); /* there are no windows */
    } else {
        MPI_Intercomm_merge(parent, is_child, &merged);
        exchange(merged);
        MPI_Comm_free(&merged);
    }
    MPI_Comm_disconnect(&parent);
    return finish(is_child ? "spawn, the spawned" : "spawn");
}
