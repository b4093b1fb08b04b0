typedef struct { long words[25]; } jmp_buf[1];
int _setjmp(jmp_buf);
_Noreturn void longjmp(jmp_buf, int);
static jmp_buf buffer;
int main(void) {
  return _setjmp(buffer); //~ UB setjmp-context
}
