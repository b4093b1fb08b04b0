/* Linked to every program for Windows. Standard output gets the bytes that the program prints, and
   numbers are printed by the library of MinGW-w64: that of Microsoft knows neither all formats of
   C11 nor long double. The exit status has eight bits where wine runs the program, so standard
   error is told when it begins and how it ends. */
#include <stdarg.h>
#include <stddef.h>

typedef struct farrier_file farrier_file;

int _setmode(int, int);
void (*signal(int, void (*)(int)))(int);
int atexit(void (*)(void));
void _exit(int);
int __mingw_vprintf(const char *, va_list);
int __mingw_vfprintf(farrier_file *, const char *, va_list);
int __mingw_vsprintf(char *, const char *, va_list);
int __mingw_vsnprintf(char *, size_t, const char *, va_list);
int __mingw_vsscanf(const char *, const char *, va_list);

struct farrier_record
{
    unsigned code;
};

struct farrier_exception
{
    struct farrier_record *record;
    void *context;
};

#define SYSTEM __declspec(dllimport) __attribute__((stdcall))
SYSTEM void *GetStdHandle(unsigned);
SYSTEM int WriteFile(void *, const void *, unsigned, unsigned *, void *);
SYSTEM unsigned SetErrorMode(unsigned);
SYSTEM void *SetUnhandledExceptionFilter(int __attribute__((stdcall)) (*)(struct farrier_exception *));
SYSTEM int SetThreadStackGuarantee(unsigned long *);

static void tell(const char *text)
{
    unsigned length = 0, written;
    while (text[length])
        length++;
    WriteFile(GetStdHandle(-12u), text, length, &written, 0);
}

static void on_abort(int number)
{
    (void)number;
    tell("farrier: abort\n");
    _exit(3);
}

static int __attribute__((stdcall)) on_exception(struct farrier_exception *exception)
{
    char text[] = "farrier: exception 00000000\n";
    unsigned code = exception->record->code;
    for (char *digit = text + 26; code; code /= 16)
        *digit-- = "0123456789abcdef"[code % 16];
    tell(text);
    /* The default: the process ends. */
    return 1;
}

static void on_end(void)
{
    tell("farrier: end\n");
}

/* Before any constructor of the program. */
__attribute__((constructor(101))) static void farrier_begin(void)
{
    unsigned long bytes = 65536;
    _setmode(1, 0x8000);
    /* No windows with messages. */
    SetErrorMode(0x8003);
    SetUnhandledExceptionFilter(on_exception);
    SetThreadStackGuarantee(&bytes);
    signal(22, on_abort);
    atexit(on_end);
    tell("farrier: begin\n");
}

#define FORWARD(call) \
    va_list list; \
    va_start(list, format); \
    int result = call; \
    va_end(list); \
    return result;

int printf(const char *format, ...)
{
    FORWARD(__mingw_vprintf(format, list))
}

int fprintf(farrier_file *file, const char *format, ...)
{
    FORWARD(__mingw_vfprintf(file, format, list))
}

int sprintf(char *to, const char *format, ...)
{
    FORWARD(__mingw_vsprintf(to, format, list))
}

int snprintf(char *to, size_t size, const char *format, ...)
{
    FORWARD(__mingw_vsnprintf(to, size, format, list))
}

int sscanf(const char *from, const char *format, ...)
{
    FORWARD(__mingw_vsscanf(from, format, list))
}

int vprintf(const char *format, va_list list)
{
    return __mingw_vprintf(format, list);
}

int vfprintf(farrier_file *file, const char *format, va_list list)
{
    return __mingw_vfprintf(file, format, list);
}

int vsprintf(char *to, const char *format, va_list list)
{
    return __mingw_vsprintf(to, format, list);
}

int vsnprintf(char *to, size_t size, const char *format, va_list list)
{
    return __mingw_vsnprintf(to, size, format, list);
}
