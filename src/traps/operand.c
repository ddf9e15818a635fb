/* SPDX-License-Identifier: BSD-3-Clause */
/* See operand.h. The names of tables and fields are those of Intel's manual, volume 2. */
#include "traps/operand.h"

#ifdef __x86_64__

#include <string.h>
#include <sys/types.h>
#include <ucontext.h>

enum { REX_B = 1, REX_X = 2, REX_R = 4, REX_W = 8 };
enum { DIRECTION_FLAG = 0x400 };

/* Mandatory prefixes of vector instructions. */
enum { NP = 1, P66 = 2, PF3 = 4, PF2 = 8, ANY = NP | P66 | PF3 | PF2 };

struct instruction {
    const uint8_t *at; /* the byte that is read next */
    uint8_t map;       /* 0: of one byte; 1: 0F; 2: 0F 38; 3: 0F 3A */
    uint8_t opcode, rex, prefix;
    uint8_t mod, reg, rm;
    uint8_t is_narrow, repeats, is_vex, is_evex;
    uint8_t vector; /* the bytes of one: 16 to 64 */
};

/* ---- the table ---- */

/* Bytes of an operand that the instruction tells. */
enum {
    WIDTH = 100, /* 1 of even opcodes, else OPERAND */
    OPERAND,     /* 2, 4 or 8 */
    WORD,        /* 4 or 8 */
    VECTOR,
    PACKED, /* 4 with F3, 8 with F2, else VECTOR */
    FIRST   /* of a load to a vector register */
};

enum { LOAD, STORE }; /* one that does both is a store */

struct row {
    uint8_t map, first, last; /* opcodes */
    uint8_t regs;             /* of the field reg, where that is part of the opcode: a bit each */
    uint8_t prefixes, bytes, access;
};

#define EACH 0xff
#define REG(number) (1U << (number))

/* Of these the first row that fits counts. */
static const struct row general[] = {
    {0, 0x38, 0x39, EACH, ANY, WIDTH, LOAD},
    {0, 0x63, 0x63, EACH, ANY, 4, LOAD},
    {0, 0x69, 0x69, EACH, ANY, OPERAND, LOAD},
    {0, 0x6b, 0x6b, EACH, ANY, OPERAND, LOAD},
    {0, 0x80, 0x81, REG(7), ANY, WIDTH, LOAD},
    {0, 0x80, 0x81, EACH, ANY, WIDTH, STORE},
    {0, 0x83, 0x83, REG(7), ANY, OPERAND, LOAD},
    {0, 0x83, 0x83, EACH, ANY, OPERAND, STORE},
    {0, 0x84, 0x85, EACH, ANY, WIDTH, LOAD},
    {0, 0x86, 0x89, EACH, ANY, WIDTH, STORE},
    {0, 0x8a, 0x8b, EACH, ANY, WIDTH, LOAD},
    {0, 0xc0, 0xc1, EACH, ANY, WIDTH, STORE},
    {0, 0xc6, 0xc7, REG(0), ANY, WIDTH, STORE},
    {0, 0xd0, 0xd3, EACH, ANY, WIDTH, STORE},
    {0, 0xf6, 0xf7, REG(2) | REG(3), ANY, WIDTH, STORE},
    {0, 0xf6, 0xf7, EACH, ANY, WIDTH, LOAD},
    {0, 0xfe, 0xff, REG(0) | REG(1), ANY, WIDTH, STORE},
    {0, 0xff, 0xff, REG(2) | REG(4) | REG(6), NP | PF2 | PF3, 8, LOAD},
    /* of the floating-point stack */
    {0, 0xd9, 0xd9, REG(0), ANY, 4, LOAD},
    {0, 0xd9, 0xd9, REG(2) | REG(3), ANY, 4, STORE},
    {0, 0xdb, 0xdb, REG(0), ANY, 4, LOAD},
    {0, 0xdb, 0xdb, REG(1) | REG(2) | REG(3), ANY, 4, STORE},
    {0, 0xdb, 0xdb, REG(5), ANY, 10, LOAD},
    {0, 0xdb, 0xdb, REG(7), ANY, 10, STORE},
    {0, 0xd8, 0xd8, EACH, ANY, 4, LOAD},
    {0, 0xda, 0xda, EACH, ANY, 4, LOAD},
    {0, 0xdc, 0xdc, EACH, ANY, 8, LOAD},
    {0, 0xdd, 0xdd, REG(0), ANY, 8, LOAD},
    {0, 0xdd, 0xdd, REG(1) | REG(2) | REG(3), ANY, 8, STORE},
    {0, 0xde, 0xde, EACH, ANY, 2, LOAD},
    {0, 0xdf, 0xdf, REG(0), ANY, 2, LOAD},
    {0, 0xdf, 0xdf, REG(1) | REG(2) | REG(3), ANY, 2, STORE},
    {0, 0xdf, 0xdf, REG(5), ANY, 8, LOAD},
    {0, 0xdf, 0xdf, REG(7), ANY, 8, STORE},
    /* general registers */
    {1, 0x40, 0x4f, EACH, NP | P66, OPERAND, LOAD},
    {1, 0x90, 0x9f, EACH, NP | P66, 1, STORE},
    {1, 0xa4, 0xa5, EACH, NP | P66, OPERAND, STORE},
    {1, 0xac, 0xad, EACH, NP | P66, OPERAND, STORE},
    {1, 0xaf, 0xaf, EACH, NP | P66, OPERAND, LOAD},
    {1, 0xb0, 0xb1, EACH, NP | P66, WIDTH, STORE},
    {1, 0xb6, 0xb6, EACH, ANY, 1, LOAD},
    {1, 0xb7, 0xb7, EACH, ANY, 2, LOAD},
    {1, 0xb8, 0xb8, EACH, PF3, OPERAND, LOAD},
    {1, 0xba, 0xba, REG(4), NP | P66, OPERAND, LOAD},
    {1, 0xba, 0xba, REG(5) | REG(6) | REG(7), NP | P66, OPERAND, STORE},
    {1, 0xbc, 0xbd, EACH, ANY, OPERAND, LOAD},
    {1, 0xbe, 0xbe, EACH, ANY, 1, LOAD},
    {1, 0xbf, 0xbf, EACH, ANY, 2, LOAD},
    {1, 0xc0, 0xc1, EACH, NP | P66, WIDTH, STORE},
    {1, 0xc3, 0xc3, EACH, NP, WORD, STORE},
    {2, 0xf0, 0xf0, EACH, NP | P66, OPERAND, LOAD},
    {2, 0xf1, 0xf1, EACH, NP | P66, OPERAND, STORE},
};

