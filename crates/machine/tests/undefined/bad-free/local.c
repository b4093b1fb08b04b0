void free(void *);
int main(void) {
  int x;
  free(&x); //~ UB bad-free
  return 0;
}
