typedef struct __attribute__((may_alias)) {
  short half;
  struct {
    short rest[1];
  } more;
} view;

int main(void) {
  int x = 0x10002;
  view *p = (view *)&x;
  if (p->half + p->more.rest[0] != 3)
    return 1;
  p->half = 0;
  int i = 0;
  p->more.rest[i]++;
  view *whole = p;
  view copy = *whole;
  return x == 0x20000 && copy.more.rest[i] == 2 ? 0 : 2;
}
