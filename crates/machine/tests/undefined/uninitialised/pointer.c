int main(void) {
  int *p;
  return *p; //~ UB uninitialised
}
