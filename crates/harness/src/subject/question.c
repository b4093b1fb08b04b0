/* Preprocessed by a program to find out which compiler it is. The answers are
   words that no compiler has a macro for, as many have for `linux`. */
#if defined(__NVCC__)
farrier_answer family nvcc
farrier_answer version __CUDACC_VER_MAJOR__ . __CUDACC_VER_MINOR__ . __CUDACC_VER_BUILD__
#elif defined(__SDCC)
farrier_answer family sdcc
farrier_answer version __SDCC_VERSION_MAJOR . __SDCC_VERSION_MINOR . __SDCC_VERSION_PATCH
#elif defined(__TINYC__)
farrier_answer family tcc
farrier_answer version __TINYC__
#elif defined(__PCC__)
farrier_answer family pcc
farrier_answer version __PCC__ . __PCC_MINOR__ . __PCC_MINORMINOR__
#elif defined(__INTEL_COMPILER) || defined(__INTEL_LLVM_COMPILER) || defined(__NVCOMPILER)
farrier_answer family other
#elif defined(__clang__)
farrier_answer family clang
farrier_answer version __clang_major__ . __clang_minor__ . __clang_patchlevel__
#elif defined(__GNUC__)
farrier_answer family gcc
farrier_answer version __GNUC__ . __GNUC_MINOR__ . __GNUC_PATCHLEVEL__
#else
farrier_answer family other
#endif
#if defined(__NVCC__)
farrier_answer target farrier_nvptx64
#elif defined(__CHAR_UNSIGNED__)
#if defined(__aarch64__) && defined(__linux__) && defined(__AARCH64EL__) && !defined(__ILP32__)
farrier_answer target farrier_aarch64_linux
#elif defined(__s390x__) && defined(__linux__) && __LDBL_MANT_DIG__ == 113
farrier_answer target farrier_s390x_linux
#elif defined(__riscv) && defined(__linux__) && __riscv_xlen == 64
farrier_answer target farrier_riscv64_linux
#elif defined(__arm__) && defined(__linux__) && defined(__ARMEL__) && defined(__ARM_EABI__)
farrier_answer target farrier_arm_linux
#elif defined(__arm__) && !defined(__linux__) && defined(__ARMEL__) && defined(__ARM_EABI__)
farrier_answer target farrier_arm_none
#elif defined(__riscv) && !defined(__linux__) && __riscv_xlen == 32
farrier_answer target farrier_riscv32_none
#elif defined(__riscv) && !defined(__linux__) && __riscv_xlen == 64
farrier_answer target farrier_riscv64_none
#elif defined(__powerpc__) && defined(__linux__) && __LDBL_MANT_DIG__ == 106
#if !defined(__powerpc64__) && defined(__BIG_ENDIAN__)
farrier_answer target farrier_powerpc_linux
#elif defined(__powerpc64__) && defined(__BIG_ENDIAN__) && _CALL_ELF == 1
farrier_answer target farrier_powerpc64_linux
#elif defined(__powerpc64__) && defined(__LITTLE_ENDIAN__) && _CALL_ELF == 2
farrier_answer target farrier_powerpc64le_linux
#endif
#endif
#elif defined(__x86_64__) && defined(__linux__) && !defined(__ILP32__)
farrier_answer target farrier_x86_64_linux
#elif defined(__i386__) && defined(__linux__)
farrier_answer target farrier_i386_linux
#elif defined(__x86_64__) && defined(_WIN64) && defined(__MINGW64__)
farrier_answer target farrier_x86_64_windows
#elif defined(__i386__) && defined(_WIN32) && !defined(_WIN64) && defined(__MINGW32__)
farrier_answer target farrier_i386_windows
#elif defined(__mips__) && defined(__linux__) && _MIPS_SIM == _ABIO32 && defined(__MIPSEB__)
farrier_answer target farrier_mips_linux
#elif defined(__mips__) && defined(__linux__) && _MIPS_SIM == _ABI64 && defined(__MIPSEL__)
farrier_answer target farrier_mips64el_linux
#elif defined(__sparc__) && defined(__linux__) && defined(__arch64__)
farrier_answer target farrier_sparc64_linux
#elif defined(__m68k__) && defined(__linux__) && __SIZEOF_INT__ == 4 && __LDBL_MANT_DIG__ == 64
farrier_answer target farrier_m68k_linux
#elif defined(__alpha__) && defined(__linux__) && __LDBL_MANT_DIG__ == 113
farrier_answer target farrier_alpha_linux
#elif defined(__hppa__) && defined(__linux__) && !defined(__LP64__)
farrier_answer target farrier_hppa_linux
#elif defined(__SH4__) && defined(__linux__) && defined(__LITTLE_ENDIAN__)
farrier_answer target farrier_sh4_linux
#elif defined(__wasm32__) && defined(__wasi__) && __LDBL_MANT_DIG__ == 113
farrier_answer target farrier_wasm32_wasi
#elif defined(__AVR__) && __SIZEOF_LONG_DOUBLE__ == 4 && __SIZEOF_INT__ == 2
farrier_answer target farrier_avr
#endif
