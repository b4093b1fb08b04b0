int x //~ expected `;`, found `int`
int y;
