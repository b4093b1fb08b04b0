#pragma pack(push, 2)
struct two { char a; int b; short c; };
#pragma pack(push, 1)
struct one { char a; int b; };
#pragma pack(pop)
struct two_again { char a; long b; };
#pragma pack(pop)
struct normal { char a; int b; };
#pragma pack(4)
struct four { char a; long b; };
#pragma pack()
struct aligned { _Alignas(16) char a; _Alignas(double) char b; char c; };
_Alignas(64) char object;
struct inner { char c; struct two t __attribute__((aligned(8))); };
typedef struct { char c; int i; } __attribute__((packed)) packed_typedef;
struct holds { packed_typedef p; int after; };
int main(void) {
    _Alignas(32) int local = 1;
    return !(sizeof(struct two) == 8 && sizeof(struct one) == 5 && sizeof(struct two_again) == 10
        && sizeof(struct normal) == 8 && sizeof(struct four) == 12 && sizeof(struct aligned) == 16
        && (unsigned long)&object % 64 == 0 && (unsigned long)&local % 32 == 0
        && sizeof(struct inner) == 16 && sizeof(packed_typedef) == 5 && sizeof(struct holds) == 12);
}
