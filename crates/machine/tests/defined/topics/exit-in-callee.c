int puts(const char *);
void exit(int);
static void leave(int n) {
  if (n == 0) {
    puts("leaving");
    exit(0);
  }
  leave(n - 1);
}
int main(void) {
  leave(100);
  return 1;
}
