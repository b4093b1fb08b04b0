int isdigit(int);
int main(void) {
  switch (isdigit('1')) { //~ UNSPECIFIED library
  case 1:
    return 1;
  }
  return 0;
}
