struct s { struct s t; }; //~ a member has the incomplete type `struct s`
