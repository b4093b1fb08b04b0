int x = (int[2])1; //~ cannot be cast to `int[2]`
