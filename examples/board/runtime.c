/* What a program finds on the board: a start, an end, and the few functions that generated programs
   call. The marks tell where their output begins and how they end. */
#include <stdarg.h>
#include <stddef.h>

int main(void);

/* The one function that depends on the machine. */
static void board_put(char character)
{
    int result;
    __asm__ volatile("int $0x80" : "=a"(result) : "a"(4), "b"(1), "c"(&character), "d"(1) : "memory");
}

static void board_print(const char *text)
{
    while (*text)
        board_put(*text++);
}

static void board_number(unsigned number)
{
    if (number >= 10)
        board_number(number / 10);
    board_put('0' + number % 10);
}

int printf(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    for (; *format; format++) {
        if (*format != '%') {
            board_put(*format);
        } else if (*++format == 's') {
            board_print(va_arg(arguments, const char *));
        } else {
            board_number(va_arg(arguments, unsigned));
        }
    }
    va_end(arguments);
    return 0;
}

void *memcpy(void *to, const void *from, size_t count)
{
    for (size_t i = 0; i < count; i++)
        ((volatile char *)to)[i] = ((const char *)from)[i];
    return to;
}

void *memmove(void *to, const void *from, size_t count)
{
    if ((size_t)to < (size_t)from)
        return memcpy(to, from, count);
    while (count--)
        ((volatile char *)to)[count] = ((const char *)from)[count];
    return to;
}

void *memset(void *to, int value, size_t count)
{
    for (size_t i = 0; i < count; i++)
        ((volatile char *)to)[i] = value;
    return to;
}

int memcmp(const void *left, const void *right, size_t count)
{
    const unsigned char *one = left, *other = right;
    for (size_t i = 0; i < count; i++)
        if (one[i] != other[i])
            return one[i] < other[i] ? -1 : 1;
    return 0;
}

void *memchr(const void *text, int value, size_t count)
{
    const unsigned char *place = text;
    for (size_t i = 0; i < count; i++)
        if (place[i] == (unsigned char)value)
            return (void *)(place + i);
    return 0;
}

__attribute__((noreturn)) void exit(int status)
{
    int result;
    board_print("farrier: end ");
    board_number(status & 0xff);
    board_put('\n');
    for (;;)
        __asm__ volatile("int $0x80" : "=a"(result) : "a"(1), "b"(0));
}

__attribute__((noreturn)) void abort(void)
{
    int result;
    board_print("farrier: end abort\n");
    for (;;)
        __asm__ volatile("int $0x80" : "=a"(result) : "a"(1), "b"(0));
}

__attribute__((force_align_arg_pointer)) void _start(void)
{
    board_print("farrier: begin\n");
    exit(main());
}
