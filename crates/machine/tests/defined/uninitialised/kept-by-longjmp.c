// Only what is written after setjmp, and is neither volatile nor static, loses its value.
typedef struct { long words[25]; } jmp_buf[1];
int _setjmp(jmp_buf);
_Noreturn void longjmp(jmp_buf, int);
static jmp_buf buffer;
static int count;
static void jump(int *p) {
  p[0]++;
  count++;
  longjmp(buffer, 1);
}
static int inner(int parameter) {
  int before = 3, given[2] = {4, 5};
  volatile int changed[2] = {0};
  static int kept;
  before = 6;
  if (_setjmp(buffer) == 0) {
    changed[1] = 7;
    kept = 8;
    jump(&kept);
  }
  return before + given[1] + changed[1] + kept + parameter;
}
int main(void) {
  int own = 2;
  own += inner(10);
  own += inner(20);
  return !(own == 2 + 2 * (6 + 5 + 7 + 9) + 30 && count == 2);
}
