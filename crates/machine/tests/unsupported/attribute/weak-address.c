extern int missing(void) __attribute__((weak));
int main(void) {
  return missing ? 1 : 0; //~ UNSUPPORTED the address of a weak function
}
