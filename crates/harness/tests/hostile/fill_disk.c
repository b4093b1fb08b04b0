/* Writes as many files as it can, each as long as it can. */
#include <stdio.h>
#include <string.h>

int main(void)
{
    static char block[1 << 16];
    int made = 0;
    memset(block, 'x', sizeof block);
    for (int i = 0; i < 100; i++) {
        char name[32];
        sprintf(name, "file%d", i);
        FILE *file = fopen(name, "w");
        if (!file)
            continue;
        made++;
        for (int j = 0; j < 1 << 14; j++)
            fwrite(block, sizeof block, 1, file);
        fclose(file);
    }
    printf("%d files\n", made);
    return 0;
}
