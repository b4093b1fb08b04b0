void f(int a) {
  switch (a) {
  case 1:;
  case 2 - 1:; //~ the value 1 has a case already
  }
}
