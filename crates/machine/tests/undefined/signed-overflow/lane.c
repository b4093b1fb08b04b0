typedef int V4 __attribute__((vector_size(16)));
int main(void)
{
    V4 a = {1, 2, 0x7fffffff, 4};
    a = a + (V4){0, 0, 1, 0}; //~ UB signed-overflow
    return a[2] == 0;
}
