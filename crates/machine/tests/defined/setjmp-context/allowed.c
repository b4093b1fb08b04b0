typedef struct { long words[25]; } jmp_buf[1];
int _setjmp(jmp_buf);
_Noreturn void longjmp(jmp_buf, int);
static jmp_buf buffer;
int main(void) {
  volatile int n = 0;
  _setjmp(buffer);
  if (n++ == 0)
    longjmp(buffer, 1);
  (void)_setjmp(buffer);
  if (n++ == 2)
    longjmp(buffer, 1);
  if (!_setjmp(buffer))
    longjmp(buffer, 1);
  while (_setjmp(buffer) < 2)
    longjmp(buffer, 2);
  switch (_setjmp(buffer)) {
  case 0:
    longjmp(buffer, 5);
  case 5:
    return n != 4;
  }
  for (; 0 != _setjmp(buffer);)
    ;
  return 1;
}
