//! The things that have names: places, doors, things, people and scenery.

use crate::words;

/// The place of an entity in the list of its world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NamedId(pub usize);

/// What an entity is, with its index in the definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NamedKind {
    /// A place.
    Place(usize),
    /// A door.
    Door(usize),
    /// A thing.
    Thing(usize),
    /// A person.
    Person(usize),
    /// A part of a place: the place's index and its own.
    Scenery(usize, usize),
}

/// Something with a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// What it is.
    pub kind: NamedKind,
    /// Its name, without article.
    pub name: String,
    /// Whether its name is a plural.
    pub plural: bool,
    /// `he`, `she`, `they` or `it`.
    pub pronoun: &'static str,
}

impl Named {
    pub(crate) fn new(kind: NamedKind, name: &str, plural: bool) -> Named {
        Named { kind, name: name.to_owned(), plural, pronoun: "it" }
    }

    /// Returns true if the name is a proper name, which has no article.
    pub fn is_proper(&self) -> bool {
        self.name.chars().next().is_some_and(char::is_uppercase)
    }

    /// `the brass key`, `Martha Quill`.
    pub fn the(&self) -> String {
        if self.is_proper() || words::has_article(&self.name) {
            self.name.clone()
        } else {
            format!("the {}", self.name)
        }
    }

    /// `a brass key`, `matches`, `Martha Quill`.
    pub fn a(&self) -> String {
        if self.is_proper() || self.plural || words::has_article(&self.name) {
            self.name.clone()
        } else {
            format!("{} {}", english::article(&self.name), self.name)
        }
    }

    /// `is` or `are`.
    pub fn is(&self) -> &'static str {
        if self.plural { "are" } else { "is" }
    }

    /// `it` or `them`, for a person `him`, `her` or `them`.
    pub fn them(&self) -> &'static str {
        match self.pronoun {
            "he" => "him",
            "she" => "her",
            "they" => "them",
            _ if self.plural => "them",
            _ => "it",
        }
    }

    /// `its` or `their`, for a person `his`, `her` or `their`.
    pub fn their(&self) -> &'static str {
        match self.pronoun {
            "he" => "his",
            "she" => "her",
            "they" => "their",
            _ if self.plural => "their",
            _ => "its",
        }
    }

    /// `He is`, `She is`, `They are` or `It is`.
    pub fn they_are(&self) -> &'static str {
        match self.pronoun {
            "he" => "He is",
            "she" => "She is",
            "they" => "They are",
            _ if self.plural => "They are",
            _ => "It is",
        }
    }

    /// Returns true if it is a person.
    pub fn is_person(&self) -> bool {
        matches!(self.kind, NamedKind::Person(_))
    }

    /// Returns true if it is a thing.
    pub fn is_thing(&self) -> bool {
        matches!(self.kind, NamedKind::Thing(_))
    }
}
