enum color { RED, GREEN, BLUE };
struct bits {
    unsigned a : 3; int b : 5; signed c : 7; _Bool flag : 1; enum color e : 2;
    unsigned : 4; unsigned long long wide : 40; long long : 0; char small : 2; unsigned char full : 8;
    const volatile unsigned cv : 2;
} s = { 5, -3, -60, 1, BLUE, 0x123456789ull, 1, 255, 2 };
struct only_unnamed { int : 5; int x; };
union ub { unsigned low : 4; unsigned all; } u = { .all = 0xabc };
struct __attribute__((packed)) packed { unsigned a : 7; unsigned b : 11; unsigned c : 14; char d; };
int main(void) {
    struct bits t = s;
    t.a += 7; t.b--; t.wide <<= 4; t.flag = 2;
    int widened = t.a - 8;
    return !(t.a == 4 && t.b == -4 && s.c == -60 && t.flag == 1 && s.e == BLUE && widened == -4
        && s.wide == 0x123456789ull && t.wide == 0x1234567890ull && s.full == 255 && s.cv == 2
        && u.low == 12 && sizeof(struct packed) == 5 && sizeof(struct only_unnamed) == 8
        && (s.a ? s.a++ : 0) == 5 && s.a-- == 6 && (s.a = 9) == 1);
}
