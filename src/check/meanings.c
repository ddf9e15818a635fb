/* SPDX-License-Identifier: BSD-3-Clause */
/* See meanings.h. */
#include "check/meanings.h"

#define BOTH(call, what) [PROA_CALL_##call] = (what), [PROA_CALL_##call##_c] = (what)
const uint16_t proa_meanings[PROA_CALL_COUNT] = {
    BOTH(Put, PROA_MEANS_UPDATES),
    BOTH(Rput, PROA_MEANS_UPDATES),
    BOTH(Get, PROA_MEANS_FETCHES),
    BOTH(Rget, PROA_MEANS_FETCHES | PROA_MEANS_REQUESTS),
    BOTH(Accumulate, PROA_MEANS_UPDATES),
    BOTH(Raccumulate, PROA_MEANS_UPDATES),
    BOTH(Get_accumulate, PROA_MEANS_UPDATES | PROA_MEANS_FETCHES),
    BOTH(Rget_accumulate, PROA_MEANS_UPDATES | PROA_MEANS_FETCHES | PROA_MEANS_REQUESTS),
    BOTH(Put_notify, PROA_MEANS_UPDATES),
    BOTH(Rput_notify, PROA_MEANS_UPDATES),
    BOTH(Get_notify, PROA_MEANS_FETCHES),
    BOTH(Rget_notify, PROA_MEANS_FETCHES),
    BOTH(Accumulate_notify, PROA_MEANS_UPDATES),
    BOTH(Raccumulate_notify, PROA_MEANS_UPDATES),
    BOTH(Get_accumulate_notify, PROA_MEANS_UPDATES | PROA_MEANS_FETCHES),
    BOTH(Rget_accumulate_notify, PROA_MEANS_UPDATES | PROA_MEANS_FETCHES),
    [PROA_CALL_Fetch_and_op] = PROA_MEANS_UPDATES | PROA_MEANS_FETCHES,
    [PROA_CALL_Compare_and_swap] = PROA_MEANS_UPDATES | PROA_MEANS_FETCHES,
    [PROA_CALL_Win_fence] = PROA_MEANS_ENDS | PROA_MEANS_MEETS | PROA_MEANS_ALL,
    [PROA_CALL_Win_free] = PROA_MEANS_ENDS | PROA_MEANS_MEETS | PROA_MEANS_ALL,
    [PROA_CALL_Win_set_num_notify] = PROA_MEANS_ENDS | PROA_MEANS_MEETS | PROA_MEANS_ALL,
    [PROA_CALL_Win_complete] = PROA_MEANS_ENDS | PROA_MEANS_ALL,
    [PROA_CALL_Win_unlock] = PROA_MEANS_ENDS,
    [PROA_CALL_Win_unlock_all] = PROA_MEANS_ENDS | PROA_MEANS_ALL,
    [PROA_CALL_Win_flush] = PROA_MEANS_FLUSHES,
    [PROA_CALL_Win_flush_all] = PROA_MEANS_FLUSHES | PROA_MEANS_ALL,
    [PROA_CALL_Win_flush_local] = PROA_MEANS_FLUSHES,
    [PROA_CALL_Win_flush_local_all] = PROA_MEANS_FLUSHES | PROA_MEANS_ALL,
    [PROA_CALL_Win_wait] = PROA_MEANS_HEARS | PROA_MEANS_ALL,
    [PROA_CALL_Win_test] = PROA_MEANS_HEARS | PROA_MEANS_ALL,
    [PROA_CALL_Win_post] = PROA_MEANS_ALL,
    [PROA_CALL_Win_lock_all] = PROA_MEANS_ALL,
};
#undef BOTH
