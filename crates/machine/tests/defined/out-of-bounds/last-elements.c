int a[3];
int m[2][3];
struct s { int n; char name[4]; } s;
int main(void) {
  a[2] = 1;
  m[1][2] = 2;
  s.name[3] = 3;
  int *end = a + 3, *p = end - 1;
  if (*p != 1 || end[-1] != 1 || 2[a] != 1) return 1;
  char *bytes = (char *)m;
  if (bytes[5 * sizeof(int)] != 2) return 2;
  return s.name[3] - 3;
}
