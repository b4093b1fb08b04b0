// std: c23
int no_parameters() { return 1; }
_Static_assert(sizeof(int) == 4);
int unnamed(int, long, char *) { return 2; }
unsigned binary = 0b1010'1010, separated = 1'000'000;
int empty[4] = {};
struct s { int a, b; } zero = {};
const unsigned char *text = (const unsigned char *)u8"text";
int main(void) {
    int n = 0, m = 3;
    switch (n) {
    case 0:
        int after_label = 5;
        m = after_label;
    }
    goto end;
    end:
    return !(no_parameters() == 1 && unnamed(1, 2, 0) == 2 && binary == 170 && separated == 1000000
        && !empty[3] && !zero.b && m == 5 && text[1] == 'e' && u8'a' == 97);
}
