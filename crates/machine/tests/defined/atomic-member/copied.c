// A copy is not atomic, and its members may be accessed.
struct S { short a, b; };
int main(void) {
  struct S s = { 1, 2 };
  struct T { _Atomic int a; int b; } t = { 1, 2 };
  t.a++;
  return s.a + t.a + t.b != 5;
}
