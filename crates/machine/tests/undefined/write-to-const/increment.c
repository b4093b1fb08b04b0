static const int counter;
int main(void) {
  ++*(int *)&counter; //~ UB write-to-const
  return 0;
}
