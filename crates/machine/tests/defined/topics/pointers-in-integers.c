// An integer that is wide enough holds a pointer, and a wider one too.
int main(void) {
  int x[4] = {1, 2, 3, 4};
  unsigned long address = (unsigned long)(x + 3);
  long long wider = (long long)address;
  long same = (long)x;
  return *(int *)wider == 4 && *(int *)same == 1 && (int)(unsigned long)(int *)0 == 0 ? 0 : 1;
}
