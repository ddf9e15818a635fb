/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * See divert.h. A file calls functions of others by a table of addresses, which the dynamic linker
 * fills in by a list of relocations (the System V ABI for AMD64, 4.4). Such a table may have been
 * made read-only since.
 */
#include "traps/divert.h"
#include "traps/trap.h"

#include <elf.h>
#include <link.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifdef __x86_64__

struct list {
    const ElfW(Rela) *first;
    size_t bytes;
};

/* A file, by its dynamic section. */
struct file {
    uintptr_t base, sealed, sealed_end; /* sealed: the part that is read-only once it is linked */
    const ElfW(Sym) *symbols;
    const char *names;
    struct list lists[2];
};

struct wanted {
    const struct proa_diversion *diversions;
    size_t count;
};

/* The linker may have added the file's address to its pointers. */
static const void *at(const struct file *file, ElfW(Addr) address)
{
    return (const void *)(address < file->base ? file->base + address : address);
}

static void read_dynamic(struct file *file, const ElfW(Dyn) *entry)
{
    for (; entry->d_tag != DT_NULL; entry++)
        switch (entry->d_tag) {
        case DT_SYMTAB:
            file->symbols = at(file, entry->d_un.d_ptr);
            break;
        case DT_STRTAB:
            file->names = at(file, entry->d_un.d_ptr);
            break;
        case DT_JMPREL:
            file->lists[0].first = at(file, entry->d_un.d_ptr);
            break;
        case DT_PLTRELSZ:
            file->lists[0].bytes = entry->d_un.d_val;
            break;
        case DT_RELA:
            file->lists[1].first = at(file, entry->d_un.d_ptr);
            break;
        case DT_RELASZ:
            file->lists[1].bytes = entry->d_un.d_val;
            break;
        default:
            break;
        }
}

static void set_access(uintptr_t address, int access)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);

    mprotect((void *)(address & ~(page - 1)), page, access);
}

static void put(const struct file *file, const void **place, const void *there)
{
    const uintptr_t address = (uintptr_t)place;
    const int is_sealed = address >= file->sealed && address < file->sealed_end;

    if (*place == there)
        return;
    if (is_sealed)
        set_access(address, PROT_READ | PROT_WRITE);
    *place = there;
    if (is_sealed)
        set_access(address, PROT_READ);
}

static void divert_one(const struct file *file, const ElfW(Rela) *entry,
                       const struct wanted *wanted)
{
    const unsigned type = ELF64_R_TYPE(entry->r_info);
    const char *name;

    if (type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT)
        return;
    name = file->names + file->symbols[ELF64_R_SYM(entry->r_info)].st_name;
    for (size_t i = 0; i < wanted->count; i++)
        if (strcmp(name, wanted->diversions[i].name) == 0)
            put(file, (const void **)(file->base + entry->r_offset), wanted->diversions[i].there);
}

/* While this is called the dynamic linker's lock is held, so another thread's dlopen may wait for
 * it: no call that takes a further lock of the linker's, such as dladdr. */
static int divert_file(struct dl_phdr_info *info, size_t bytes, void *wanted)
{
    struct file file = {.base = info->dlpi_addr};
    const void *some = NULL;

    (void)bytes;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *head = &info->dlpi_phdr[i];

        if (head->p_type == PT_GNU_RELRO) {
            file.sealed = file.base + head->p_vaddr;
            file.sealed_end = file.sealed + head->p_memsz;
        } else if (head->p_type == PT_DYNAMIC) {
            some = (const void *)(file.base + head->p_vaddr);
        }
    }
    if (!some || !proa_trap_is_program(info->dlpi_name))
        return 0;
    read_dynamic(&file, some);
    for (int list = 0; list < 2 && file.symbols && file.names; list++) {
        const ElfW(Rela) *first = file.lists[list].first;

        for (size_t i = 0; first && i < file.lists[list].bytes / sizeof *first; i++)
            divert_one(&file, &first[i], wanted);
    }
    return 0;
}

void proa_divert(const struct proa_diversion *diversions, size_t count)
{
    struct wanted wanted = {diversions, count};

    dl_iterate_phdr(divert_file, &wanted);
}

#else

void proa_divert(const struct proa_diversion *diversions, size_t count)
{
    (void)diversions, (void)count;
}

#endif
