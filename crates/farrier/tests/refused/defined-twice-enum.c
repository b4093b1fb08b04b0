enum e { A };
enum e { B }; //~ defined twice
