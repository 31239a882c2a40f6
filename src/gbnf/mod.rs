//! GBNF grammars: the language of llama.cpp's own parser.
