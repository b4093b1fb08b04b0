int g;
int main(void) {
  return g + (g = 1); //~ UB unsequenced
}
