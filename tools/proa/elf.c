/* SPDX-License-Identifier: BSD-3-Clause */
/* Minimal reader of ELF files (elf.h), which reads the file without loading it. */
#include "elf.h"

#include "keep.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NATIVE_CLASS = sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32 };

static bool read_at(int file, void *buffer, size_t size_bytes, off_t offset)
{
    return pread(file, buffer, size_bytes, offset) == (ssize_t)size_bytes;
}

static bool read_header(int file, ElfW(Ehdr) *header)
{
    return read_at(file, header, sizeof *header, 0) &&
           memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 &&
           header->e_ident[EI_CLASS] == NATIVE_CLASS && header->e_phentsize == sizeof(ElfW(Phdr));
}

/* Returns the loader's path in the segment that holds it, or NULL if there is none. */
static const char *read_loader(int file, const ElfW(Ehdr) *header)
{
    for (size_t i = 0; i < header->e_phnum; i++) {
        ElfW(Phdr) segment;
        if (!read_at(file, &segment, sizeof segment, (off_t)(header->e_phoff + i * sizeof segment)))
            return NULL;
        if (segment.p_type != PT_INTERP || segment.p_filesz > PATH_MAX)
            continue;
        char *loader = proa_keep(segment.p_filesz + 1);
        return read_at(file, loader, segment.p_filesz, (off_t)segment.p_offset) ? loader : NULL;
    }
    return NULL;
}

enum proa_elf_kind proa_elf_kind(const char *path, const char **loader)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ElfW(Ehdr) header;

    *loader = NULL;
    if (file < 0)
        return PROA_ELF_NOT;
    bool is_elf = read_header(file, &header);
    if (is_elf)
        *loader = read_loader(file, &header);
    close(file);
    if (!is_elf)
        return PROA_ELF_NOT;
    return *loader ? PROA_ELF_DYNAMIC : PROA_ELF_STATIC;
}

bool proa_elf_names(const char *path, const char *name)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    struct stat about;
    bool found = false;

    if (file < 0)
        return false;
    if (fstat(file, &about) == 0 && about.st_size > 0) {
        size_t size_bytes = (size_t)about.st_size;
        void *bytes = mmap(NULL, size_bytes, PROT_READ, MAP_PRIVATE, file, 0);
        if (bytes != MAP_FAILED) {
            found = memmem(bytes, size_bytes, name, strlen(name) + 1) != NULL;
            munmap(bytes, size_bytes);
        }
    }
    close(file);
    return found;
}
