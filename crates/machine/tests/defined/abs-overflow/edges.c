int abs(int);
long labs(long);
int main(void) {
  if (abs(-2147483647) != 2147483647 || abs(0) != 0 || abs(5) != 5) return 1;
  if (labs(-2147483648l) != 2147483648l) return 2;
  return 0;
}
