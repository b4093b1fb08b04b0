int main(void) {
  int x;
  if (x) //~ UB uninitialised
    return 1;
  return 0;
}
