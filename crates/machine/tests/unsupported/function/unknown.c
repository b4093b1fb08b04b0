int no_such_function(int);
int main(void) {
  return no_such_function(1); //~ UNSUPPORTED the function `no_such_function`
}
