//! The forms of words: the verb that one comes from, the singular of a noun.

use super::{irregular, verb_word};

/// Returns true if a phrase of a verb begins with the word.
pub fn is_verb(word: &str) -> bool {
    verb_word(word).is_some()
}

/// Returns true if a phrase of a verb begins with the word, in any of its forms.
pub fn is_verb_form(word: &str) -> bool {
    is_verb(word) || inflected(word).is_some()
}

/// The verb that `opening`, `opened` or `opens` comes from.
pub fn inflected(word: &str) -> Option<&'static str> {
    if let Some(verb) = irregular(word) {
        return Some(verb);
    }
    if word.len() < 4 {
        return None;
    }
    // `shines` is no form of `shin`.
    if let Some(verb) = word.strip_suffix('s').filter(|_| word.ends_with("es")).and_then(verb_word)
    {
        return Some(verb);
    }
    // `countes` is no form of `count`: only behind a hiss or a vowel the ending has an `e`.
    let has_e = ["ses", "xes", "zes", "ches", "shes", "ies", "oes", "ves"];
    let ending = |ending: &&str| *ending != "es" || has_e.iter().any(|end| word.ends_with(end));
    let endings = ["ing", "ed", "es", "s"].into_iter().filter(ending);
    let stem = endings.filter_map(|ending| word.strip_suffix(ending)).next()?;
    let bytes = stem.as_bytes();
    let is_doubled = bytes.len() > 2 && bytes[bytes.len() - 1] == bytes[bytes.len() - 2];
    // `carries`, `tried`.
    let with_y = stem.strip_suffix('i').filter(|_| !word.ends_with("ing"));
    // `hoping` is no form of `hop`.
    let with_e = Some(format!("{stem}e")).filter(|_| !word.ends_with('s'));
    let forms = [
        with_e,
        Some(stem.to_owned()),
        stem.strip_suffix(|_: char| true).filter(|_| is_doubled).map(str::to_owned),
        with_y.map(|stem| format!("{stem}y")),
    ];
    forms.into_iter().flatten().find_map(|form| verb_word(&form))
}

/// The plain form of a word that is another one: `take` for `took`, `key` for `keys`. A verb in its plain form has none.
pub fn plain_form(word: &str) -> Option<String> {
    if is_verb(word) {
        return None;
    }
    let of_noun = || word.ends_with('s').then(|| singular(word));
    inflected(word).map(str::to_owned).or_else(of_noun).filter(|plain| plain != word)
}

/// The singular of a noun.
pub fn singular(word: &str) -> String {
    let irregular = [
        ("men", "man"),
        ("women", "woman"),
        ("children", "child"),
        ("people", "person"),
        ("wolves", "wolf"),
        ("thieves", "thief"),
        ("wives", "wife"),
        ("knives", "knife"),
        ("mice", "mouse"),
        ("geese", "goose"),
        ("shelves", "shelf"),
        ("leaves", "leaf"),
        ("loaves", "loaf"),
        ("elves", "elf"),
        ("dwarves", "dwarf"),
        ("lives", "life"),
        ("feet", "foot"),
        ("teeth", "tooth"),
    ];
    if let Some((_, one)) = irregular.iter().find(|(many, _)| *many == word) {
        return (*one).to_owned();
    }
    for (many, one) in irregular.iter().take(2) {
        if let Some(front) = word.strip_suffix(many).filter(|front| front.len() > 2) {
            return format!("{front}{one}");
        }
    }
    if let Some(front) = word.strip_suffix("ies").filter(|front| front.len() > 1) {
        return format!("{front}y");
    }
    for ending in ["ches", "shes", "sses", "xes", "oes"] {
        if let Some(front) = word.strip_suffix(ending) {
            return format!("{front}{}", &ending[..ending.len() - 2]);
        }
    }
    match word.strip_suffix('s') {
        Some(front) if front.len() > 2 && !front.ends_with(['s', 'u', 'i']) => front.to_owned(),
        _ => word.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{inflected, is_verb, is_verb_form, plain_form, singular};

    #[test]
    fn a_form_leads_to_its_verb() {
        for (form, verb) in [
            ("opening", "open"),
            ("carries", "carry"),
            ("opens", "open"),
            ("grabbed", "grab"),
            ("took", "take"),
        ] {
            assert_eq!(inflected(form), Some(verb), "{form}");
        }
        for word in ["countes", "red", "", "s", "ing"] {
            assert_eq!(inflected(word), None, "{word}");
        }
        assert_eq!(
            (is_verb("open"), is_verb("opened"), is_verb_form("opened")),
            (true, false, true)
        );
    }

    #[test]
    fn a_form_that_is_no_plain_one_has_a_plain_one() {
        let plain = ["took", "keys", "opening", "take", "glass", "moon"].map(plain_form);
        let expect = [Some("take"), Some("key"), Some("open"), None, None, None];
        assert_eq!(plain.each_ref().map(Option::as_deref), expect);
    }

    #[test]
    fn several_have_the_name_of_one() {
        for (many, one) in [
            ("thieves", "thief"),
            ("policewomen", "policewoman"),
            ("berries", "berry"),
            ("matches", "match"),
            ("teapots", "teapot"),
            ("glass", "glass"),
            ("bus", "bus"),
        ] {
            assert_eq!(singular(many), one, "{many}");
        }
    }
}
