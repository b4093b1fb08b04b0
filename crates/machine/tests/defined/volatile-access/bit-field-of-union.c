union u { volatile short a; volatile unsigned long b; unsigned c : 10; };
static union u all[2][2] = {{{5}, {6}}, {{7}, {8}}};
union v { int a : 26; const volatile unsigned b; };
static union v other[3] = {{1}, {2}, {3}};

/* A bit-field of a union that has volatile members too is not volatile itself. */
int main(void) {
  int sum = 0;
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++)
      sum += all[i][j].c;
  for (int i = 0; i < 3; i++)
    sum += other[i].a;
  return sum - 32;
}
