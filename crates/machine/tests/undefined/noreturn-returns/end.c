_Noreturn static void stop(int n) { //~ UB noreturn-returns
  if (n) __builtin_abort();
}
int main(void) {
  stop(0);
}
