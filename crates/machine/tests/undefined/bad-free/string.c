void free(void *);
int main(void) {
  free("abc"); //~ UB bad-free
  return 0;
}
