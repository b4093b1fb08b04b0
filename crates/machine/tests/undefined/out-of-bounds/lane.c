typedef int V4 __attribute__((vector_size(16)));
int main(void)
{
    V4 a = {1, 2, 3, 4};
    volatile int i = 4;
    return a[i]; //~ UB out-of-bounds
}
