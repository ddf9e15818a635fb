/* SPDX-License-Identifier: BSD-3-Clause */
/* Declarations that the files of the tool use from Valgrind's core, and from each other. */
#ifndef PROA_TRANSLATOR_CORE_H
#define PROA_TRANSLATOR_CORE_H

#include <pub_tool_basics.h>

#include <libvex_guest_amd64.h>
#include <pub_tool_vki.h>

#include <pub_tool_aspacemgr.h>
#include <pub_tool_debuginfo.h>
#include <pub_tool_execontext.h>
#include <pub_tool_libcassert.h>
#include <pub_tool_libcbase.h>
#include <pub_tool_libcprint.h>
#include <pub_tool_libcproc.h>
#include <pub_tool_machine.h>
#include <pub_tool_mallocfree.h>
#include <pub_tool_options.h>
#include <pub_tool_stacktrace.h>
#include <pub_tool_threadstate.h>
#include <pub_tool_tooliface.h>
#include <pub_tool_transtab.h>

#include "translator/requests.h"

#endif
