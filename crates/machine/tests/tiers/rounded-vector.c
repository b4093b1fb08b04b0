// tier: rounded
typedef float v4 __attribute__((vector_size(16)));
volatile float three = 3.0f;
int main(void) {
    v4 x = {1.0f, 2.0f, 6.0f, 9.0f};
    v4 y = {three, three, three, three};
    v4 z = x / y;
    return (int)(z[3] + z[2]);
}
