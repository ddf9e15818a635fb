/* SPDX-License-Identifier: BSD-3-Clause */
/* The memory operands of instructions (traps/operand.h). The bytes are of an assembler, and rsi,
 * rdi, r9 and r12 hold addresses. */
#include "traps/operand.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <ucontext.h>

#include <cmocka.h>

#ifdef __x86_64__

enum { RSI = 0x1000, RDI = 0x2000, R9 = 0x9000, R12 = 0xc000, RCX = 5, DIRECTION = 0x400 };

static ucontext_t context;

static int operands(const char *code, struct proa_operand found[PROA_OPERANDS])
{
    greg_t *registers = context.uc_mcontext.gregs;

    registers[REG_RIP] = (greg_t)(uintptr_t)code;
    registers[REG_RSI] = RSI;
    registers[REG_RDI] = RDI;
    registers[REG_R9] = R9;
    registers[REG_R12] = R12;
    registers[REG_RCX] = RCX;
    return proa_operands(&context, found);
}

static void expect_of(const char *code, const struct proa_operand *wanted, int count)
{
    struct proa_operand found[PROA_OPERANDS];

    assert_int_equal(operands(code, found), count);
    for (int i = 0; i < count; i++) {
        assert_int_equal(found[i].address, wanted[i].address);
        assert_int_equal(found[i].bytes, wanted[i].bytes);
        assert_int_equal(found[i].stores, wanted[i].stores);
    }
}

static void expect_load(const char *code, uintptr_t address, size_t bytes)
{
    expect_of(code, &(struct proa_operand){address, bytes, 0}, 1);
}

static void expect_store(const char *code, uintptr_t address, size_t bytes)
{
    expect_of(code, &(struct proa_operand){address, bytes, 1}, 1);
}

static void expect_none(const char *code)
{
    expect_of(code, NULL, 0);
}

static void sizes(void **state)
{
    (void)state;
    expect_load("\x8a\x06", RSI, 1);              /* mov al, [rsi] */
    expect_load("\x66\x8b\x06", RSI, 2);          /* mov ax, [rsi] */
    expect_load("\x8b\x06", RSI, 4);              /* mov eax, [rsi] */
    expect_load("\x48\x8b\x06", RSI, 8);          /* mov rax, [rsi] */
    expect_load("\x0f\xb6\x06", RSI, 1);          /* movzx eax, byte [rsi] */
    expect_load("\x48\x63\x06", RSI, 4);          /* movsxd rax, [rsi] */
    expect_load("\x83\x3e\x05", RSI, 4);          /* cmp dword [rsi], 5 */
    expect_load("\xdb\x2e", RSI, 10);             /* fld tbyte [rsi] */
    expect_store("\x83\x06\x01", RSI, 4);         /* add dword [rsi], 1 */
    expect_store("\x01\x06", RSI, 4);             /* add [rsi], eax */
    expect_load("\x03\x06", RSI, 4);              /* add eax, [rsi] */
    expect_store("\xc6\x06\x07", RSI, 1);         /* mov byte [rsi], 7 */
    expect_store("\xf0\x48\x0f\xc1\x06", RSI, 8); /* lock xadd [rsi], rax */
}

/* Of loads the first byte. */
static void vectors(void **state)
{
    (void)state;
    expect_load("\xf3\x0f\x6f\x06", RSI, 1);                    /* movdqu xmm0, [rsi] */
    expect_load("\xc5\xfe\x6f\x06", RSI, 1);                    /* vmovdqu ymm0, [rsi] */
    expect_store("\x0f\x29\x06", RSI, 16);                      /* movaps [rsi], xmm0 */
    expect_store("\xf2\x0f\x11\x06", RSI, 8);                   /* movsd [rsi], xmm0 */
    expect_store("\x66\x0f\xd6\x06", RSI, 8);                   /* movq [rsi], xmm0 */
    expect_store("\xc5\xfe\x7f\x06", RSI, 32);                  /* vmovdqu [rsi], ymm0 */
    expect_store("\xc4\xc1\x7e\x7f\x01", R9, 32);               /* vmovdqu [r9], ymm0 */
    expect_store("\x62\xf1\xfe\x48\x7f\x46\x01", RSI + 64, 64); /* vmovdqu64 [rsi+64], zmm0 */
    expect_none("\x62\xf1\xfe\x49\x7f\x06");                    /* vmovdqu64 [rsi]{k1}, zmm0 */
    expect_none("\xc5\xf8\x90\x06");                            /* kmovw k0, [rsi] */
}

