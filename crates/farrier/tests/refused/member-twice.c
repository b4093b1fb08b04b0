struct s { int a; long a; }; //~ two members are called `a`
