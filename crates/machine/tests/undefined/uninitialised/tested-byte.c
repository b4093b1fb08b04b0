struct padded { char c; int i; };
int main(void) {
  struct padded p;
  p.c = 1;
  p.i = 2;
  char *bytes = (char *)&p;
  if (bytes[1]) //~ UB uninitialised
    return 1;
  return 0;
}
