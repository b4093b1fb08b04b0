int calls;
int call(void) { return calls++; }
int main(void) {
  int x = 0;
  return (call() + x) + (call() + x++); //~ UB unsequenced
}
