//! The naughty guests of the tests, as components.
