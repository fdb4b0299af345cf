/* Another file system, between a program and libc: FOLDS finds names in any case, and REFUSES names the
   calls that fail under FOLDER as they do where a file system lacks them: flock, fcntl (locks), mmap. */

#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static int below(const char *path) {
    const char *folder = getenv("FOLDER");
    return folder != NULL && strncmp(path, folder, strlen(folder)) == 0;
}

static int refuses(int file, const char *call) {
    const char *calls = getenv("REFUSES");
    char link[64], path[PATH_MAX] = "";
    if (calls == NULL || strstr(calls, call) == NULL) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    return readlink(link, path, sizeof path - 1) > 0 && below(path);
}

static const char *found(const char *path, char *other) {
    struct stat exact;
    const char *base = strrchr(path, '/');
    if (getenv("FOLDS") == NULL || base == NULL || !below(path)) return path;
    if (syscall(SYS_newfstatat, AT_FDCWD, path, &exact, AT_SYMLINK_NOFOLLOW) == 0) return path;
    snprintf(other, PATH_MAX, "%.*s", (int)(base - path), path);
    DIR *folder = opendir(other);
    if (folder == NULL) return path;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        if (strcasecmp(entry->d_name, base + 1) == 0) {
            snprintf(other, PATH_MAX, "%.*s/%s", (int)(base - path), path, entry->d_name);
            path = other;
            break;
        }
    }
    closedir(folder);
    return path;
}

#define OPEN(name, head, folder)                                                                   \
    int name(head const char *path, int flags, ...) {                                              \
        char other[PATH_MAX];                                                                      \
        va_list rest;                                                                              \
        va_start(rest, flags);                                                                     \
        mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;                    \
        va_end(rest);                                                                              \
        return syscall(SYS_openat, folder, found(path, other), flags, mode);                       \
    }
#define NOTHING
#define FOLDER_FIRST int folder,
OPEN(open, NOTHING, AT_FDCWD)
OPEN(open64, NOTHING, AT_FDCWD)
OPEN(openat, FOLDER_FIRST, folder)
OPEN(openat64, FOLDER_FIRST, folder)

#define STAT(name, type, flags)                                                                    \
    int name(const char *path, struct type *state) {                                               \
        char other[PATH_MAX];                                                                      \
        return syscall(SYS_newfstatat, AT_FDCWD, found(path, other), state, flags);                \
    }
STAT(stat, stat, 0)
STAT(lstat, stat, AT_SYMLINK_NOFOLLOW)
STAT(stat64, stat64, 0)
STAT(lstat64, stat64, AT_SYMLINK_NOFOLLOW)

#define STATAT(name, type)                                                                         \
    int name(int folder, const char *path, struct type *state, int flags) {                        \
        char other[PATH_MAX];                                                                      \
        return syscall(SYS_newfstatat, folder, found(path, other), state, flags);                  \
    }
STATAT(fstatat, stat)
STATAT(fstatat64, stat64)

int rename(const char *from, const char *to) {
    char one[PATH_MAX], other[PATH_MAX];
    return syscall(SYS_renameat2, AT_FDCWD, found(from, one), AT_FDCWD, found(to, other), 0);
}

int unlink(const char *path) {
    char other[PATH_MAX];
    return syscall(SYS_unlinkat, AT_FDCWD, found(path, other), 0);
}

int flock(int file, int operation) {
    if (refuses(file, "flock")) return errno = ENOLCK, -1;
    return syscall(SYS_flock, file, operation);
}

#define FCNTL(name)                                                                                \
    int name(int file, int command, ...) {                                                         \
        va_list rest;                                                                              \
        va_start(rest, command);                                                                   \
        long argument = va_arg(rest, long);                                                        \
        va_end(rest);                                                                              \
        int locks = command == F_SETLK || command == F_SETLKW || command == F_GETLK;               \
        if (locks && refuses(file, "fcntl")) return errno = EOPNOTSUPP, -1;                            \
        return syscall(SYS_fcntl, file, command, argument);                                        \
    }
FCNTL(fcntl)
FCNTL(fcntl64)

#define MAP(name)                                                                                  \
    void *name(void *at, size_t size, int rights, int flags, int file, off_t start) {              \
        if (file >= 0 && flags & MAP_SHARED && refuses(file, "mmap"))                              \
            return errno = ENODEV, MAP_FAILED;                                                     \
        return (void *)syscall(SYS_mmap, at, size, rights, flags, file, start);                    \
    }
MAP(mmap)
MAP(mmap64)
