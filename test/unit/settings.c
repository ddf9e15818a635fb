/* SPDX-License-Identifier: BSD-3-Clause */
/* The one table of settings: the values of each, the value used instead of a wrong one, and the
 * message to the user. */
#include "base/settings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct proa_setting *row_of(const char *variable)
{
    const struct proa_setting *row = proa_setting_rows;

    while (row->variable && strcmp(row->variable, variable) != 0)
        row++;
    assert_non_null(row->variable);
    return row;
}

static void check(const char *variable, const char *text, const char *used,
                  enum proa_setting_origin expected)
{
    enum proa_setting_origin origin;

    assert_string_equal(proa_setting_value(row_of(variable), text, &origin), used);
    assert_int_equal(origin, expected);
}

static void defaults_are_values(void **state)
{
    (void)state;
    for (const struct proa_setting *row = proa_setting_rows; row->variable; row++) {
        enum proa_setting_origin origin;

        assert_string_equal(proa_setting_value(row, NULL, &origin), row->fallback);
        assert_int_equal(origin, PROA_SETTING_DEFAULT);
        if (!*row->fallback)
            continue;
        assert_string_equal(proa_setting_value(row, row->fallback, &origin), row->fallback);
        assert_int_equal(origin, PROA_SETTING_ENVIRONMENT);
    }
}

static void values_are_checked(void **state)
{
    (void)state;
    check("PROA_DISABLE", "1", "1", PROA_SETTING_ENVIRONMENT);
    check("PROA_DISABLE", "yes", "0", PROA_SETTING_REFUSED);
    check("PROA_DISABLE", "0|1", "0", PROA_SETTING_REFUSED);
    check("PROA_DISABLE", "", "0", PROA_SETTING_DEFAULT);
    check("PROA_LOG", "3", "3", PROA_SETTING_ENVIRONMENT);
    check("PROA_LOG", "4", "1", PROA_SETTING_REFUSED);
    check("PROA_LOG", "-1", "1", PROA_SETTING_REFUSED);
    check("PROA_LOG", "2x", "1", PROA_SETTING_REFUSED);
    check("PROA_SPIN_NS", "-1", "-1", PROA_SETTING_ENVIRONMENT);
    check("PROA_TIMEOUT", "99999999999999999999", "60", PROA_SETTING_REFUSED);
    check("PROA_ADOPT", "never", "never", PROA_SETTING_ENVIRONMENT);
    check("PROA_ADOPT", "nev", "auto", PROA_SETTING_REFUSED);
    check("PROA_NET", "never", "auto", PROA_SETTING_REFUSED);
    check("PROA_PROVIDER", "tcp;ofi_rxm", "tcp;ofi_rxm", PROA_SETTING_ENVIRONMENT);
}

static void words_say_what_is_possible(void **state)
{
    char words[64];

    (void)state;
    assert_string_equal(proa_setting_words(row_of("PROA_LOG"), words, sizeof words), "0 to 3");
    assert_string_equal(proa_setting_words(row_of("PROA_STRICT"), words, sizeof words), "0 or 1");
    assert_string_equal(proa_setting_words(row_of("PROA_ADOPT"), words, sizeof words),
                        "auto, always or never");
    assert_string_equal(proa_setting_words(row_of("PROA_LIBDIR"), words, sizeof words), "a folder");
}

static char said[1000];

static void hear(const char *sentence)
{
    strcat(strcat(said, sentence), "\n");
}

static void wrong_values_are_named(void **state)
{
    (void)state;
    setenv("PROA_ADOPT", "nver", 1);
    setenv("PROA_LOG", "2", 1);
    setenv("PROA_TIMEOUT", "a minute", 1);
    proa_settings_complain(hear);
    assert_string_equal(said,
                        "PROA_ADOPT=nver is not auto, always or never: auto, the default, is used\n"
                        "PROA_TIMEOUT=a minute is not 0 to 1000000: 60, the default, is used\n");
    assert_string_equal(proa_settings()->adopt, "auto");
    assert_int_equal(proa_settings()->log_level, 2);
    assert_int_equal(proa_settings()->timeout_s, 60);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_values),
        cmocka_unit_test(values_are_checked),
        cmocka_unit_test(words_say_what_is_possible),
        cmocka_unit_test(wrong_values_are_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
