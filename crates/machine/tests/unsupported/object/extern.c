extern int missing;
int main(void) {
  return missing; //~ UNSUPPORTED the object `missing`
}
