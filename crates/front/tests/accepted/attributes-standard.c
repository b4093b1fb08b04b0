// std: c23
[[maybe_unused]] static int a;
[[nodiscard]] int f([[maybe_unused]] int x);
struct [[maybe_unused]] s { [[deprecated]] int old; int b; };
enum [[maybe_unused]] e { A [[deprecated]], B };
[[gnu::noinline]] static int g(int x) { return x; }
[[noreturn]] void stop(void);
int main(void) {
    [[maybe_unused]] int unused = 1;
    int r [[gnu::aligned(16)]] = 2;
    switch (r) {
    case 2: r++;
        [[fallthrough]];
    case 3: r++;
    }
    for (;;) { [[maybe_unused]] int z; break; }
    return g(r) - 4 + B - 1;
}
