struct; //~ expected a tag or `{`
