/* How much memory the node can still give, so that a reservation is refused instead of calling the out-of-memory killer. */
#ifndef PROA_CORE_AVAILABLE_H
#define PROA_CORE_AVAILABLE_H

#include <stdint.h>

/* Bytes that may still be reserved: what the kernel reports as available, or what is left to this control group, less a margin; UINT64_MAX
 * where neither can be read. */
uint64_t proa_memory_available(void);

#endif
