// Truth is a use of the value: gcc returns a null pointer here.
int *local(void) {
  int x = 1;
  return &x;
}
int main(void) {
  if (local()) //~ UB dangling
    return 1;
  return 2;
}
