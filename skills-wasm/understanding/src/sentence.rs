//! The sentence as a whole: spelling, person and tense, and the clauses that it is cut into.

pub(crate) mod absent;
pub(crate) mod clauses;
pub(crate) mod loose;
pub(crate) mod person;
pub(crate) mod spelling;
pub(crate) mod staged;
pub(crate) mod subordinate;
