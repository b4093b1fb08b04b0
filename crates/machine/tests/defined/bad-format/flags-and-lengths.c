// What C allows: each flag, precision and length where it has a meaning.
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

int main(void)
{
    int count = 0;
    short count_of_short = 0;
    unsigned char bytes[] = "bytes";
    void *untyped = "untyped";
    printf("[%+5d|% d|%-5d|%05d|%.3d]\n", 1, 2, 3, 4, 5);
    printf("[%#x|%#o|%#.0f|%#g]\n", 255u, 8u, 1.0, 0.5);
    printf("[%hhd|%hd|%ld|%lld|%jd|%zu|%td]\n", 1, 2, 3L, 4LL, (intmax_t)5, (size_t)6,
           (ptrdiff_t)7);
    printf("[%lf|%Lf|%8.3s|%-8s|%5c]%n%%%hn\n", 1.0, 2.0L, "abcdef", "xyz", 'c', &count,
           &count_of_short);
    printf("[%s|%s|%d|%d]\n", bytes, untyped, count, count_of_short);
    return 0;
}
