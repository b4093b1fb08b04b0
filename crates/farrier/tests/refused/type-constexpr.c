// options: --std c23
constexpr int x = 1; //~ `constexpr` is not supported
