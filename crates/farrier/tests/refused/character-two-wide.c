int c = L'ab'; //~ one character is expected here
