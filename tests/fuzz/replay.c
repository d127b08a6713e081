/* Runs a fuzz target over files and folders of inputs, without libFuzzer: for make test. Ends with
 * "N passed, N failed"; a fault is a crash or a failed assertion, as under libFuzzer. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static int replayed;

static void replay_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    uint8_t *data = malloc((size_t)1 << 20);
    size_t n;

    if (f == NULL || data == NULL) {
        fprintf(stderr, "%s: cannot be read\n", path);
        exit(2);
    }
    n = fread(data, 1, (size_t)1 << 20, f);
    fclose(f);
    LLVMFuzzerTestOneInput(data, n);
    free(data);
    replayed++;
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        DIR *dir = opendir(argv[i]);
        struct dirent *entry;

        if (dir == NULL) {
            replay_file(argv[i]);
            continue;
        }
        while ((entry = readdir(dir)) != NULL) {
            char path[4096];

            if (entry->d_name[0] != '.') {
                snprintf(path, sizeof path, "%s/%s", argv[i], entry->d_name);
                replay_file(path);
            }
        }
        closedir(dir);
    }
    printf("%d passed, 0 failed\n", replayed);
    return replayed == 0;
}
