/* SPDX-License-Identifier: BSD-3-Clause */
/* Gives files to a fuzz target without libFuzzer, so that every compiler can replay a corpus:
 * replay FILE-OR-FOLDER... */
#include <dirent.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

enum { LARGEST = 1 << 16 };

static int replayed;
static const char *volatile present; /* the file that is being replayed */

/* Names the file, then dies of the same signal. SA_RESETHAND has put the default back. */
static void die(int signal)
{
    static const char text[] = "\nreplay: this file did it: ";

    if (present && write(STDERR_FILENO, text, sizeof text - 1) > 0 &&
        write(STDERR_FILENO, present, strlen(present)) > 0 && write(STDERR_FILENO, "\n", 1) > 0)
        present = NULL;
    raise(signal);
}

static void name_file_on_death(void)
{
    static const int signals[] = {SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP};
    struct sigaction action = {.sa_handler = die, .sa_flags = (int)SA_RESETHAND};

    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
        sigaction(signals[i], &action, NULL);
}

static int replay_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    /* exact: so that a sanitizer sees reads behind the end */
    uint8_t *bytes = malloc(LARGEST), *exact;
    size_t size = 0;
    int failed = !file || !bytes;

    if (!failed) {
        size = fread(bytes, 1, LARGEST, file);
        failed = ferror(file) || size == LARGEST;
    }
    exact = malloc(size ? size : 1);
    if (failed || !exact) {
        fprintf(stderr, "replay: %s cannot be read, or is too large\n", path);
        failed = 1;
    } else {
        memcpy(exact, bytes, size);
        present = path;
        LLVMFuzzerTestOneInput(exact, size);
        present = NULL;
        replayed++;
    }
    if (file)
        fclose(file);
    free(bytes);
    free(exact);
    return failed;
}

static int replay_folder(const char *path)
{
    DIR *folder = opendir(path);
    struct dirent *entry;
    char name[4096];
    int failed = folder == NULL;

    if (!folder)
        perror(path);
    while (folder && (entry = readdir(folder)))
        if (entry->d_name[0] != '.' &&
            snprintf(name, sizeof name, "%s/%s", path, entry->d_name) < (int)sizeof name)
            failed |= replay_file(name);
    if (folder)
        closedir(folder);
    return failed;
}

int main(int argc, char **argv)
{
    int failed = 0;

    name_file_on_death();
    for (int i = 1; i < argc; i++) {
        struct stat status;
        failed |= stat(argv[i], &status) == 0 && S_ISDIR(status.st_mode) ? replay_folder(argv[i])
                                                                         : replay_file(argv[i]);
    }
    printf("%d inputs\n", replayed);
    return failed || replayed == 0; /* no input at all: the corpus is not where it should be */
}
