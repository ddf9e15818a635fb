/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The standard ABI of MPI (MPI-5.0, chapter 20), as far as Proa uses it. libproa-abi.so is compiled
 * against this on every machine, with or without an MPI that has the ABI.
 *
 * Written for the project from the constants and prototypes that the standard publishes. The test
 * chapter.header compares it with the header of each host that has one. Programs must not include
 * it: they need all of MPI.
 */
#ifndef PROA_HOST_ABI_MPI_H
#define PROA_HOST_ABI_MPI_H

#include <stdint.h>

/* ---- types ---- */

typedef intptr_t MPI_Aint;
typedef int64_t MPI_Offset;
typedef int64_t MPI_Count;

typedef struct MPI_ABI_Comm *MPI_Comm;
typedef struct MPI_ABI_Datatype *MPI_Datatype;
typedef struct MPI_ABI_Errhandler *MPI_Errhandler;
typedef struct MPI_ABI_Group *MPI_Group;
typedef struct MPI_ABI_Info *MPI_Info;
typedef struct MPI_ABI_Op *MPI_Op;
typedef struct MPI_ABI_Request *MPI_Request;
typedef struct MPI_ABI_Session *MPI_Session;
typedef struct MPI_ABI_Win *MPI_Win;

typedef struct {
    int MPI_SOURCE;
    int MPI_TAG;
    int MPI_ERROR;
    int MPI_internal[5];
} MPI_Status;

typedef int MPI_Comm_copy_attr_function(MPI_Comm, int, void *, void *, void *, int *);
typedef int MPI_Comm_delete_attr_function(MPI_Comm, int, void *, void *);
typedef int MPI_Type_copy_attr_function(MPI_Datatype, int, void *, void *, void *, int *);
typedef int MPI_Type_delete_attr_function(MPI_Datatype, int, void *, void *);
typedef int MPI_Win_copy_attr_function(MPI_Win, int, void *, void *, void *, int *);
typedef int MPI_Win_delete_attr_function(MPI_Win, int, void *, void *);
typedef void MPI_Comm_errhandler_function(MPI_Comm *, int *, ...);
typedef void MPI_Win_errhandler_function(MPI_Win *, int *, ...);
typedef int MPI_Grequest_query_function(void *, MPI_Status *);
typedef int MPI_Grequest_free_function(void *);
typedef int MPI_Grequest_cancel_function(void *, int);

/* ---- handles and pointers ---- */

#define MPI_VERSION 5
#define MPI_SUBVERSION 0

