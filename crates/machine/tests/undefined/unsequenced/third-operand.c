int calls;
int call(void) { return calls++; }
int sum(int first, int second, int third) { return first + second + third; }
int main(void) {
  int x = 0;
  return sum(call() + x, call(), x = 1); //~ UB unsequenced
}
