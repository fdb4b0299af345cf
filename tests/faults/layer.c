/* A layer between a process and its files: makes chosen calls below one folder fail, and logs what is done there.
 *
 * LD_PRELOAD brings it into a child process; Python steers it through ctypes (layer.py). The calls that
 * Python, the core and the core's SQLite make on files all go through it: test_faults.py compares its log
 * with what the kernel was asked. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* What a call does; a fault is meant for some kinds of calls. The same numbers are in layer.py. */
enum { LOOK = 1, READ = 2, NAME = 4, WRITE = 8, SYNC = 16, CLOSE = 32, LOCK = 64 };

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static char folder[PATH_MAX];
static size_t length;
static int error, kinds, lasting, half;
static atomic_long first, calls, fired, snapshots;
static atomic_int cut; /* a short write was made, and the next one fails */
static int log_to = -1;
static char snapshot_folder[PATH_MAX];
static __thread int inside; /* in a call of the layer's own */

static int below(const char *path)
{
    return length && !strncmp(path, folder, length) && (path[length] == '/' || !path[length]);
}

static int wanted(const char *path) { return !inside && (first || log_to >= 0) && path && below(path); }

/* The path of an open file, "" where it is none that is looked at. */
static const char *path_of(int handle, char *path)
{
    *path = 0;
    if (inside || (!first && log_to < 0)) return path;
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", handle);
    ssize_t size = readlink(link, path, PATH_MAX - 1);
    path[size > 0 ? size : 0] = 0;
    return path;
}

/* Counts a call that has a chance to fail, and tells whether it does. */
static int fails(int kind, const char *path)
{
    if (!first || !(kind & kinds) || !wanted(path)) return 0;
    long call = ++calls;
    if (half ? !cut : call < first || (call > first && !lasting)) return 0;
    if (!lasting) cut = 0;
    fired++;
    errno = error;
    return 1;
}

/* How much of a write is made: half, where a short one is due. */
static size_t portion(size_t size)
{
    if (!half || cut || fired || calls != first || size < 2) return size;
    cut = 1;
    fired++;
    return size / 2;
}

__attribute__((format(printf, 1, 2))) static void tell(const char *format, ...)
{
    if (log_to < 0) return;
    char line[2 * PATH_MAX + 64];
    va_list rest;
    va_start(rest, format);
    int size = vsnprintf(line, sizeof line, format, rest);
    va_end(rest);
    inside++;
    if (write(log_to, line, size) != size) perror("layer: log");
    inside--;
}

/* Keeps the content that a sync has made safe. A handle that reads is read itself: to close another one of the
 * same file would drop SQLite's locks. */
