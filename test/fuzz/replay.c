/* Gives files to a fuzz target without libFuzzer, so that every compiler can replay a corpus: replay FILE-OR-FOLDER... */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static int replayed;

static int replay_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = malloc(1 << 16), *exact;
    size_t size;

    if (!file || !bytes) {
        perror(path);
        return 1;
    }
    size = fread(bytes, 1, 1 << 16, file);
    fclose(file);
    exact = realloc(bytes, size ? size : 1);
    LLVMFuzzerTestOneInput(exact ? exact : bytes, size);
    free(exact ? exact : bytes);
    replayed++;
    return 0;
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
        if (entry->d_name[0] != '.' && snprintf(name, sizeof name, "%s/%s", path, entry->d_name) < (int)sizeof name)
            failed |= replay_file(name);
    if (folder)
        closedir(folder);
    return failed;
}

int main(int argc, char **argv)
{
    int failed = 0;

    for (int i = 1; i < argc; i++) {
        struct stat status;
        failed |= stat(argv[i], &status) == 0 && S_ISDIR(status.st_mode) ? replay_folder(argv[i]) : replay_file(argv[i]);
    }
    printf("%d inputs\n", replayed);
    return failed || replayed == 0;
}