/* Of vector registers, with and without VEX. */
static const struct row vectors[] = {
    {1, 0x11, 0x11, EACH, ANY, PACKED, STORE},
    {1, 0x13, 0x13, EACH, NP | P66, 8, STORE},
    {1, 0x17, 0x17, EACH, NP | P66, 8, STORE},
    {1, 0x29, 0x29, EACH, NP | P66, VECTOR, STORE},
    {1, 0x2b, 0x2b, EACH, NP | P66, VECTOR, STORE},
    {1, 0x7e, 0x7e, EACH, NP | P66, WORD, STORE},
    {1, 0x7f, 0x7f, EACH, NP, 8, STORE},
    {1, 0x7f, 0x7f, EACH, P66 | PF3 | PF2, VECTOR, STORE},
    {1, 0xd6, 0xd6, EACH, P66, 8, STORE},
    {1, 0xe7, 0xe7, EACH, NP, 8, STORE},
    {1, 0xe7, 0xe7, EACH, P66, VECTOR, STORE},
    {3, 0x14, 0x14, EACH, P66, 1, STORE},
    {3, 0x15, 0x15, EACH, P66, 2, STORE},
    {3, 0x16, 0x16, EACH, P66, WORD, STORE},
    {3, 0x17, 0x17, EACH, P66, 4, STORE},
    {3, 0x19, 0x19, EACH, P66, 16, STORE},
    {3, 0x39, 0x39, EACH, P66, 16, STORE},
    {1, 0x10, 0x10, EACH, ANY, FIRST, LOAD},
    {1, 0x12, 0x12, EACH, ANY, FIRST, LOAD},
    {1, 0x14, 0x16, EACH, ANY, FIRST, LOAD},
    {1, 0x28, 0x28, EACH, NP | P66, FIRST, LOAD},
    {1, 0x2a, 0x2a, EACH, PF3 | PF2, FIRST, LOAD},
    {1, 0x2c, 0x2f, EACH, ANY, FIRST, LOAD},
    {1, 0x51, 0x70, EACH, ANY, FIRST, LOAD},
    {1, 0x74, 0x76, EACH, NP | P66, FIRST, LOAD},
    {1, 0x7e, 0x7e, EACH, PF3, FIRST, LOAD},
    {1, 0xd8, 0xdf, EACH, P66, FIRST, LOAD},
    {1, 0xe8, 0xef, EACH, P66, FIRST, LOAD},
    {1, 0xf8, 0xfe, EACH, P66, FIRST, LOAD},
};

static int is_of(const struct row *row, const struct instruction *in)
{
    return row->map == in->map && in->opcode >= row->first && in->opcode <= row->last &&
           row->prefixes & in->prefix;
}

