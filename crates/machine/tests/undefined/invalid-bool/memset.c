void *memset(void *, int, unsigned long);
struct s { _Bool a, b; };
int main(void) {
  struct s s;
  memset(&s, 255, sizeof s);
  if (s.b) //~ UB invalid-bool
    return 1;
  return 0;
}
