// std: c23
// compiler: none
// Checked with clang 19 and 22.
constexpr int length = 4;
static int numbers[length];

int main(void)
{
    constexpr signed char low = -128;
    constexpr double half = 0.5;
    const int *address = &length;
    switch (length) {
    case length: numbers[3] = low; break;
    default: return 1;
    }
    return !(numbers[3] == -128 && half + half == 1 && *address == 4);
}