#define MPI_OP_NULL ((MPI_Op)0x20)
#define MPI_SUM ((MPI_Op)0x21)
#define MPI_MIN ((MPI_Op)0x22)
#define MPI_MAX ((MPI_Op)0x23)
#define MPI_PROD ((MPI_Op)0x24)
#define MPI_BAND ((MPI_Op)0x28)
#define MPI_BOR ((MPI_Op)0x29)
#define MPI_BXOR ((MPI_Op)0x2a)
#define MPI_LAND ((MPI_Op)0x30)
#define MPI_LOR ((MPI_Op)0x31)
#define MPI_LXOR ((MPI_Op)0x32)
#define MPI_MINLOC ((MPI_Op)0x38)
#define MPI_MAXLOC ((MPI_Op)0x39)
#define MPI_REPLACE ((MPI_Op)0x3c)
#define MPI_NO_OP ((MPI_Op)0x3d)
#define MPI_COMM_NULL ((MPI_Comm)0x100)
#define MPI_COMM_WORLD ((MPI_Comm)0x101)
#define MPI_COMM_SELF ((MPI_Comm)0x102)
#define MPI_GROUP_NULL ((MPI_Group)0x108)
#define MPI_WIN_NULL ((MPI_Win)0x110)
#define MPI_SESSION_NULL ((MPI_Session)0x120)
#define MPI_INFO_NULL ((MPI_Info)0x130)
#define MPI_ERRHANDLER_NULL ((MPI_Errhandler)0x140)
#define MPI_ERRORS_ARE_FATAL ((MPI_Errhandler)0x141)
#define MPI_ERRORS_ABORT ((MPI_Errhandler)0x142)
#define MPI_ERRORS_RETURN ((MPI_Errhandler)0x143)
#define MPI_REQUEST_NULL ((MPI_Request)0x180)
#define MPI_DATATYPE_NULL ((MPI_Datatype)0x200)
#define MPI_AINT ((MPI_Datatype)0x201)
#define MPI_COUNT ((MPI_Datatype)0x202)
#define MPI_OFFSET ((MPI_Datatype)0x203)
#define MPI_PACKED ((MPI_Datatype)0x207)
#define MPI_SHORT ((MPI_Datatype)0x208)
#define MPI_INT ((MPI_Datatype)0x209)
#define MPI_LONG ((MPI_Datatype)0x20a)
#define MPI_LONG_LONG ((MPI_Datatype)0x20b)
#define MPI_LONG_LONG_INT MPI_LONG_LONG
#define MPI_UNSIGNED_SHORT ((MPI_Datatype)0x20c)
#define MPI_UNSIGNED ((MPI_Datatype)0x20d)
#define MPI_UNSIGNED_LONG ((MPI_Datatype)0x20e)
#define MPI_UNSIGNED_LONG_LONG ((MPI_Datatype)0x20f)
#define MPI_FLOAT ((MPI_Datatype)0x210)
#define MPI_C_FLOAT_COMPLEX ((MPI_Datatype)0x212)
#define MPI_C_COMPLEX MPI_C_FLOAT_COMPLEX
#define MPI_CXX_FLOAT_COMPLEX ((MPI_Datatype)0x213)
#define MPI_DOUBLE ((MPI_Datatype)0x214)
#define MPI_C_DOUBLE_COMPLEX ((MPI_Datatype)0x216)
#define MPI_CXX_DOUBLE_COMPLEX ((MPI_Datatype)0x217)
#define MPI_LOGICAL ((MPI_Datatype)0x218)
#define MPI_INTEGER ((MPI_Datatype)0x219)
#define MPI_REAL ((MPI_Datatype)0x21a)
#define MPI_COMPLEX ((MPI_Datatype)0x21b)
#define MPI_DOUBLE_PRECISION ((MPI_Datatype)0x21c)
#define MPI_DOUBLE_COMPLEX ((MPI_Datatype)0x21d)
#define MPI_CHARACTER ((MPI_Datatype)0x21e)
#define MPI_LONG_DOUBLE ((MPI_Datatype)0x220)
#define MPI_C_LONG_DOUBLE_COMPLEX ((MPI_Datatype)0x224)
#define MPI_CXX_LONG_DOUBLE_COMPLEX ((MPI_Datatype)0x225)
#define MPI_FLOAT_INT ((MPI_Datatype)0x228)
#define MPI_DOUBLE_INT ((MPI_Datatype)0x229)
#define MPI_LONG_INT ((MPI_Datatype)0x22a)
#define MPI_2INT ((MPI_Datatype)0x22b)
#define MPI_SHORT_INT ((MPI_Datatype)0x22c)
#define MPI_LONG_DOUBLE_INT ((MPI_Datatype)0x22d)
#define MPI_2REAL ((MPI_Datatype)0x230)
#define MPI_2DOUBLE_PRECISION ((MPI_Datatype)0x231)
#define MPI_2INTEGER ((MPI_Datatype)0x232)
#define MPI_C_BOOL ((MPI_Datatype)0x238)
#define MPI_CXX_BOOL ((MPI_Datatype)0x239)
#define MPI_WCHAR ((MPI_Datatype)0x23c)
#define MPI_INT8_T ((MPI_Datatype)0x240)
#define MPI_UINT8_T ((MPI_Datatype)0x241)
#define MPI_CHAR ((MPI_Datatype)0x243)
#define MPI_SIGNED_CHAR ((MPI_Datatype)0x244)
#define MPI_UNSIGNED_CHAR ((MPI_Datatype)0x245)
#define MPI_BYTE ((MPI_Datatype)0x247)
#define MPI_INT16_T ((MPI_Datatype)0x248)
#define MPI_UINT16_T ((MPI_Datatype)0x249)
#define MPI_INT32_T ((MPI_Datatype)0x250)
#define MPI_UINT32_T ((MPI_Datatype)0x251)
#define MPI_INT64_T ((MPI_Datatype)0x258)
#define MPI_UINT64_T ((MPI_Datatype)0x259)
#define MPI_LOGICAL1 ((MPI_Datatype)0x2c0)
#define MPI_INTEGER1 ((MPI_Datatype)0x2c1)
#define MPI_LOGICAL2 ((MPI_Datatype)0x2c8)
#define MPI_INTEGER2 ((MPI_Datatype)0x2c9)
#define MPI_REAL2 ((MPI_Datatype)0x2ca)
#define MPI_LOGICAL4 ((MPI_Datatype)0x2d0)
#define MPI_INTEGER4 ((MPI_Datatype)0x2d1)
#define MPI_REAL4 ((MPI_Datatype)0x2d2)
#define MPI_COMPLEX4 ((MPI_Datatype)0x2d3)
#define MPI_LOGICAL8 ((MPI_Datatype)0x2d8)
#define MPI_INTEGER8 ((MPI_Datatype)0x2d9)
#define MPI_REAL8 ((MPI_Datatype)0x2da)
#define MPI_COMPLEX8 ((MPI_Datatype)0x2db)
#define MPI_LOGICAL16 ((MPI_Datatype)0x2e0)
#define MPI_INTEGER16 ((MPI_Datatype)0x2e1)
#define MPI_REAL16 ((MPI_Datatype)0x2e2)
#define MPI_COMPLEX16 ((MPI_Datatype)0x2e3)
#define MPI_COMPLEX32 ((MPI_Datatype)0x2eb)
#define MPI_BOTTOM ((void *)0)
#define MPI_IN_PLACE ((void *)1)
#define MPI_STATUS_IGNORE ((MPI_Status *)0)
#define MPI_STATUSES_IGNORE ((MPI_Status *)0)
#define MPI_COMM_NULL_COPY_FN ((MPI_Comm_copy_attr_function *)0)
#define MPI_TYPE_NULL_COPY_FN ((MPI_Type_copy_attr_function *)0)
#define MPI_WIN_NULL_COPY_FN ((MPI_Win_copy_attr_function *)0)
#define MPI_WIN_NULL_DELETE_FN ((MPI_Win_delete_attr_function *)0)

