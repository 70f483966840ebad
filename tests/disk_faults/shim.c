// Makes the disk of a service fail: a library that is loaded before the C library (LD_PRELOAD).
//
// `GBAC_FAULTS` is a folder. Once it has the file `armed`, the calls for files below the folder `data` in it are counted. `armed`
// contains the number of the call that fails with EIO, and `once`, `always` (the later calls fail, too) or `late` (the call is made
// first). When a call fails, the file `failed` is created.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long calls;

enum fault { NONE, BEFORE, AFTER };

static enum fault fault(int file) {
    char link[64], path[4096], prefix[4096], armed[4096], mode[16];
    const char *folder = getenv("GBAC_FAULTS");
    if (!folder) return NONE;
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return NONE;
    path[length] = 0;
    snprintf(prefix, sizeof prefix, "%s/data", folder);
    if (strncmp(path, prefix, strlen(prefix))) return NONE;
    snprintf(armed, sizeof armed, "%s/armed", folder);
    FILE *plan = fopen(armed, "r");
    if (!plan) return NONE;
    long wanted = 0;
    int read = fscanf(plan, "%ld %15s", &wanted, mode);
    fclose(plan);
    if (read != 2) return NONE;
    pthread_mutex_lock(&mutex);
    long call = ++calls;
    pthread_mutex_unlock(&mutex);
    if (call < wanted || (call > wanted && strcmp(mode, "always"))) return NONE;
    snprintf(armed, sizeof armed, "%s/failed", folder);
    int created = open(armed, O_CREAT | O_WRONLY, 0600);
    if (created >= 0) close(created);
    return strcmp(mode, "late") ? BEFORE : AFTER;
}

#define CALL(result, name, parameters, file, ...)                              \
    result name parameters {                                                   \
        static result(*real) parameters;                                       \
        if (!real) real = (result(*) parameters)dlsym(RTLD_NEXT, #name);       \
        enum fault found = fault(file);                                        \
        if (found != BEFORE) {                                                 \
            result made = real(__VA_ARGS__);                                   \
            if (found == NONE) return made;                                    \
        }                                                                      \
        errno = EIO;                                                           \
        return -1;                                                             \
    }

CALL(int, fsync, (int file), file, file)
CALL(int, fdatasync, (int file), file, file)
CALL(ssize_t, pwrite, (int file, const void *bytes, size_t count, off_t at), file, file, bytes, count, at)
CALL(ssize_t, pwrite64, (int file, const void *bytes, size_t count, off64_t at), file, file, bytes, count, at)