/* reg: the field of the instruction, or -1: not read yet. NULL: it has no operand that is known. */
static const struct row *row_of(const struct instruction *in, int reg)
{
    /* Eight operations; the first 4 of each 8 opcodes have an operand in memory. */
    static const struct row to = {.bytes = WIDTH, .access = STORE},
                            from = {.bytes = WIDTH, .access = LOAD};
    const unsigned regs = reg < 0 ? EACH : REG(reg);

    for (size_t i = 0; i < sizeof general / sizeof *general && !in->is_vex; i++)
        if (is_of(&general[i], in) && general[i].regs & regs)
            return &general[i];
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        if (is_of(&vectors[i], in))
            return &vectors[i];
    if (in->map == 0 && in->opcode < 0x40 && in->opcode % 8 < 4)
        return in->opcode % 8 < 2 ? &to : &from;
    return NULL;
}

static size_t operand_bytes(const struct instruction *in)
{
    return in->rex & REX_W ? 8 : in->is_narrow ? 2 : 4;
}

static size_t bytes_of(const struct instruction *in, const struct row *row)
{
    switch (row->bytes) {
    case WIDTH:
        return in->opcode % 2 ? operand_bytes(in) : 1;
    case OPERAND:
        return operand_bytes(in);
    case WORD:
        return in->rex & REX_W ? 8 : 4;
    case VECTOR:
        return in->vector;
    case PACKED:
        return in->prefix == PF3 ? 4 : in->prefix == PF2 ? 8 : in->vector;
    case FIRST:
        return 1;
    default:
        return row->bytes;
    }
}

/* ---- prefixes ---- */

/* 0: it is one of those that are not known. */
static int read_legacy_prefixes(struct instruction *in)
{
    in->prefix = NP;
    for (;; in->at++) {
        switch (*in->at) {
        case 0x66:
            in->is_narrow = 1;
            break;
        case 0xf2:
        case 0xf3:
            in->prefix = *in->at == 0xf2 ? PF2 : PF3;
            in->repeats = 1;
            break;
        case 0x26:
        case 0x2e:
        case 0x36:
        case 0x3e:
        case 0xf0:
            break;
        case 0x64:
        case 0x65:
        case 0x67:
            return 0;
        default:
            in->prefix = in->prefix == NP && in->is_narrow ? P66 : in->prefix;
            return 1;
        }
    }
}

/* The last byte of VEX and EVEX has pp, and of VEX L. */
static uint8_t prefix_of(uint8_t pp)
{
    static const uint8_t prefixes[] = {NP, P66, PF3, PF2};

    return prefixes[pp & 3];
}

static void read_vex(struct instruction *in)
{
    const uint8_t *at = in->at;

    if (*at == 0xc5) {
        in->map = 1;
    } else {
        in->map = at[1] & 31;
        in->rex = (uint8_t)((~at[1] >> 5 & 7) | (at[2] & 0x80 ? REX_W : 0));
        at++;
    }
    in->prefix = prefix_of(at[1]);
    in->vector = at[1] & 4 ? 32 : 16;
    in->is_vex = 1;
    in->at = at + 2;
}

/* 0: its elements are masked, or of 32 registers that are not the context's. */
static int read_evex(struct instruction *in)
{
    const uint8_t *at = in->at;

    in->map = at[1] & 7;
    in->rex = (uint8_t)((~at[1] >> 5 & 7) | (at[2] & 0x80 ? REX_W : 0));
    in->prefix = prefix_of(at[2]);
    in->vector = (uint8_t)(16 << (at[3] >> 5 & 3));
    in->is_vex = in->is_evex = 1;
    in->at = at + 4;
    return (at[3] & (7 | 16)) == 0 && in->vector <= 64 && !(at[1] & 8);
}

static void read_map(struct instruction *in)
{
    if ((*in->at & 0xf0) == 0x40)
        in->rex = *in->at++;
    if (*in->at != 0x0f)
        return;
    in->map = 1;
    in->at++;
    if (*in->at == 0x38 || *in->at == 0x3a)
        in->map = *in->at++ == 0x38 ? 2 : 3;
}

/* 0: it is not known. */
static int read_opcode(struct instruction *in)
{
    in->vector = 16;
    if (!read_legacy_prefixes(in))
        return 0;
    if (*in->at == 0xc4 || *in->at == 0xc5)
        read_vex(in);
    else if (*in->at == 0x62)
        return read_evex(in) && (in->opcode = *in->at++, 1);
    else
        read_map(in);
    in->opcode = *in->at++;
    return 1;
}

/* ---- the address ---- */

static uintptr_t value_of(const greg_t *registers, unsigned number)
{
    static const uint8_t places[] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
                                     REG_RSI, REG_RDI, REG_R8,  REG_R9,  REG_R10, REG_R11,
                                     REG_R12, REG_R13, REG_R14, REG_R15};

    return (uintptr_t)registers[places[number]];
}

