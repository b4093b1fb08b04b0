enum e { A, A }; //~ `A` is already declared here
