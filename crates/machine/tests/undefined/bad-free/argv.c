#include <stdlib.h>

int main(int argc, char **argv) {
    free(argv); //~ UB bad-free
    return 0;
}
