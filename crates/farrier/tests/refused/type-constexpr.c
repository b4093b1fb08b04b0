// options: --std c23
int y;
constexpr int x = y; //~ the initialiser of `constexpr` is a constant
