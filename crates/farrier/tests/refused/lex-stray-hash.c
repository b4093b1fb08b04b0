int a = # 2; //~ is not part of C
