typedef struct { long words[25]; } jmp_buf[1];
int _setjmp(jmp_buf);
_Noreturn void longjmp(jmp_buf, int);
static jmp_buf buffer;
static void deep(int n) {
  char bytes[10];
  bytes[0] = (char)n;
  if (n == 0)
    longjmp(buffer, 0);
  deep(n - bytes[0] / n);
}
int main(void) {
  volatile int counted = 0;
  int kept = 7;
  switch (_setjmp(buffer)) {
  case 0:
    counted++;
    deep(5);
  case 1:
    counted++;
    return !(counted == 2 && kept == 7);
  }
  return 2;
}