/* Behind the displacement, of instructions of the table. */
static size_t immediate_bytes(const struct instruction *in)
{
    const size_t operand = operand_bytes(in) == 2 ? 2 : 4;

    if (in->map == 3)
        return 1;
    if (in->map == 1)
        return in->opcode == 0x70 || in->opcode == 0xa4 || in->opcode == 0xac || in->opcode == 0xba;
    switch (in->opcode) {
    case 0x69:
    case 0x81:
    case 0xc7:
        return operand;
    case 0x6b:
    case 0x80:
    case 0x83:
    case 0xc0:
    case 0xc1:
    case 0xc6:
        return 1;
    case 0xf6:
        return in->reg < 2;
    case 0xf7:
        return in->reg < 2 ? operand : 0;
    default:
        return 0;
    }
}

static intptr_t displacement(struct instruction *in, size_t bytes, size_t scale)
{
    int32_t wide;

    if (bytes == 1)
        return (int8_t)*in->at++ * (intptr_t)scale;
    memcpy(&wide, in->at, sizeof wide);
    in->at += sizeof wide;
    return wide;
}

/* Of the field rm, and what follows it. scale: what EVEX multiplies a displacement of 1 byte by. */
static uintptr_t address_of(struct instruction *in, const greg_t *registers, size_t scale)
{
    const unsigned high_base = in->rex & REX_B ? 8 : 0, high_index = in->rex & REX_X ? 8 : 0;
    unsigned base = in->rm;
    uintptr_t address = 0;

    if (in->rm == 4) {
        const unsigned sib = *in->at++, index = (sib >> 3 & 7) + high_index;

        base = sib & 7;
        if (index != 4)
            address = value_of(registers, index) << (sib >> 6);
    }
    if (base == 5 && in->mod == 0) {
        address += (uintptr_t)displacement(in, 4, 1);
        return in->rm == 4 ? address : address + (uintptr_t)in->at + immediate_bytes(in);
    }
    address += value_of(registers, base + high_base);
    if (in->mod)
        address += (uintptr_t)displacement(in, in->mod == 1 ? 1 : 4, scale);
    return address;
}

/* ---- string instructions ---- */

static struct proa_operand string_at(const struct instruction *in, const greg_t *registers,
                                     unsigned pointer, int stores)
{
    const size_t element = in->opcode % 2 ? operand_bytes(in) : 1;
    struct proa_operand operand = {value_of(registers, pointer), element, stores};
    const uintptr_t count = value_of(registers, 1);

    if (!in->repeats)
        return operand;
    operand.bytes = count * element;
    if (registers[REG_EFL] & DIRECTION_FLAG)
        operand.address -= operand.bytes - element;
    return operand;
}

/* movs, stos and lods. Those that compare may end early. */
static int read_string(const struct instruction *in, const greg_t *registers,
                       struct proa_operand *operands)
{
    enum { RSI = 6, RDI = 7 };
    int count = 0;

    if (in->repeats && value_of(registers, 1) == 0)
        return 0;
    if (in->opcode <= 0xa5 || in->opcode >= 0xac)
        operands[count++] = string_at(in, registers, RSI, 0);
    if (in->opcode <= 0xab)
        operands[count++] = string_at(in, registers, RDI, 1);
    return count;
}

static int is_string(const struct instruction *in)
{
    const uint8_t opcode = in->opcode & 0xfe;

    return in->map == 0 && (opcode == 0xa4 || opcode == 0xaa || opcode == 0xac);
}

int proa_operands(const void *context, struct proa_operand operands[PROA_OPERANDS])
{
    const greg_t *registers = ((const ucontext_t *)context)->uc_mcontext.gregs;
    struct instruction in = {.at = (const uint8_t *)(uintptr_t)registers[REG_RIP]};
    const struct row *row;

    if (!read_opcode(&in))
        return 0;
    if (is_string(&in))
        return read_string(&in, registers, operands);
    if (!row_of(&in, -1))
        return 0; /* it may have no further byte */
    in.mod = *in.at >> 6;
    in.reg = *in.at >> 3 & 7;
    in.rm = *in.at++ & 7;
    row = in.mod == 3 ? NULL : row_of(&in, in.reg);
    if (!row || (in.is_evex && row->bytes == FIRST))
        return 0;
    operands[0].bytes = bytes_of(&in, row);
    operands[0].address = address_of(&in, registers, in.is_evex ? operands[0].bytes : 1);
    operands[0].stores = row->access == STORE;
    return 1;
}

#else

int proa_operands(const void *context, struct proa_operand operands[PROA_OPERANDS])
{
    (void)context, (void)operands;
    return 0;
}

#endif
