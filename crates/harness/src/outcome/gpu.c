/* Runs programs on a GPU: modules that were compiled for it (cubin), each with a kernel
   `farrier_kernel` for one thread, which leaves the exit status in `farrier_status`.

     farrier-gpu --about             says which device there is
     farrier-gpu FILE [MILLISECONDS] runs a program; `-` is standard input
     farrier-gpu --serve             runs one after the other, as a socket on standard input says

   What the program prints stands between `farrier: begin` and `farrier: end STATUS`. Instead of a
   status there may be
     fault    the program was stopped by an error, such as a wrong address or a stack that is full
     hang     it took longer than it may
     memory   it printed more than is surely kept
     device   it was compiled for another device
   Without these lines nothing was run, and standard error says why.

   Only the interface of the driver is used, and no header of CUDA is needed, so that the compiler
   may be newer than the driver, and be on another machine: cc -O1 gpu.c -o farrier-gpu -ldl */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define KERNEL "_Z14farrier_kernelv"
#define STATUS "farrier_status"

/* The driver keeps what is printed in a ring until the kernel ends. A record of it has a head and
   eight bytes for every argument, so that a text of TEXT_BYTES fits many times over. */
#define RING_BYTES (16u << 20)
#define TEXT_BYTES (256u << 10)
#define HEAP_BYTES (64u << 20)

/* The stack of a thread. The driver reserves one for every thread that the device can run at a
   time; all of them may take an eighth of its memory. */
#define STACK_MOST (64u << 10)
#define STACK_LEAST (1u << 10)
#define STACK_SHARE 8

/* Of the enumerations of cuda.h. */
enum { OUT_OF_MEMORY = 2, NO_BINARY = 209, NOT_READY = 600 };
enum { LIMIT_STACK = 0, LIMIT_RING = 1, LIMIT_HEAP = 2 };
enum { PROCESSORS = 16, THREADS = 39, MAJOR = 75, MINOR = 76 };
enum { BLOCKING = 4 };

/* Errors for which only the program can be the cause, or the code that was made of it. */
static int is_fault(int error)
{
    return error == 700 || (714 <= error && error <= 719);
}

typedef void *handle;

/* The functions of the driver. */
static struct {
    int (*init)(unsigned);
    int (*driver_version)(int *);
    int (*device)(int *, int);
    int (*device_name)(char *, int, int);
    int (*device_memory)(size_t *, int);
    int (*attribute)(int *, int, int);
    int (*set_flags)(int, unsigned);
    int (*retain)(handle *, int);
    int (*set_current)(handle);
    int (*set_limit)(int, size_t);
    int (*load)(handle *, const void *);
    int (*unload)(handle);
    int (*function)(handle *, handle, const char *);
    int (*global)(uint64_t *, size_t *, handle, const char *);
    int (*launch)(handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                  handle, void **, void **);
    int (*stream)(handle *, unsigned);
    int (*query)(handle);
    int (*synchronize)(void);
    int (*copy)(void *, uint64_t, size_t);
    int (*error_name)(int, const char **);
} cuda;

static const struct {
    const char *name;
    void *place;
} functions[] = {
    {"cuInit", &cuda.init},
    {"cuDriverGetVersion", &cuda.driver_version},
    {"cuDeviceGet", &cuda.device},
    {"cuDeviceGetName", &cuda.device_name},
    {"cuDeviceTotalMem_v2", &cuda.device_memory},
    {"cuDeviceGetAttribute", &cuda.attribute},
    {"cuDevicePrimaryCtxSetFlags_v2", &cuda.set_flags},
    {"cuDevicePrimaryCtxRetain", &cuda.retain},
    {"cuCtxSetCurrent", &cuda.set_current},
    {"cuCtxSetLimit", &cuda.set_limit},
    {"cuModuleLoadData", &cuda.load},
    {"cuModuleUnload", &cuda.unload},
    {"cuModuleGetFunction", &cuda.function},
    {"cuModuleGetGlobal_v2", &cuda.global},
    {"cuLaunchKernel", &cuda.launch},
    {"cuStreamCreate", &cuda.stream},
    {"cuStreamQuery", &cuda.query},
    {"cuCtxSynchronize", &cuda.synchronize},
    {"cuMemcpyDtoH_v2", &cuda.copy},
    {"cuGetErrorName", &cuda.error_name},
};

static const char *name_of(int error)
{
    const char *name = NULL;
    if (cuda.error_name)
        cuda.error_name(error, &name);
    return name ? name : "an error without a name";
}

/* Says what failed; the result is that of the call. */
static int tell(int error, const char *what)
{
    if (error)
        fprintf(stderr, "%s: %s (%d)\n", what, name_of(error), error);
    return error;
}

