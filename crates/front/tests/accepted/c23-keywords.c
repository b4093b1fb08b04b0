// std: c23
// compiler: none
bool yes = true, no = false;
static_assert(sizeof(int) == 4);
static_assert(true, "with words");
alignas(16) char aligned[3];
static thread_local int per_thread = 4;
int empty_scalar = {};
int f(void) {
    auto inferred = 1.5;
    const auto other = 2L;
    typeof_unqual(yes) m = 0;
    int n = {};
    return alignof(aligned) + per_thread + m + n + (inferred > other);
}
