/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The host's functions that may establish order, and their arguments for check mode
 * (check/messages.h). Those that complete requests are in bind/completion.c.
 *
 * X(name, kind, communicator, peer): kind is one of enum proa_message_kind, the others are argument
 * indices from 0, or -1 for none. If the peers are unknown, as when a persistent request starts,
 * the clock is published to all processes. MPI_Comm_free is local enough to order nothing. NONE:
 * the first argument is the address of a request (usage/requests.h), or the buffer of a request
 * that starts later (X_init).
 */
#ifndef PROA_INSTRUMENTS_HOST_CALLS_H
#define PROA_INSTRUMENTS_HOST_CALLS_H

/* Functions with counts, and so with two widths: messages, collectives, nonblocking and persistent
 * ones, files. */
#define PROA_HOST_MESSAGES(X)           \
    X(Send, TO, 5, 3)                   \
    X(Bsend, TO, 5, 3)                  \
    X(Ssend, TO, 5, 3)                  \
    X(Rsend, TO, 5, 3)                  \
    X(Isend, LATER_TO, 5, 3)            \
    X(Ibsend, LATER_TO, 5, 3)           \
    X(Issend, LATER_TO, 5, 3)           \
    X(Irsend, LATER_TO, 5, 3)           \
    X(Recv, FROM, 5, 3)                 \
    X(Irecv, LATER_FROM, 5, 3)          \
    X(Mrecv, WORLD, -1, -1)             \
    X(Imrecv, WORLD, -1, -1)            \
    X(Sendrecv, SWAP, 10, 3)            \
    X(Sendrecv_replace, SWAP, 7, 3)     \
    X(Buffer_detach, WORLD, -1, -1)     \
    X(Isendrecv, WORLD, -1, -1)         \
    X(Isendrecv_replace, WORLD, -1, -1) \
    X(Send_init, NONE, -1, -1)          \
    X(Bsend_init, NONE, -1, -1)         \
    X(Ssend_init, NONE, -1, -1)         \
    X(Rsend_init, NONE, -1, -1)         \
    X(Recv_init, NONE, -1, -1)

#define PROA_HOST_COLLECTIVES(X)          \
    X(Bcast, OUT, 4, 3)                   \
    X(Scatter, OUT, 7, 6)                 \
    X(Scatterv, OUT, 8, 7)                \
    X(Gather, IN, 7, 6)                   \
    X(Gatherv, IN, 8, 7)                  \
    X(Reduce, IN, 6, 5)                   \
    X(Allgather, MEET, 6, -1)             \
    X(Allgatherv, MEET, 7, -1)            \
    X(Alltoall, MEET, 6, -1)              \
    X(Alltoallv, MEET, 8, -1)             \
    X(Alltoallw, MEET, 8, -1)             \
    X(Allreduce, MEET, 5, -1)             \
    X(Reduce_scatter, MEET, 5, -1)        \
    X(Reduce_scatter_block, MEET, 5, -1)  \
    X(Scan, SPREAD, 5, -1)                \
    X(Exscan, SPREAD, 5, -1)              \
    X(Neighbor_allgather, SPREAD, 6, -1)  \
    X(Neighbor_allgatherv, SPREAD, 7, -1) \
    X(Neighbor_alltoall, SPREAD, 6, -1)   \
    X(Neighbor_alltoallv, SPREAD, 8, -1)  \
    X(Neighbor_alltoallw, SPREAD, 8, -1)

