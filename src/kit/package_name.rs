//! The rules for the names of skills and scripts: those of the manifest and of Agent Skills.

use narratoria_skills::SKILL_NAME_CHARS_MAX;

/// The rule that a name breaks.
pub(super) fn name_fault(name: &str) -> Option<String> {
    let word_fits = |word: &str| {
        !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
    };
    if !name.split('-').all(word_fits) {
        return Some("write lower case letters, digits and single hyphens between them".to_owned());
    }
    (name.len() > SKILL_NAME_CHARS_MAX).then(|| {
        format!("it has {} characters, at most {SKILL_NAME_CHARS_MAX} are allowed", name.len())
    })
}
