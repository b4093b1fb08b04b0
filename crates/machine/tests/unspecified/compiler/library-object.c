// The library writes to what this names.
int puts(const char *);
int stdout = 5; //~ UNSPECIFIED compiler
int main(void) {
  puts("called");
  return stdout - 5;
}
