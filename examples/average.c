#include <stdio.h>

static int average(const int *values, int count) {
  int sum = 0;
  for (int i = 0; i < count; i++)
    sum += values[i];
  return sum / count;
}

int main(void) {
  int values[] = { 1500000000, 1700000000 };
  printf("%d\n", average(values, 2));
  return 0;
}
