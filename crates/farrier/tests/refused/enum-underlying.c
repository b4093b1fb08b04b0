// options: --std c23
enum e : float { A }; //~ an enumeration stands on an integer type
