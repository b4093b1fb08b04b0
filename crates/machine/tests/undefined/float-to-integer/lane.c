typedef int V2 __attribute__((vector_size(8)));
typedef float F2 __attribute__((vector_size(8)));
int main(void)
{
    F2 f = {1.0f, 3e9f};
    V2 v = __builtin_convertvector(f, V2); //~ UB float-to-integer
    return v[0];
}