/* Where what the program prints is gathered, and where it goes then. */
static int gathered, out;

static handle stream;
static int device;

/* Finds the driver and a device. */
static int open_driver(void)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    if (!library) {
        fprintf(stderr, "there is no driver of NVIDIA: %s\n", dlerror());
        return 1;
    }
    for (size_t i = 0; i < sizeof functions / sizeof *functions; ++i) {
        void *found = dlsym(library, functions[i].name);
        if (!found) {
            fprintf(stderr, "the driver of NVIDIA lacks %s\n", functions[i].name);
            return 1;
        }
        memcpy(functions[i].place, &found, sizeof found);
    }
    return tell(cuda.init(0), "cuInit") || tell(cuda.device(&device, 0), "cuDeviceGet");
}

static int attribute(int which)
{
    int value = 0;
    cuda.attribute(&value, which, device);
    return value;
}

/* The stack that a thread can have. */
static size_t stack_bytes(void)
{
    size_t memory = 0, threads = (size_t)attribute(PROCESSORS) * (size_t)attribute(THREADS);
    cuda.device_memory(&memory, device);
    size_t most = threads ? memory / STACK_SHARE / threads : STACK_LEAST;
    most = most > STACK_MOST ? STACK_MOST : most;
    return most < STACK_LEAST ? STACK_LEAST : most / 256 * 256;
}

/* Makes the device ready. */
static int open_device(void)
{
    handle context;
    /* Without it waiting would take all of a processor; it is no loss if it is refused. */
    cuda.set_flags(device, BLOCKING);
    if (tell(cuda.retain(&context, device), "cuDevicePrimaryCtxRetain") ||
        tell(cuda.set_current(context), "cuCtxSetCurrent") ||
        tell(cuda.set_limit(LIMIT_STACK, stack_bytes()), "the size of the stack") ||
        tell(cuda.set_limit(LIMIT_RING, RING_BYTES), "the memory of printf") ||
        tell(cuda.set_limit(LIMIT_HEAP, HEAP_BYTES), "the memory of malloc") ||
        tell(cuda.stream(&stream, 1), "cuStreamCreate"))
        return 1;
    gathered = memfd_create("farrier", 0);
    out = dup(1);
    if (gathered < 0 || out < 0 || dup2(gathered, 1) < 0) {
        perror("memfd_create");
        return 1;
    }
    return 0;
}

static int write_all(const char *bytes, size_t count)
{
    while (count > 0) {
        ssize_t written = write(out, bytes, count);
        if (written < 0 && errno != EINTR)
            return 1;
        if (written > 0)
            bytes += written, count -= (size_t)written;
    }
    return 0;
}

/* Prints what the program has printed, between the marks. */
static int answer(const char *end)
{
    static const char begin[] = "farrier: begin\n";
    static char text[TEXT_BYTES];
    char last[64];
    fflush(stdout);
    off_t size = lseek(gathered, 0, SEEK_END);
    if (size > (off_t)TEXT_BYTES) {
        size = 0;
        end = "memory";
    }
    ssize_t count = size > 0 ? pread(gathered, text, (size_t)size, 0) : 0;
    if (count != size || ftruncate(gathered, 0) || lseek(gathered, 0, SEEK_SET)) {
        perror("what the program prints");
        return 1;
    }
    int length = snprintf(last, sizeof last, "farrier: end %s\n", end);
    return write_all(begin, sizeof begin - 1) || write_all(text, (size_t)count) ||
           write_all(last, (size_t)length);
}

/* The bytes of a file. */
static char *read_file(const char *path)
{
    FILE *file = strcmp(path, "-") ? fopen(path, "rb") : stdin;
    char *bytes = NULL;
    size_t count = 0, room = 0;
    while (file && !feof(file) && !ferror(file)) {
        if (room - count < 65536)
            bytes = realloc(bytes, room = 2 * room + 131072);
        if (!bytes)
            break;
        count += fread(bytes + count, 1, room - count, file);
    }
    if (!file || !bytes || ferror(file) || count == 0) {
        fprintf(stderr, "cannot read `%s`: %s\n", path, count ? strerror(errno) : "it is empty");
        free(bytes);
        bytes = NULL;
    }
    if (file && file != stdin)
        fclose(file);
    return bytes;
}

static uint64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000 + (uint64_t)time.tv_nsec / 1000;
}

