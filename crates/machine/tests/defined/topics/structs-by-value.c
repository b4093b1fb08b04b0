struct s { int a; double d; char text[5]; };
static struct s change(struct s s) {
  s.a++;
  s.text[0] = 'x';
  return s;
}
int main(void) {
  struct s s = { 1, 2.5, "abcd" }, t = change(s);
  if (s.a != 1 || s.text[0] != 'a') return 1;
  return t.a == 2 && t.d == 2.5 && t.text[0] == 'x' && t.text[3] == 'd' ? 0 : 2;
}
