/* What is done when the library is loaded, before main, in every process that gets it: also in shells and launchers. */
#include "host/absent.h"

__attribute__((constructor)) static void load(void)
{
    proa_absent_mark();
}
