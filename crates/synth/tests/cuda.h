/* What generated CUDA needs, for compilers that have no CUDA. clang in its mode for CUDA gets
   declarations, so that it checks which functions the device has. Other compilers of C++ get
   definitions: with them the device is the machine itself, and `<<<1, 1>>>` has to be left out. */
#include <stddef.h>
#ifdef __CUDA__
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define DEFINED(...) ;
extern "C" __device__ int printf(const char *, ...);
extern "C" __device__ void *malloc(size_t);
extern "C" __device__ void free(void *);
extern "C" __device__ void *memcpy(void *, const void *, size_t);
extern "C" __device__ void *memset(void *, int, size_t);
struct dim3 {
    unsigned int x, y, z;
    dim3(unsigned int a, unsigned int b = 1, unsigned int c = 1) : x(a), y(b), z(c) {}
};
extern "C" int __cudaPushCallConfiguration(dim3, dim3, size_t = 0, void * = 0);
extern "C" int cudaConfigureCall(dim3, dim3, size_t = 0, void * = 0);
#define REAL1(name) __device__ double name(double); __device__ float name##f(float);
#define REAL2(name) __device__ double name(double, double); __device__ float name##f(float, float);
REAL1(sqrt) REAL1(floor) REAL1(ceil) REAL1(trunc) REAL1(rint) REAL1(nearbyint) REAL1(round)
REAL1(fabs) REAL2(fmod) REAL2(fdim) REAL2(copysign) REAL2(fmin) REAL2(fmax)
__device__ double fma(double, double, double);
__device__ float fmaf(float, float, float);
__device__ double ldexp(double, int);
__device__ float ldexpf(float, int);
__device__ double scalbn(double, int);
__device__ float scalbnf(float, int);
__device__ double frexp(double, int *);
__device__ float frexpf(float, int *);
#else
#define __device__
#define __global__
#define DEFINED(...) { __VA_ARGS__ }
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#endif
__device__ inline int __popc(unsigned int a) DEFINED(return __builtin_popcount(a);)
__device__ inline int __popcll(unsigned long long a) DEFINED(return __builtin_popcountll(a);)
__device__ inline int __clz(int a) DEFINED(return a ? __builtin_clz(a) : 32;)
__device__ inline int __clzll(long long a) DEFINED(return a ? __builtin_clzll(a) : 64;)
__device__ inline int __ffs(int a) DEFINED(return __builtin_ffs(a);)
__device__ inline int __ffsll(long long a) DEFINED(return __builtin_ffsll(a);)
__device__ inline int __double2hiint(double a)
    DEFINED(long long b; memcpy(&b, &a, 8); return (int)(b >> 32);)
/* Only the selection that generated programs have: all bytes in the other order. */
__device__ inline unsigned int __byte_perm(unsigned int a, unsigned int, unsigned int selection)
    DEFINED(if (selection != 0x0123) abort(); return __builtin_bswap32(a);)
__device__ inline void __trap() DEFINED(abort();)
enum cudaError_t { cudaSuccess };
inline cudaError_t cudaDeviceSynchronize() { return cudaSuccess; }
template <class T> cudaError_t cudaMemcpyFromSymbol(void *to, const T &from, size_t size)
    DEFINED(memcpy(to, &from, size); return cudaSuccess;)