/* ---- numbers ---- */

enum {
    MPI_SUCCESS = 0,
    MPI_ERR_BUFFER = 1,
    MPI_ERR_COUNT = 2,
    MPI_ERR_TYPE = 3,
    MPI_ERR_COMM = 5,
    MPI_ERR_RANK = 6,
    MPI_ERR_REQUEST = 7,
    MPI_ERR_GROUP = 9,
    MPI_ERR_OP = 10,
    MPI_ERR_ARG = 13,
    MPI_ERR_OTHER = 16,
    MPI_ERR_INTERN = 17,
    MPI_ERR_IN_STATUS = 19,
    MPI_ERR_ASSERT = 22,
    MPI_ERR_BASE = 24,
    MPI_ERR_DISP = 26,
    MPI_ERR_INFO = 34,
    MPI_ERR_KEYVAL = 36,
    MPI_ERR_LOCKTYPE = 37,
    MPI_ERR_NO_MEM = 39,
    MPI_ERR_RMA_ATTACH = 46,
    MPI_ERR_RMA_RANGE = 48,
    MPI_ERR_RMA_SHARED = 49,
    MPI_ERR_RMA_SYNC = 50,
    MPI_ERR_SIZE = 52,
    MPI_ERR_UNSUPPORTED_OPERATION = 55,
    MPI_ERR_WIN = 56,
    MPI_ERR_RMA_FLAVOR = 57,
    MPI_MAX_ERROR_STRING = 512,
    MPI_MAX_INFO_VAL = 1024,
    MPI_MAX_LIBRARY_VERSION_STRING = 8192,
    MPI_MAX_OBJECT_NAME = 128,
    MPI_MODE_NOCHECK = 1024,
    MPI_MODE_NOPRECEDE = 2048,
    MPI_MODE_NOPUT = 4096,
    MPI_MODE_NOSTORE = 8192,
    MPI_MODE_NOSUCCEED = 16384,
    MPI_PROC_NULL = -3,
    MPI_UNDEFINED = -32766,
    MPI_THREAD_SINGLE = 0,
    MPI_THREAD_MULTIPLE = 4096,
    MPI_ORDER_C = 12,
    MPI_ORDER_FORTRAN = 15,
    MPI_DISTRIBUTE_BLOCK = 17,
    MPI_DISTRIBUTE_CYCLIC = 18,
    MPI_DISTRIBUTE_DFLT_DARG = 19,
    MPI_COMBINER_NAMED = 101,
    MPI_COMBINER_DUP = 102,
    MPI_COMBINER_CONTIGUOUS = 103,
    MPI_COMBINER_VECTOR = 104,
    MPI_COMBINER_HVECTOR = 105,
    MPI_COMBINER_INDEXED = 106,
    MPI_COMBINER_HINDEXED = 107,
    MPI_COMBINER_INDEXED_BLOCK = 108,
    MPI_COMBINER_HINDEXED_BLOCK = 109,
    MPI_COMBINER_STRUCT = 110,
    MPI_COMBINER_SUBARRAY = 111,
    MPI_COMBINER_DARRAY = 112,
    MPI_COMBINER_F90_REAL = 113,
    MPI_COMBINER_F90_COMPLEX = 114,
    MPI_COMBINER_F90_INTEGER = 115,
    MPI_COMBINER_RESIZED = 116,
    MPI_LOCK_EXCLUSIVE = 301,
    MPI_LOCK_SHARED = 302,
    MPI_WIN_FLAVOR_CREATE = 311,
    MPI_WIN_FLAVOR_ALLOCATE = 312,
    MPI_WIN_FLAVOR_DYNAMIC = 313,
    MPI_WIN_FLAVOR_SHARED = 314,
    MPI_WIN_UNIFIED = 321,
    MPI_KEYVAL_INVALID = 0,
    MPI_WIN_BASE = 601,
    MPI_WIN_DISP_UNIT = 602,
    MPI_WIN_SIZE = 603,
    MPI_WIN_CREATE_FLAVOR = 604,
    MPI_WIN_MODEL = 605,
};

