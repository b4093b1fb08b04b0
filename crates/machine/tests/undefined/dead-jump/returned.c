typedef struct { long words[25]; } jmp_buf[1];
int _setjmp(jmp_buf);
_Noreturn void longjmp(jmp_buf, int);
static jmp_buf buffer;
static int mark(void) { if (_setjmp(buffer)) return 1; return 0; }
int main(void) {
  if (mark() == 0)
    longjmp(buffer, 1); //~ UB dead-jump
  return 0;
}
