int table[2] = {3, 4};
__attribute__((const)) static int f(int x) {
  return table[x]; //~ UB broken-promise
}
int main(void) {
  return f(1);
}
