//! The clauses of a sentence one behind the other, each in the world that the earlier ones leave: whom they speak to, what is denied, what
//! `it` is.

pub(crate) mod pointing;
pub(crate) mod reading;
