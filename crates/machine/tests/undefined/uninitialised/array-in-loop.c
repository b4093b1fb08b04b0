int main(void) {
  int a[4], sum = 0;
  for (int i = 1; i < 4; i++) a[i] = i;
  for (int i = 0; i < 4; i++)
    sum += a[i]; //~ UB uninitialised
  return sum;
}