/* ---- functions ---- */

int PMPI_Abort(MPI_Comm, int);
int PMPI_Accumulate(const void *, int, MPI_Datatype, int, MPI_Aint, int, MPI_Datatype, MPI_Op,
                    MPI_Win);
int PMPI_Accumulate_c(const void *, MPI_Count, MPI_Datatype, int, MPI_Aint, MPI_Count, MPI_Datatype,
                      MPI_Op, MPI_Win);
int PMPI_Allgather(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm);
int PMPI_Alloc_mem(MPI_Aint, MPI_Info, void *);
int PMPI_Allreduce(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm);
int PMPI_Bcast(void *, int, MPI_Datatype, int, MPI_Comm);
int PMPI_Cancel(MPI_Request *);
int PMPI_Comm_accept(const char *, MPI_Info, int, MPI_Comm, MPI_Comm *);
int PMPI_Comm_call_errhandler(MPI_Comm, int);
int PMPI_Comm_connect(const char *, MPI_Info, int, MPI_Comm, MPI_Comm *);
int PMPI_Comm_create_from_group(MPI_Group, const char *, MPI_Info, MPI_Errhandler, MPI_Comm *);
int PMPI_Comm_create_group(MPI_Comm, MPI_Group, int, MPI_Comm *);
int PMPI_Comm_create_keyval(MPI_Comm_copy_attr_function *, MPI_Comm_delete_attr_function *, int *,
                            void *);
