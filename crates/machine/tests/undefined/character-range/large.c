int toupper(int);
int main(void) {
  return toupper(256) == 0; //~ UB character-range
}