/* Waits until the kernel has ended; NOT_READY if that takes too long. */
static int wait_for_end(uint64_t milliseconds)
{
    uint64_t end = now() + milliseconds * 1000;
    for (long pause = 10;; pause = pause < 500 ? 2 * pause : pause) {
        int state = cuda.query(stream);
        if (state != NOT_READY || now() >= end)
            return state;
        nanosleep(&(struct timespec){.tv_nsec = pause * 1000}, NULL);
    }
}

/* What came of a program: whether this process can run another. */
enum result { DONE, USED_UP, FAILED };

static enum result run_module(const void *image, uint64_t milliseconds)
{
    handle module, kernel;
    uint64_t place;
    size_t size;
    int status = 0;
    char end[16];
    int error = cuda.load(&module, image);
    if (error == NO_BINARY)
        return answer("device") ? FAILED : DONE;
    if (tell(error, "the driver does not load the module"))
        return FAILED;
    if (tell(cuda.function(&kernel, module, KERNEL), "there is no kernel " KERNEL) ||
        tell(cuda.global(&place, &size, module, STATUS), "there is no variable " STATUS) ||
        tell(cuda.launch(kernel, 1, 1, 1, 1, 1, 1, 0, stream, NULL, NULL), "cuLaunchKernel"))
        return FAILED;
    error = wait_for_end(milliseconds);
    if (error == NOT_READY)
        return answer("hang") ? FAILED : USED_UP;
    /* This also prints what is left in the ring. */
    if (!error)
        error = cuda.synchronize();
    if (is_fault(error)) {
        tell(error, "the program ends");
        return answer("fault") ? FAILED : USED_UP;
    }
    if (tell(error, "the device fails") ||
        tell(cuda.copy(&status, place, sizeof status), "cuMemcpyDtoH") ||
        tell(cuda.unload(module), "cuModuleUnload"))
        return FAILED;
    snprintf(end, sizeof end, "%d", status);
    return answer(end) ? FAILED : DONE;
}

static enum result run_file(const char *path, const char *milliseconds)
{
    char *image = read_file(path);
    if (!image)
        return FAILED;
    enum result result = run_module(image, strtoull(milliseconds, NULL, 10));
    free(image);
    return result;
}

static int read_exactly(void *place, size_t count)
{
    for (char *bytes = place; count > 0;) {
        ssize_t got = read(0, bytes, count);
        if (got == 0 || (got < 0 && errno != EINTR))
            return 1;
        if (got > 0)
            bytes += got, count -= (size_t)got;
    }
    return 0;
}

static uint64_t processor_time(void)
{
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return (uint64_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000000 +
           (uint64_t)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

/* Speaks as the launcher of tools does: a number of bytes and so many bytes with words, each ended
   by a zero; the answer is a kind, a status as `wait` has it, and microseconds. */
static int serve(void)
{
    for (uint64_t before = 0;;) {
        uint32_t length;
        if (read_exactly(&length, sizeof length) || length == 0 || length > 65536)
            return 0;
        char *words = malloc(length);
        if (!words || read_exactly(words, length))
            return 1;
        words[length - 1] = 0;
        const char *time = words + strlen(words) + 1;
        int ready = stream || !open_device();
        enum result result =
            ready && time < words + length ? run_file(words, time) : FAILED;
        free(words);
        uint64_t spent = processor_time();
        unsigned char reply[13] = {result != DONE};
        int32_t status = result == FAILED ? 1 << 8 : 0;
        uint64_t cpu = spent - before;
        memcpy(reply + 1, &status, sizeof status);
        memcpy(reply + 5, &cpu, sizeof cpu);
        before = spent;
        if (write(0, reply, sizeof reply) != sizeof reply || result != DONE)
            _exit(0);
    }
}

static int about(void)
{
    char name[256] = "";
    int version = 0;
    size_t memory = 0;
    cuda.device_name(name, sizeof name, device);
    cuda.driver_version(&version);
    cuda.device_memory(&memory, device);
    printf("sm_%d%d\t%s\t%d.%d\t%zu\t%zu\n", attribute(MAJOR), attribute(MINOR), name,
           version / 1000, version % 1000 / 10, memory, stack_bytes());
    return 0;
}

int main(int count, char **words)
{
    if (count < 2) {
        fprintf(stderr, "%s --about | --serve | FILE [MILLISECONDS]\n", words[0]);
        return 2;
    }
    if (open_driver())
        return 1;
    if (!strcmp(words[1], "--about"))
        return about();
    if (!strcmp(words[1], "--serve"))
        return serve();
    int result = open_device() ? FAILED : run_file(words[1], count > 2 ? words[2] : "10000");
    fflush(stderr);
    /* A kernel that is still running, or a device that has failed, may hold up a regular end. */
    _exit(result == FAILED);
}
