void *malloc(unsigned long);
void free(void *);
int main(void) {
  char *p = malloc(2);
  free(p);
  int truth = !p; //~ UB dangling
  return !truth;
}
