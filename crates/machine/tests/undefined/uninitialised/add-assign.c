int main(void) {
  double sum;
  sum += 1.0; //~ UB uninitialised
  return 0;
}
