// The end of an array of rows is a pointer to a row, which need not be there.
int a[2][3] = {{1, 2, 3}, {4, 5, 6}};
int main(void) {
  int i = 2, sum = 0;
  int(*end)[3] = &a[i];
  for (int(*row)[3] = a; row < end; row++)
    sum += (*row)[2];
  return sum == 9 && a[i - 1] + 3 == &a[1][3] ? 0 : 1;
}
