int c = ''; //~ a character constant needs a character
