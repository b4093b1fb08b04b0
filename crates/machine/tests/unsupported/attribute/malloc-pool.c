static char pool[64];
__attribute__((malloc)) static char *take(void) {
  return pool; //~ UNSUPPORTED a `malloc` function that returns a piece
}
int main(void) {
  return *take();
}
