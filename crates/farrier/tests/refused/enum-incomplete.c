enum e x; //~ enum e
