int isdigit(int);
int main(void) {
  char c = (char)-23;
  return isdigit(c) != 0; //~ UB character-range
}
