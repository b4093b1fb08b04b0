int main(void) {
  switch (1) {
    int x = 5;
  case 1:
    return x; //~ UB uninitialised
  }
  return 0;
}
