/* From core's codes to MPI's errors; see bind.h. */
#include "base/log.h"
#include "bind/bind.h"
#include "core/sync.h"

static int class_of(int code)
{
    switch (code) {
#define CLASS(name)                                                                                                                        \
    case PROA_ERR_##name:                                                                                                                  \
        return MPI_ERR_##name;
        PROA_ERRORS(CLASS)
#undef CLASS
    default:
        return MPI_ERR_INTERN;
    }
}

int proa_raise(const struct proa_win *win, const char *call, int code)
{
    struct proa_window *window = proa_window_of(win);
    MPI_Win shadow = proa_window_shadow(window);
    char name[MPI_MAX_OBJECT_NAME + 1] = "";
    int length, class = class_of(code);

    proa_pmpi()->Win_get_name(shadow, name, &length);
    if (name[0])
        proa_log(PROA_LOG_WARN, "%s: %s (rank %d, window \"%s\")", call, proa_failure(), win->rank, name);
    else
        proa_log(PROA_LOG_WARN, "%s: %s (rank %d)", call, proa_failure(), win->rank);
    proa_pmpi()->Win_call_errhandler(shadow, class);
    return class;
}

int proa_raise_on_comm(MPI_Comm comm, const char *call, int code)
{
    int class = class_of(code);

    proa_log(PROA_LOG_WARN, "%s: %s", call, proa_failure());
    proa_pmpi()->Comm_call_errhandler(comm == MPI_COMM_NULL ? MPI_COMM_WORLD : comm, class);
    return class;
}

int proa_rank_outside(const struct proa_win *win, int rank)
{
    if (rank == MPI_PROC_NULL)
        return PROA_NOWHERE;
    return proa_fail(PROA_ERR_RANK, "target rank %d is not in the window, which has ranks 0 to %d", rank, win->size - 1);
}

int proa_mode(int assert, int allowed, int *mode)
{
    static const struct {
        int mpi, core;
    } bits[] = {{MPI_MODE_NOCHECK, PROA_MODE_NOCHECK},
                {MPI_MODE_NOSTORE, PROA_MODE_NOSTORE},
                {MPI_MODE_NOPUT, PROA_MODE_NOPUT},
                {MPI_MODE_NOPRECEDE, PROA_MODE_NOPRECEDE},
                {MPI_MODE_NOSUCCEED, PROA_MODE_NOSUCCEED}};
    int rest = assert;

    *mode = 0;
    for (size_t i = 0; i < sizeof bits / sizeof bits[0]; i++)
        if (assert & bits[i].mpi && allowed & bits[i].core) {
            *mode |= bits[i].core;
            rest &= ~bits[i].mpi;
        }
    return rest ? proa_fail(PROA_ERR_ASSERT, "assert %#x has bits (%#x) that mean nothing here", (unsigned)assert, (unsigned)rest) : PROA_OK;
}
