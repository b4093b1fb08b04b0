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
  int result = _setjmp(buffer);
  counted++;
  if (result == 0)
    deep(5);
  return !(result == 1 && counted == 2 && kept == 7);
}
