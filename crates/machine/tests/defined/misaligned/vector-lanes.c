// A lane is aligned as an element, not as the vector.
typedef int lanes __attribute__((vector_size(16)));
struct S { int first; lanes second; };
int main(void) {
  lanes v = { 1, 2, 3, 4 }, *p = &v;
  struct S s = { 1, { 5, 6, 7, 8 } }, *q = &s;
  (*p)[1] = 9;
  q->second[3]++;
  if ((*p)[1] != 9 || p[0][3] != 4 || q->second[2] != 7 || q->second[3] != 9) return 1;
  return "abc"[1] != 'b';
}
