//! Opinions of the player as points, and the sentences that stay beside them. Knows neither who has an opinion nor why.

/// How far an opinion can go in either direction.
pub const OPINION_MAX: f64 = 100.0;

/// The opinion from which on somebody likes the player; as far below zero they dislike them.
pub const LIKED_FROM: f64 = 15.0;

/// Returns the nearest possible opinion; indifference if the value is no number.
///
/// ```
/// # use narratoria_facts::opinion_of;
/// assert_eq!((opinion_of(250.0), opinion_of(0.125), opinion_of(f64::NAN)), (100.0, 0.13, 0.0));
/// ```
pub fn opinion_of(points: f64) -> f64 {
    if !points.is_finite() {
        return 0.0;
    }
    // Two decimal places, so that the fading of an hour is not lost between two changes.
    (points.clamp(-OPINION_MAX, OPINION_MAX) * 100.0).round() / 100.0
}

/// The text in visible characters and single spaces, cut between two words to at most `chars_max` characters; `None` where
/// nothing is left.
///
/// ```
/// # use narratoria_facts::shortened;
/// assert_eq!(shortened(" You  paid\u{7} the debt. ", 13), Some("You paid the".to_owned()));
/// assert_eq!(shortened("incomprehensible", 5), None);
/// ```
pub fn shortened(text: &str, chars_max: usize) -> Option<String> {
    let visible = |c: char| if c.is_control() { ' ' } else { c };
    let plain: String = text.chars().take(4 * chars_max).map(visible).collect();
    let (mut kept, mut chars) = (String::new(), 0);
    for word in plain.split_whitespace() {
        let space = usize::from(!kept.is_empty());
        chars += space + word.chars().count();
        if chars > chars_max {
            break;
        }
        kept.extend((space == 1).then_some(' '));
        kept += word;
    }
    (!kept.is_empty()).then_some(kept)
}
