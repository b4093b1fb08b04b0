int main(void) {
  int last;
  for (int i = 0; i < 3; i++)
    last = i;
  return last - 2;
}
