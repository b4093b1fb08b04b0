__int128 big = (__int128)1 << 100;
unsigned __int128 ubig = ~(unsigned __int128)0;
__uint128_t named = 5;
__int128_t signed_named = -5;
typedef __int128 wide;
struct { char c; __int128 x; __int128 f : 100; } s = { 1, 2, 3 };
int main(void) {
    wide w = big * 3 - 1;
    return !(sizeof big == 16 && _Alignof(__int128) == 16 && (long)(big >> 90) == 1024
        && ubig + 1 == 0 && (int)(w >> 100) == 2 && named == 5 && signed_named < 0 && s.f == 3
        && (double)big > 1e30);
}
