// The literal lives while the statement runs.
int main(void) {
  int *p = 0;
  if (*(p = &(int){ 3 }) == 3) *p = 4;
  return *p; //~ UB dangling
}
