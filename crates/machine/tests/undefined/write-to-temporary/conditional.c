struct inner {
    char text[4];
};

struct s {
    struct inner inner;
} x, y;

static void change(char *text) {
    *text = 1; //~ UB write-to-temporary
}

int main(int argc, char **argv) {
    change((argc > 5 ? x : y).inner.text);
    return 0;
}
