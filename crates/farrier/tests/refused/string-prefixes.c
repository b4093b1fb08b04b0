void *s = L"a" u"b"; //~ strings with different prefixes stand together
