int main(void) {
    _Complex double z = 1;
    z = z + (__real__ z = 5); //~ UB unsequenced
    return __real__ z != 6;
}
