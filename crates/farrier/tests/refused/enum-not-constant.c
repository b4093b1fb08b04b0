int x;
enum e { A = x }; //~ this is not an integer constant
