int x = ; //~ expected an expression
