// tier: free
int main(void) { return 3; }