int PMPI_Comm_free(MPI_Comm *);
int PMPI_Comm_free_keyval(int *);
int PMPI_Comm_get_errhandler(MPI_Comm, MPI_Errhandler *);
int PMPI_Comm_get_parent(MPI_Comm *);
int PMPI_Comm_group(MPI_Comm, MPI_Group *);
int PMPI_Comm_join(int, MPI_Comm *);
int PMPI_Comm_rank(MPI_Comm, int *);
int PMPI_Comm_get_attr(MPI_Comm, int, void *, int *);
int PMPI_Comm_set_attr(MPI_Comm, int, void *);
int PMPI_Comm_get_attr(MPI_Comm, int, void *, int *);
int PMPI_Comm_remote_group(MPI_Comm, MPI_Group *);
int PMPI_Comm_set_errhandler(MPI_Comm, MPI_Errhandler);
int PMPI_Comm_size(MPI_Comm, int *);
int PMPI_Comm_spawn(const char *, char **, int, MPI_Info, int, MPI_Comm, MPI_Comm *, int *);
int PMPI_Comm_spawn_multiple(int, char **, char ***, const int *, const MPI_Info *, int, MPI_Comm,
                             MPI_Comm *, int *);
int PMPI_Comm_split(MPI_Comm, int, int, MPI_Comm *);
int PMPI_Comm_test_inter(MPI_Comm, int *);
int PMPI_Compare_and_swap(const void *, const void *, void *, MPI_Datatype, int, MPI_Aint, MPI_Win);
int PMPI_Errhandler_free(MPI_Errhandler *);
int PMPI_Add_error_class(int *);
int PMPI_Error_class(int, int *);
int PMPI_Add_error_string(int, const char *);
int PMPI_Error_string(int, char *, int *);
int PMPI_Fetch_and_op(const void *, void *, MPI_Datatype, int, MPI_Aint, MPI_Op, MPI_Win);
int PMPI_Finalized(int *);
int PMPI_Free_mem(void *);
int PMPI_Get(void *, int, MPI_Datatype, int, MPI_Aint, int, MPI_Datatype, MPI_Win);
int PMPI_Get_accumulate(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, int, MPI_Aint,
                        int, MPI_Datatype, MPI_Op, MPI_Win);
int PMPI_Get_accumulate_c(const void *, MPI_Count, MPI_Datatype, void *, MPI_Count, MPI_Datatype,
                          int, MPI_Aint, MPI_Count, MPI_Datatype, MPI_Op, MPI_Win);
int PMPI_Get_c(void *, MPI_Count, MPI_Datatype, int, MPI_Aint, MPI_Count, MPI_Datatype, MPI_Win);
int PMPI_Get_library_version(char *, int *);
int PMPI_Grequest_complete(MPI_Request);
int PMPI_Grequest_start(MPI_Grequest_query_function *, MPI_Grequest_free_function *,
                        MPI_Grequest_cancel_function *, void *, MPI_Request *);
int PMPI_Group_excl(MPI_Group, int, const int *, MPI_Group *);
int PMPI_Group_free(MPI_Group *);
int PMPI_Group_from_session_pset(MPI_Session, const char *, MPI_Group *);
int PMPI_Group_incl(MPI_Group, int, const int *, MPI_Group *);
int PMPI_Group_rank(MPI_Group, int *);
int PMPI_Group_size(MPI_Group, int *);
int PMPI_Group_translate_ranks(MPI_Group, int, const int *, MPI_Group, int *);
int PMPI_Iallgather(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm,
                    MPI_Request *);
