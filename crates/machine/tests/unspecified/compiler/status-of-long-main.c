// permissive
long main(void) {
    return 3; //~ UNSPECIFIED compiler
}
