// steps: 100000
// The outer loop has a constant condition and may go on; the inner one may not.
volatile int device;
int flag = 1;

int main(void) {
    for (;;) {
        device = 1;
        while (flag) //~ UB infinite-loop
            ;
    }
}
