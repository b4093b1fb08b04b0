// permissive
int main(int argc) { //~ UNSUPPORTED `main` with parameters of these types
    return argc;
}
