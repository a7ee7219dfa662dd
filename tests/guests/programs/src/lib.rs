//! Programs that break the rules, each in its own way: see `src/bin`.
