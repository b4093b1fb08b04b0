struct s { void a; }; //~ a member cannot have type `void`
