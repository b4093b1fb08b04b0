void free(void *);
int main(int argc, char **argv) {
  free(argv); //~ UB bad-free
  return argc;
}
