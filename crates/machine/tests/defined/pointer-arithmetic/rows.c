// The address of a row is a pointer into the array of rows, not into the row.
int a[3][4], b[2][3][4];

int main(void) {
  int(*q)[4] = &a[0];
  ++q;
  q++;
  if (q != &a[2]) return 1;
  q += 1;
  if (q != a + 3 || q - &a[1] != 2) return 2;
  q -= 3;
  if (q != &a[0]) return 3;
  int(*r)[4] = &b[1][0];
  r[2][3] = 5;
  r += 3;
  if (*(*(&b[1][1] + 1) + 3) != 5 || r - 3 != b[1]) return 4;
  int(*last)[4] = &*b[1];
  int(*plane)[3][4] = &b[0];
  int i = 1;
  return last[2][3] + (*(plane + 1))[2][3] + (&a[i])[1][0] - 10;
}
