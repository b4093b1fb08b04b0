typedef struct { long words[25]; } jmp_buf[1];
int _setjmp(jmp_buf);
_Noreturn void longjmp(jmp_buf, int);
static jmp_buf buffer;
static void set(int *p) {
  *p = 2;
}
int main(void) {
  int changed[2] = {1, 2};
  if (_setjmp(buffer) == 0) {
    set(&changed[1]);
    longjmp(buffer, 1);
  }
  return changed[0] - 1 + changed[1]; //~ UB uninitialised
}