static void addresses(void **state)
{
    static const char relative[] = "\xc7\x05\x10\x00\x00\x00\x01\x00\x00\x00"; /* [rip+16] = 1 */
    static const char near[] = "\x8b\x05\xf0\xff\xff\xff";                     /* [rip-16] */

    (void)state;
    expect_load("\x8b\x46\xfc", RSI - 4, 4);                          /* [rsi-4] */
    expect_load("\x8b\x86\x00\x01\x00\x00", RSI + 256, 4);            /* [rsi+256] */
    expect_load("\x8b\x04\x8e", RSI + 4 * RCX, 4);                    /* [rsi+4*rcx] */
    expect_load("\x43\x8b\x44\x8c\x08", R12 + 4 * R9 + 8, 4);         /* [r12+4*r9+8] */
    expect_load("\x41\x8b\x04\x24", R12, 4);                          /* [r12] */
    expect_load("\x8b\x04\x25\x00\x10\x00\x00", 0x1000, 4);           /* [0x1000] */
    expect_load("\x8b\x04\x8d\x00\x10\x00\x00", 0x1000 + 4 * RCX, 4); /* [4*rcx+0x1000] */
    expect_store(relative, (uintptr_t)relative + 10 + 16, 4);
    expect_load(near, (uintptr_t)near + 6 - 16, 4);
    expect_none("\x64\x8b\x06");     /* fs:[rsi] */
    expect_none("\x67\x8b\x06");     /* [esi] */
    expect_none("\x8b\xc6");         /* mov eax, esi */
    expect_none("\x48\x8d\x06");     /* lea rax, [rsi] */
    expect_none("\x0f\x1f\x46\x00"); /* nop [rsi+0] */
}

static void strings(void **state)
{
    (void)state;
    expect_of("\x48\xa5", (struct proa_operand[]){{RSI, 8, 0}, {RDI, 8, 1}}, 2);
    expect_of("\xf3\xa5", (struct proa_operand[]){{RSI, 4 * RCX, 0}, {RDI, 4 * RCX, 1}}, 2);
    expect_of("\xf3\x66\xa5", (struct proa_operand[]){{RSI, 2 * RCX, 0}, {RDI, 2 * RCX, 1}}, 2);
    expect_store("\xf3\xaa", RDI, RCX); /* rep stosb */
    expect_load("\xac", RSI, 1);        /* lodsb */
    expect_none("\xf3\xa6");            /* repe cmpsb */
    context.uc_mcontext.gregs[REG_EFL] = DIRECTION;
    expect_store("\xf3\xab", RDI - 4 * (RCX - 1), 4 * RCX); /* rep stosd, downwards */
    context.uc_mcontext.gregs[REG_EFL] = 0;
}

#else

static void elsewhere(void **state)
{
    struct proa_operand found[PROA_OPERANDS];
    ucontext_t context;

    (void)state;
    memset(&context, 0, sizeof context);
    assert_int_equal(proa_operands(&context, found), 0);
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
#ifdef __x86_64__
        cmocka_unit_test(sizes),
        cmocka_unit_test(vectors),
        cmocka_unit_test(addresses),
        cmocka_unit_test(strings),
#else
        cmocka_unit_test(elsewhere),
#endif
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
