//! Words: tokens, their classes and forms, the verbs that begin a clause, and what stands around it and says nothing. Knows
//! nothing of rows.

pub(crate) mod classes;
pub(crate) mod clause_words;
pub(crate) mod generic;
pub(crate) mod leads;
pub(crate) mod lexicon;
pub(crate) mod needed_words;
pub(crate) mod negation;
pub(crate) mod own_words;
pub(crate) mod parts;
pub(crate) mod plain_clause;
pub mod tokens;
pub(crate) mod waiting;
pub(crate) mod word_tests;
