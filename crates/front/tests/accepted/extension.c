__extension__ typedef long long ll;
__extension__ struct { __extension__ union { int a; float b; }; __extension__ int c; } s;
__extension__ int x = __extension__ 3;
int main(void) {
    __extension__ int y = __extension__ (int) __extension__ x;
    __extension__ ({ y++; });
    return __extension__ y - 4;
}
