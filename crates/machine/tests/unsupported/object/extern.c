// not yet: an object that no file defines is zero
extern int missing;
int main(void) {
  return missing; //~ UNSUPPORTED the object `missing`
}
