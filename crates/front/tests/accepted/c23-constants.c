// std: c23
// compiler: none
// Checked with clang 19 and 22, which know all of it.
constexpr int N = 4;
static int sized[N];
static constexpr unsigned top = 1u << 31;
constexpr struct pair { int a, b; } pair = {1, 2};
constexpr int *nowhere = nullptr;
static_assert(sizeof sized == 4 * sizeof(int));

enum small : unsigned char { first, last = 255 };
enum later : short;
enum later : short { third = 3 };
enum wide { one = 1, big = 0x100000000ull };
static_assert(sizeof(enum small) == 1);

static auto counted = 5L;
static_assert(_Generic(counted, long: 1, default: 0));
static_assert(_Generic(7wbu, unsigned _BitInt(3): 1, default: 0));
static_assert(_Generic(7UWB, unsigned _BitInt(3): 1, default: 0));
static_assert(_Generic(0b1'11wb, _BitInt(4): 1, default: 0));
static_assert(_Generic(u8"x"[0], unsigned char: 1, default: 0));

int unnamed(int, char **) { return N; }

int main(void) {
    constexpr double half = 0.5;
    constexpr signed char low = -128;
    constexpr auto inferred = 3u;
    const int *address = &N;
    typeof(N) copy = N;
    const int row[2] = {1, 2};
    typeof_unqual(row) writable = {};
    const int (*qualified)[2] = &writable;
    writable[0] = pair.b;
    for ([[maybe_unused]] auto i = 0; i < 1; i++) [[likely]] writable[1]++;
    switch (N) {
    case N + 1: return 1;
    case N:
        int declared = low;
        if (declared != -128 || (*qualified)[0] != 2) return 2;
        [[fallthrough]];
    default:
    }
    int *[[]] pointer = {};
    [[maybe_unused]] again:
    char string[] = ("wo");
    return *address != copy || half != 0.5 || inferred != 3 || top != 0x8000'0000 ||
           nowhere != nullptr || string[1] != 'o' || last != 255 || third != 3 ||
           unnamed(1, nullptr) != 4;
end:
}