#define PROA_HOST_NONBLOCKING(X)           \
    X(Ibcast, LATER, 4, -1)                \
    X(Iscatter, LATER, 7, -1)              \
    X(Iscatterv, LATER, 8, -1)             \
    X(Igather, LATER, 7, -1)               \
    X(Igatherv, LATER, 8, -1)              \
    X(Ireduce, LATER, 6, -1)               \
    X(Iallgather, LATER, 6, -1)            \
    X(Iallgatherv, LATER, 7, -1)           \
    X(Ialltoall, LATER, 6, -1)             \
    X(Ialltoallv, LATER, 8, -1)            \
    X(Ialltoallw, LATER, 8, -1)            \
    X(Iallreduce, LATER, 5, -1)            \
    X(Ireduce_scatter, LATER, 5, -1)       \
    X(Ireduce_scatter_block, LATER, 5, -1) \
    X(Iscan, LATER, 5, -1)                 \
    X(Iexscan, LATER, 5, -1)               \
    X(Ineighbor_allgather, LATER, 6, -1)   \
    X(Ineighbor_allgatherv, LATER, 7, -1)  \
    X(Ineighbor_alltoall, LATER, 6, -1)    \
    X(Ineighbor_alltoallv, LATER, 8, -1)   \
    X(Ineighbor_alltoallw, LATER, 8, -1)

#define PROA_HOST_PERSISTENT(X)                \
    X(Bcast_init, NONE, -1, -1)                \
    X(Scatter_init, NONE, -1, -1)              \
    X(Scatterv_init, NONE, -1, -1)             \
    X(Gather_init, NONE, -1, -1)               \
    X(Gatherv_init, NONE, -1, -1)              \
    X(Reduce_init, NONE, -1, -1)               \
    X(Allgather_init, NONE, -1, -1)            \
    X(Allgatherv_init, NONE, -1, -1)           \
    X(Alltoall_init, NONE, -1, -1)             \
    X(Alltoallv_init, NONE, -1, -1)            \
    X(Alltoallw_init, NONE, -1, -1)            \
    X(Allreduce_init, NONE, -1, -1)            \
    X(Reduce_scatter_init, NONE, -1, -1)       \
    X(Reduce_scatter_block_init, NONE, -1, -1) \
    X(Scan_init, NONE, -1, -1)                 \
    X(Exscan_init, NONE, -1, -1)               \
    X(Neighbor_allgather_init, NONE, -1, -1)   \
    X(Neighbor_allgatherv_init, NONE, -1, -1)  \
    X(Neighbor_alltoall_init, NONE, -1, -1)    \
    X(Neighbor_alltoallv_init, NONE, -1, -1)   \
    X(Neighbor_alltoallw_init, NONE, -1, -1)

#define PROA_HOST_FILES(X)                    \
    X(File_read, WORLD, -1, -1)               \
    X(File_read_all, WORLD, -1, -1)           \
    X(File_read_at, WORLD, -1, -1)            \
    X(File_read_at_all, WORLD, -1, -1)        \
    X(File_read_shared, WORLD, -1, -1)        \
    X(File_read_ordered, WORLD, -1, -1)       \
    X(File_write, WORLD, -1, -1)              \
    X(File_write_all, WORLD, -1, -1)          \
    X(File_write_at, WORLD, -1, -1)           \
    X(File_write_at_all, WORLD, -1, -1)       \
    X(File_write_shared, WORLD, -1, -1)       \
    X(File_write_ordered, WORLD, -1, -1)      \
    X(File_iread, WORLD, -1, -1)              \
    X(File_iread_at, WORLD, -1, -1)           \
    X(File_iread_all, WORLD, -1, -1)          \
    X(File_iread_at_all, WORLD, -1, -1)       \
    X(File_iread_shared, WORLD, -1, -1)       \
    X(File_iwrite, WORLD, -1, -1)             \
    X(File_iwrite_at, WORLD, -1, -1)          \
    X(File_iwrite_all, WORLD, -1, -1)         \
    X(File_iwrite_at_all, WORLD, -1, -1)      \
    X(File_iwrite_shared, WORLD, -1, -1)      \
    X(File_read_all_begin, WORLD, -1, -1)     \
    X(File_read_at_all_begin, WORLD, -1, -1)  \
    X(File_read_ordered_begin, WORLD, -1, -1) \
    X(File_write_all_begin, WORLD, -1, -1)    \
    X(File_write_at_all_begin, WORLD, -1, -1) \
    X(File_write_ordered_begin, WORLD, -1, -1)

