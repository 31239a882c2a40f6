//! Sets of code points and automata over them.
