__attribute__((noreturn)) static void stop(void) {
  return; //~ UB noreturn-returns
}
int main(void) {
  stop();
}
