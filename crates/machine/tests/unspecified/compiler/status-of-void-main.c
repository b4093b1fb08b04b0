void main(void) {
    return; //~ UNSPECIFIED compiler
}
