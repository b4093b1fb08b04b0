typedef struct { long words[25]; } jmp_buf[1];
int _setjmp(jmp_buf);
_Noreturn void longjmp(jmp_buf, int);
static jmp_buf buffer;
int main(void) {
  int changed = 1;
  if (_setjmp(buffer) == 0) {
    changed = 2;
    changed = 1;
    longjmp(buffer, 1);
  }
  return changed; //~ UB uninitialised
}
