int main(void) {
  __builtin_unreachable(); //~ UB unreachable
}
