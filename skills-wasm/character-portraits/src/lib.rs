//! Draws portraits: a name and a description become an SVG picture, always the same one, which the story keeps and finds
//! again for the same character. Knows nothing of image generators: a skill with the `http` grant can take its place.

mod drawing;
mod gallery;
mod generate;
mod look;
mod lookup;
mod palette;

pub use generate::generate_portrait;
pub use lookup::lookup_portrait;

#[cfg(test)]
mod tests;
