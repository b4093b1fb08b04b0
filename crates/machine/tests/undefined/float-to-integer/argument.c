static int identity(int x) { return x; }
int main(void) {
  return identity(1e10); //~ UB float-to-integer
}
