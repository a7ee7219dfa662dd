//! Words that say what the phrases around them are. Data only.

/// Words at the beginning of a question.
pub(super) const QUESTION_WORDS: &[&str] = &[
    "who", "what", "where", "why", "how", "when", "which", "whose", "is", "are", "was", "were",
    "does", "did", "what's", "who's", "where's",
];

/// Words between a verb and its noun.
pub(super) const PARTICLES: &[&str] = &[
    "at",
    "to",
    "into",
    "in",
    "inside",
    "through",
    "on",
    "onto",
    "off",
    "out",
    "past",
    "by",
    "behind",
    "under",
    "underneath",
    "beneath",
    "across",
    "along",
    "toward",
    "towards",
    "for",
    "from",
    "near",
    "against",
    "back",
    "around",
    "over",
    "down",
    "up",
    "forward",
    "closer",
    "away",
    "before",
    "between",
    "among",
    "within",
    "outside",
    "beyond",
    "of",
    "straight",
    "beside",
];

/// Words that end a phrase and open another.
pub(super) const LINKS: &[&str] = &[
    "then", "but", "so", "if", "because", "while", "when", "that", "who", "which", "as", "until",
    "before", "after", "and", "or", "without", "whether", "where", "how", "what", "why", "is",
    "are",
];
