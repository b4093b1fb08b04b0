int counter = 2147483647;
int main(void) {
  ++counter; //~ UB signed-overflow
  return 0;
}
