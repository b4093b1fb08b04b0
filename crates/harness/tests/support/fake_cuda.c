/* A driver of CUDA for tests on machines without a GPU: a "module" is a shared library of this
   machine, and its kernel runs in a thread. FAKE_CUDA names functions that fail, with the number of
   the error: `cuInit=100 cuCtxSynchronize=700`. A module that is no library is for another device. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int failure(const char *name)
{
    const char *list = getenv("FAKE_CUDA");
    const char *found = list ? strstr(list, name) : NULL;
    return found && found[strlen(name)] == '=' ? atoi(found + strlen(name) + 1) : 0;
}

#define FAIL_IF_ASKED                 \
    do {                              \
        int error = failure(__func__); \
        if (error)                    \
            return error;             \
    } while (0)

int cuDriverGetVersion(int *version) { *version = 13040; return 0; }
int cuDeviceGet(int *device, int number) { *device = number; FAIL_IF_ASKED; return 0; }
int cuDeviceTotalMem_v2(size_t *bytes, int device) { (void)device; *bytes = 1 << 30; return 0; }
int cuDevicePrimaryCtxSetFlags_v2(int device, unsigned flags) { (void)device, (void)flags; return 0; }
int cuDevicePrimaryCtxRetain(void **context, int device) { (void)device; *context = context; FAIL_IF_ASKED; return 0; }
int cuCtxSetCurrent(void *context) { (void)context; return 0; }
int cuCtxSetLimit(int limit, size_t bytes) { (void)limit, (void)bytes; FAIL_IF_ASKED; return 0; }
int cuStreamCreate(void **stream, unsigned flags) { (void)flags; *stream = stream; return 0; }

static void *wait_for_events(void *nothing)
{
    pause();
    return nothing;
}

/* As the real one it starts a thread and names it, and fails without a word where that is not
   allowed. Compiled with ELSEWHERE it stands for that of another machine, which nobody confines. */
int cuInit(unsigned flags)
{
    (void)flags;
    FAIL_IF_ASKED;
#ifdef ELSEWHERE
    return 0;
#endif
    pthread_t thread;
    if (pthread_create(&thread, NULL, wait_for_events, NULL))
        return 304;
    return pthread_setname_np(thread, "cuda-events") ? 304 : 0;
}

int cuDeviceGetName(char *name, int count, int device)
{
    (void)device;
    snprintf(name, (size_t)count, "a fake");
    return 0;
}

int cuDeviceGetAttribute(int *value, int which, int device)
{
    (void)device;
    *value = which == 75 ? 9 : which == 76 ? 0 : 64;
    return 0;
}

int cuGetErrorName(int error, const char **name)
{
    *name = error == 700 ? "CUDA_ERROR_ILLEGAL_ADDRESS" : "CUDA_ERROR_OF_A_FAKE";
    return 0;
}

/* Each time anew, so that objects have their first values. */
int cuModuleLoadData(void **module, const void *image)
{
    FAIL_IF_ASKED;
    const Elf64_Ehdr *head = image;
    if (memcmp(head->e_ident, ELFMAG, SELFMAG))
        return 209;
    char path[64];
    size_t size = head->e_shoff + (size_t)head->e_shentsize * head->e_shnum;
    int file = memfd_create("module", 0);
    if (file < 0 || write(file, image, size) != (ssize_t)size)
        return 999;
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!*module)
        fprintf(stderr, "%s\n", dlerror());
    return *module ? 0 : 200;
}

int cuModuleUnload(void *module) { (void)module; FAIL_IF_ASKED; return 0; }

static int find(void **place, void *module, const char *name)
{
    *place = dlsym(module, name);
    return *place ? 0 : 500;
}

int cuModuleGetFunction(void **function, void *module, const char *name)
{
    return find(function, module, name);
}

int cuModuleGetGlobal_v2(uint64_t *place, size_t *bytes, void *module, const char *name)
{
    void *found = NULL;
    int error = find(&found, module, name);
    *place = (uint64_t)(uintptr_t)found;
    *bytes = sizeof(int);
    return error;
}

static volatile int is_running;

static void *run(void *kernel)
{
    void (*function)(void);
    memcpy(&function, &kernel, sizeof function);
    function();
    is_running = 0;
    return NULL;
}

int cuLaunchKernel(void *kernel, unsigned a, unsigned b, unsigned c, unsigned d, unsigned e,
                   unsigned f, unsigned shared, void *stream, void **parameters, void **extra)
{
    (void)a, (void)b, (void)c, (void)d, (void)e, (void)f;
    (void)shared, (void)stream, (void)parameters, (void)extra;
    FAIL_IF_ASKED;
    pthread_t thread;
    is_running = 1;
    return pthread_create(&thread, NULL, run, kernel) ? 999 : 0;
}

int cuStreamQuery(void *stream)
{
    (void)stream;
    return is_running ? 600 : failure("cuStreamQuery");
}

int cuCtxSynchronize(void)
{
    while (is_running)
        usleep(100);
    return failure("cuCtxSynchronize");
}

int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t count)
{
    FAIL_IF_ASKED;
    memcpy(to, (const void *)(uintptr_t)from, count);
    return 0;
}
