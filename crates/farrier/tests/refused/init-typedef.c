typedef int T = 1; //~ expected `;`, found `=`
