void f(int a) { switch (a) { default: continue; } } //~ there is no loop to continue here
