/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * assert_between(value, least, most), of unsigned values: cmocka 2 has deprecated the name that
 * cmocka 1 has for it. After cmocka.h.
 */
#ifndef PROA_TEST_BETWEEN_H
#define PROA_TEST_BETWEEN_H

#ifdef assert_uint_in_range
#define assert_between assert_uint_in_range
#else
#define assert_between assert_in_range
#endif

#endif