static void keep(int handle, const char *path)
{
    char to[PATH_MAX + 32], data[1 << 16];
    long number = ++snapshots;
    inside++;
    int reads = (fcntl(handle, F_GETFL) & O_ACCMODE) == O_WRONLY ? open(path, O_RDONLY | O_CLOEXEC) : handle;
    snprintf(to, sizeof to, "%s/%ld", snapshot_folder, number);
    int copy = open(to, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    ssize_t size;
    for (off_t at = 0; (size = pread64(reads, data, sizeof data, at)) > 0; at += size)
        if (write(copy, data, size) != size) perror("layer: snapshot");
    close(copy);
    if (reads != handle) close(reads);
    inside--;
    tell("sync\t%s\t%ld\n", path, number);
}

/* Steering. */

void layer_watch(const char *path) { length = snprintf(folder, sizeof folder, "%s", path); }

void layer_arm(long call, int with, int of_kinds, int for_good, int short_write)
{
    error = with, kinds = of_kinds, lasting = for_good, half = short_write;
    calls = fired = cut = 0;
    first = call;
}

long layer_disarm(void)
{
    first = 0;
    return fired;
}

long layer_calls(void) { return calls; }

void layer_record(const char *log, const char *snapshots_to)
{
    inside++;
    log_to = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    snprintf(snapshot_folder, sizeof snapshot_folder, "%s", snapshots_to);
    inside--;
}

void layer_mark(const char *text) { tell("mark\t%s\n", text); }

/* Calls by path. */

static int opened(const char *path, int flags, mode_t mode)
{
    int writes = (flags & O_ACCMODE) != O_RDONLY || flags & (O_CREAT | O_TRUNC);
    if (fails(writes ? NAME : READ, path)) return -1;
    struct stat64 found;
    inside++;
    int fresh = flags & O_CREAT && REAL(lstat64)(path, &found);
    inside--;
    int handle = REAL(open64)(path, flags, mode);
    if (fresh && handle >= 0 && wanted(path)) tell("create\t%s\n", path);
    return handle;
}

#define OPEN(name, declared, ...)                                               \
    int name declared                                                           \
    {                                                                           \
        va_list rest;                                                           \
        va_start(rest, flags);                                                  \
        mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;               \
        va_end(rest);                                                           \
        __VA_ARGS__                                                             \
        return opened(path, flags, mode);                                       \
    }
OPEN(open, (const char *path, int flags, ...))
OPEN(open64, (const char *path, int flags, ...))
OPEN(openat64, (int at, const char *path, int flags, ...),
     if (*path != '/' && at != AT_FDCWD) return REAL(openat64)(at, path, flags, mode);)

#define BY_PATH(kind, name, declared, passed, ...)                              \
    int name declared                                                           \
    {                                                                           \
        if (fails(kind, path)) return -1;                                       \
        int result = REAL(name) passed;                                         \
        if (!result && wanted(path)) { __VA_ARGS__; }                           \
        return result;                                                          \
    }
BY_PATH(NAME, rename, (const char *path, const char *to), (path, to), tell("rename\t%s\t%s\n", path, to))
BY_PATH(NAME, link, (const char *path, const char *to), (path, to), tell("link\t%s\t%s\n", path, to))
BY_PATH(NAME, unlink, (const char *path), (path), tell("unlink\t%s\n", path))
BY_PATH(NAME, rmdir, (const char *path), (path), tell("unlink\t%s\n", path))
BY_PATH(NAME, mkdir, (const char *path, mode_t mode), (path, mode), tell("mkdir\t%s\n", path))
BY_PATH(NAME, truncate64, (const char *path, off64_t size), (path, size), tell("write\t%s\n", path))
BY_PATH(LOOK, stat64, (const char *path, struct stat64 *into), (path, into), )
BY_PATH(LOOK, lstat64, (const char *path, struct stat64 *into), (path, into), )
BY_PATH(LOOK, access, (const char *path, int mode), (path, mode), )

int statx(int at, const char *path, int flags, unsigned mask, struct statx *into)
{
    char of_handle[PATH_MAX];
    /* Not told by the path: to learn whether there is such a call, Rust gives none. */
    if (fails(LOOK, flags & AT_EMPTY_PATH ? path_of(at, of_handle) : path)) return -1;
    return REAL(statx)(at, path, flags, mask, into);
}

DIR *opendir(const char *path) { return fails(READ, path) ? NULL : REAL(opendir)(path); }

/* Calls by handle. */

#define BY_HANDLE(kind, type, name, declared, passed, ...)                      \
    type name declared                                                          \
    {                                                                           \
        char path[PATH_MAX];                                                    \
        if (fails(kind, path_of(handle, path))) return -1;                      \
        type result = REAL(name) passed;                                        \
        if (result >= 0 && wanted(path)) { __VA_ARGS__; }                       \
        return result;                                                          \
    }
BY_HANDLE(READ, ssize_t, read, (int handle, void *data, size_t size), (handle, data, size), )
BY_HANDLE(READ, ssize_t, pread64, (int handle, void *data, size_t size, off64_t at), (handle, data, size, at), )
BY_HANDLE(WRITE, ssize_t, write, (int handle, const void *data, size_t size),
          (handle, data, wanted(path) ? portion(size) : size), tell("write\t%s\n", path))
BY_HANDLE(WRITE, ssize_t, pwrite64, (int handle, const void *data, size_t size, off64_t at),
          (handle, data, wanted(path) ? portion(size) : size, at), tell("write\t%s\n", path))
BY_HANDLE(WRITE, int, ftruncate64, (int handle, off64_t size), (handle, size), tell("write\t%s\n", path))
BY_HANDLE(LOOK, int, fstat64, (int handle, struct stat64 *into), (handle, into), )
BY_HANDLE(LOOK, int, fchmod, (int handle, mode_t mode), (handle, mode), )

/* Syncs are counted, told and failed, but not made: no test here loses power, and a disk is slow. */
static int synced(int handle)
{
    char path[PATH_MAX];
    struct stat64 found;
    if (fails(SYNC, path_of(handle, path))) return -1;
    if (!wanted(path) || log_to < 0 || REAL(fstat64)(handle, &found)) return 0;
    if (S_ISDIR(found.st_mode))
        tell("folder\t%s\t%ju:%ju:%jd\n", path, (uintmax_t)found.st_dev, (uintmax_t)found.st_ino,
             (intmax_t)found.st_mtim.tv_sec * 1000000000 + found.st_mtim.tv_nsec);
    else
        keep(handle, path);
    return 0;
}
int fsync(int handle) { return synced(handle); }
int fdatasync(int handle) { return synced(handle); }

/* A close that fails has closed all the same. What was only read has nothing to fail for. */
int close(int handle)
{
    char path[PATH_MAX];
    int writes = wanted(path_of(handle, path)) && (REAL(fcntl64)(handle, F_GETFL) & O_ACCMODE) != O_RDONLY;
    int failed = writes && fails(CLOSE, path), number = errno;
    int result = REAL(close)(handle);
    if (failed) errno = number;
    return failed ? -1 : result;
}

/* Locks: taking one may fail, giving it back never does. */
int flock(int handle, int how)
{
    char path[PATH_MAX];
    if (how != LOCK_UN && fails(LOCK, path_of(handle, path))) return -1;
    return REAL(flock)(handle, how);
}

int fcntl64(int handle, int what, ...)
{
    char path[PATH_MAX];
    va_list rest;
    va_start(rest, what);
    void *argument = va_arg(rest, void *);
    va_end(rest);
    int locks = what == F_SETLK && ((struct flock *)argument)->l_type != F_UNLCK;
    if (locks && fails(LOCK, path_of(handle, path))) return -1;
    return REAL(fcntl64)(handle, what, argument);
}

void *mmap64(void *at, size_t size, int allowed, int flags, int handle, off64_t from)
{
    char path[PATH_MAX];
    if (handle >= 0 && fails(WRITE, path_of(handle, path))) return MAP_FAILED;
    return REAL(mmap64)(at, size, allowed, flags, handle, from);
}
