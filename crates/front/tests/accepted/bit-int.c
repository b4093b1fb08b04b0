// std: c23
// compiler: clang
_BitInt(7) a = 63;
unsigned _BitInt(3) b = 7;
_BitInt(64) c = -5;
signed _BitInt(17) e = 65535;
unsigned _BitInt(100) h = 1;
struct { _BitInt(7) x; unsigned _BitInt(12) y : 5; } s = { 1, 2 };
int main(void) {
    unsigned _BitInt(3) sum = b + b;
    h <<= 90;
    _BitInt(20) prod = (_BitInt(20))a * e;
    return !(sum == 6 && sizeof a == 1 && sizeof c == 8 && c < 0 && s.y == 2 && (h >> 90) == 1
        && sizeof h == 16 && (a | 64) < 0 + 200);
}