int PMPI_Iallreduce(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Request *);
int PMPI_Info_create(MPI_Info *);
int PMPI_Info_dup(MPI_Info, MPI_Info *);
int PMPI_Info_free(MPI_Info *);
int PMPI_Info_get_string(MPI_Info, const char *, int *, char *, int *);
int PMPI_Info_set(MPI_Info, const char *, const char *);
int PMPI_Init(int *, char ***);
int PMPI_Init_thread(int *, char ***, int, int *);
int PMPI_Initialized(int *);
int PMPI_Irecv(void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);
int PMPI_Isend(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);
int PMPI_Put(const void *, int, MPI_Datatype, int, MPI_Aint, int, MPI_Datatype, MPI_Win);
int PMPI_Put_c(const void *, MPI_Count, MPI_Datatype, int, MPI_Aint, MPI_Count, MPI_Datatype,
               MPI_Win);
int PMPI_Query_thread(int *);
int PMPI_Raccumulate(const void *, int, MPI_Datatype, int, MPI_Aint, int, MPI_Datatype, MPI_Op,
                     MPI_Win, MPI_Request *);
int PMPI_Raccumulate_c(const void *, MPI_Count, MPI_Datatype, int, MPI_Aint, MPI_Count,
                       MPI_Datatype, MPI_Op, MPI_Win, MPI_Request *);
int PMPI_Request_get_status(MPI_Request, int *, MPI_Status *);
int PMPI_Rget(void *, int, MPI_Datatype, int, MPI_Aint, int, MPI_Datatype, MPI_Win, MPI_Request *);
int PMPI_Rget_accumulate(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, int, MPI_Aint,
                         int, MPI_Datatype, MPI_Op, MPI_Win, MPI_Request *);
int PMPI_Rget_accumulate_c(const void *, MPI_Count, MPI_Datatype, void *, MPI_Count, MPI_Datatype,
                           int, MPI_Aint, MPI_Count, MPI_Datatype, MPI_Op, MPI_Win, MPI_Request *);
int PMPI_Rget_c(void *, MPI_Count, MPI_Datatype, int, MPI_Aint, MPI_Count, MPI_Datatype, MPI_Win,
                MPI_Request *);
int PMPI_Rput(const void *, int, MPI_Datatype, int, MPI_Aint, int, MPI_Datatype, MPI_Win,
              MPI_Request *);
int PMPI_Rput_c(const void *, MPI_Count, MPI_Datatype, int, MPI_Aint, MPI_Count, MPI_Datatype,
                MPI_Win, MPI_Request *);
int PMPI_Request_free(MPI_Request *);
int PMPI_Send(const void *, int, MPI_Datatype, int, int, MPI_Comm);
int PMPI_Session_finalize(MPI_Session *);
int PMPI_Session_init(MPI_Info, MPI_Errhandler, MPI_Session *);
int PMPI_Status_set_cancelled(MPI_Status *, int);
int PMPI_Status_set_elements(MPI_Status *, MPI_Datatype, int);
int PMPI_Test(MPI_Request *, int *, MPI_Status *);
int PMPI_Testall(int, MPI_Request[], int *, MPI_Status[]);
int PMPI_Testany(int, MPI_Request[], int *, int *, MPI_Status *);
int PMPI_Testsome(int, MPI_Request[], int *, int[], MPI_Status[]);
int PMPI_Type_create_keyval(MPI_Type_copy_attr_function *, MPI_Type_delete_attr_function *, int *,
                            void *);
int PMPI_Type_free(MPI_Datatype *);
int PMPI_Type_get_contents_c(MPI_Datatype, MPI_Count, MPI_Count, MPI_Count, MPI_Count, int *,
                             MPI_Aint *, MPI_Count *, MPI_Datatype *);
int PMPI_Type_get_envelope_c(MPI_Datatype, MPI_Count *, MPI_Count *, MPI_Count *, MPI_Count *,
                             int *);
