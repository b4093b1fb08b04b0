// steps: 100000
struct node {
    struct node *next;
    int value;
};

int main(void) {
    struct node a = {0, 1}, b = {&a, 2};
    a.next = &b;
    int sum = 0;
    for (struct node *n = &a; n; n = n->next) { //~ UB infinite-loop
        sum ^= n->value;
        if (sum > 100)
            break;
    }
    return 0;
}
