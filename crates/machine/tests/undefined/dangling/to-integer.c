void *malloc(unsigned long);
void free(void *);
int main(void) {
  char *p = malloc(2);
  free(p);
  int truth = (unsigned long)p != 0; //~ UB dangling
  return !truth;
}