int PMPI_Type_get_extent_c(MPI_Datatype, MPI_Count *, MPI_Count *);
int PMPI_Type_set_attr(MPI_Datatype, int, void *);
int PMPI_Type_size(MPI_Datatype, int *);
int PMPI_Type_get_name(MPI_Datatype, char *, int *);
int PMPI_Wait(MPI_Request *, MPI_Status *);
int PMPI_Waitall(int, MPI_Request[], MPI_Status[]);
int PMPI_Waitany(int, MPI_Request[], int *, MPI_Status *);
int PMPI_Waitsome(int, MPI_Request[], int *, int[], MPI_Status[]);
int PMPI_Win_allocate(MPI_Aint, int, MPI_Info, MPI_Comm, void *, MPI_Win *);
int PMPI_Win_allocate_c(MPI_Aint, MPI_Aint, MPI_Info, MPI_Comm, void *, MPI_Win *);
int PMPI_Win_allocate_shared(MPI_Aint, int, MPI_Info, MPI_Comm, void *, MPI_Win *);
int PMPI_Win_allocate_shared_c(MPI_Aint, MPI_Aint, MPI_Info, MPI_Comm, void *, MPI_Win *);
int PMPI_Win_attach(MPI_Win, void *, MPI_Aint);
int PMPI_Win_call_errhandler(MPI_Win, int);
int PMPI_Win_complete(MPI_Win);
int PMPI_Win_create(void *, MPI_Aint, int, MPI_Info, MPI_Comm, MPI_Win *);
int PMPI_Win_create_c(void *, MPI_Aint, MPI_Aint, MPI_Info, MPI_Comm, MPI_Win *);
int PMPI_Win_create_dynamic(MPI_Info, MPI_Comm, MPI_Win *);
int PMPI_Win_create_errhandler(MPI_Win_errhandler_function *, MPI_Errhandler *);
int PMPI_Win_create_keyval(MPI_Win_copy_attr_function *, MPI_Win_delete_attr_function *, int *,
                           void *);
int PMPI_Win_delete_attr(MPI_Win, int);
int PMPI_Win_detach(MPI_Win, const void *);
int PMPI_Win_fence(int, MPI_Win);
int PMPI_Win_flush(int, MPI_Win);
int PMPI_Win_flush_all(MPI_Win);
int PMPI_Win_flush_local(int, MPI_Win);
int PMPI_Win_flush_local_all(MPI_Win);
int PMPI_Win_free(MPI_Win *);
int PMPI_Win_get_attr(MPI_Win, int, void *, int *);
int PMPI_Win_get_errhandler(MPI_Win, MPI_Errhandler *);
int PMPI_Win_get_group(MPI_Win, MPI_Group *);
int PMPI_Win_get_info(MPI_Win, MPI_Info *);
int PMPI_Win_get_name(MPI_Win, char *, int *);
int PMPI_Win_lock(int, int, int, MPI_Win);
int PMPI_Win_lock_all(int, MPI_Win);
int PMPI_Win_post(MPI_Group, int, MPI_Win);
int PMPI_Win_set_attr(MPI_Win, int, void *);
int PMPI_Win_set_errhandler(MPI_Win, MPI_Errhandler);
int PMPI_Win_set_info(MPI_Win, MPI_Info);
int PMPI_Win_set_name(MPI_Win, const char *);
int PMPI_Win_shared_query(MPI_Win, int, MPI_Aint *, int *, void *);
int PMPI_Win_shared_query_c(MPI_Win, int, MPI_Aint *, MPI_Aint *, void *);
int PMPI_Win_start(MPI_Group, int, MPI_Win);
int PMPI_Win_sync(MPI_Win);
int PMPI_Win_test(MPI_Win, int *);
int PMPI_Win_unlock(int, MPI_Win);
int PMPI_Win_unlock_all(MPI_Win);
int PMPI_Win_wait(MPI_Win);

/* conversions; MPI_Fint is int */
int PMPI_Win_toint(MPI_Win);
MPI_Win PMPI_Win_fromint(int);
int PMPI_Win_c2f(MPI_Win);
MPI_Win PMPI_Win_f2c(int);

#endif
