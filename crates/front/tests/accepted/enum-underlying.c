// std: c23
// compiler: clang
enum small : unsigned char { A, B = 255 };
enum wide : long long { C = 1LL << 40 };
enum forward : short;
enum forward : short { D = -3 };
int main(void) {
    enum small a = 256 + B;
    return !(sizeof(enum small) == 1 && sizeof(enum wide) == 8 && sizeof(enum forward) == 2 && D < 0);
}