/* Functions without counts. */
#define PROA_HOST_COUNTLESS(X)                 \
    X(Probe, FROM, 2, 0)                       \
    X(Iprobe, LOOK, 2, 0)                      \
    X(Mprobe, FROM, 2, 0)                      \
    X(Improbe, LOOK, 2, 0)                     \
    X(Start, WORLD, -1, -1)                    \
    X(Startall, WORLD, -1, -1)                 \
    X(Barrier, MEET, 0, -1)                    \
    X(Ibarrier, LATER, 0, -1)                  \
    X(Comm_dup, MEET, 0, -1)                   \
    X(Comm_dup_with_info, MEET, 0, -1)         \
    X(Comm_idup, LATER, 0, -1)                 \
    X(Comm_create, MEET, 0, -1)                \
    X(Comm_create_group, WORLD, -1, -1)        \
    X(Comm_split, MEET, 0, -1)                 \
    X(Comm_split_type, MEET, 0, -1)            \
    X(Comm_disconnect, WORLD, -1, -1)          \
    X(Intercomm_create, WORLD, -1, -1)         \
    X(Intercomm_merge, WORLD, -1, -1)          \
    X(Cart_create, MEET, 0, -1)                \
    X(Cart_sub, MEET, 0, -1)                   \
    X(Graph_create, MEET, 0, -1)               \
    X(Dist_graph_create, MEET, 0, -1)          \
    X(Dist_graph_create_adjacent, MEET, 0, -1) \
    X(Publish_name, WORLD, -1, -1)             \
    X(Unpublish_name, WORLD, -1, -1)           \
    X(Lookup_name, WORLD, -1, -1)              \
    X(Cancel, NONE, -1, -1)                    \
    X(Request_free, NONE, -1, -1)              \
    X(File_open, MEET, 0, -1)                  \
    X(File_close, WORLD, -1, -1)               \
    X(File_sync, WORLD, -1, -1)                \
    X(File_delete, WORLD, -1, -1)              \
    X(File_get_size, WORLD, -1, -1)            \
    X(File_set_size, WORLD, -1, -1)            \
    X(File_preallocate, WORLD, -1, -1)         \
    X(File_set_view, WORLD, -1, -1)            \
    X(File_set_info, WORLD, -1, -1)            \
    X(File_set_atomicity, WORLD, -1, -1)       \
    X(File_get_position_shared, WORLD, -1, -1) \
    X(File_seek_shared, WORLD, -1, -1)         \
    X(File_read_all_end, WORLD, -1, -1)        \
    X(File_read_at_all_end, WORLD, -1, -1)     \
    X(File_read_ordered_end, WORLD, -1, -1)    \
    X(File_write_all_end, WORLD, -1, -1)       \
    X(File_write_at_all_end, WORLD, -1, -1)    \
    X(File_write_ordered_end, WORLD, -1, -1)   \
    X(Psend_init, NONE, -1, -1)                \
    X(Precv_init, NONE, -1, -1)                \
    X(Pready, WORLD, -1, -1)                   \
    X(Pready_range, WORLD, -1, -1)             \
    X(Pready_list, WORLD, -1, -1)              \
    X(Parrived, WORLD, -1, -1)                 \
    X(Comm_idup_with_info, LATER, 0, -1)       \
    X(Comm_create_from_group, WORLD, -1, -1)   \
    X(Intercomm_create_from_groups, WORLD, -1, -1)

#define PROA_HOST_COUNTED(X) \
    PROA_HOST_MESSAGES(X)    \
    PROA_HOST_COLLECTIVES(X) \
    PROA_HOST_NONBLOCKING(X) \
    PROA_HOST_PERSISTENT(X)  \
    PROA_HOST_FILES(X)

#endif
