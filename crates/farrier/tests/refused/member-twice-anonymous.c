struct s { int a; struct { int a; }; }; //~ two members are called `a`
