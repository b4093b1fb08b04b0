int f(void) = 1; //~ expected `;`, found `=`
