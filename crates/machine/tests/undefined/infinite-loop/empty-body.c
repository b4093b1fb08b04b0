// steps: 100000
int stop;

int main(void) {
    while (!stop) { //~ UB infinite-loop
    }
    return 0;
}
