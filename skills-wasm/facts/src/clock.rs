//! The time of day in a world: its clock, its parts, and which entry of a schedule holds. The skill `world` and the ticks of
//! the host read hours here, so that both see people in the same places.

/// Minutes of a story day.
pub const MINUTES_OF_A_DAY: u64 = 24 * 60;

/// The time, in minutes since midnight, at which a world begins that names none: nine o'clock.
pub const BEGINNING_MINUTE: u64 = 9 * 60;

/// Minutes since midnight of a time such as `17:30`; `None` if the text is no time of a day.
///
/// ```
/// # use narratoria_facts::minutes_of_day;
/// assert_eq!((minutes_of_day("17:30"), minutes_of_day("24:00")), (Some(17 * 60 + 30), None));
/// ```
pub fn minutes_of_day(time: &str) -> Option<u64> {
    let (hour, minute) = time.split_once(':')?;
    let (hour, minute): (u64, u64) = (hour.parse().ok()?, minute.parse().ok()?);
    (hour < 24 && minute < 60).then(|| hour * 60 + minute)
}

/// `morning`, `afternoon`, `evening` or `night`, for minutes since midnight.
pub fn time_of_day(minutes: u64) -> &'static str {
    match minutes % MINUTES_OF_A_DAY / 60 {
        5..=11 => "morning",
        12..=16 => "afternoon",
        17..=21 => "evening",
        _ => "night",
    }
}

/// The entry of a schedule that holds at this time: the one that began last, on this day or on the day before. Entries may
/// stand in any order; `from` is the time at which one begins, and one without a time of day begins at midnight.
pub fn entry_at<E>(schedule: &[E], from: impl Fn(&E) -> &str, minutes: u64) -> Option<&E> {
    let minutes = minutes % MINUTES_OF_A_DAY;
    schedule.iter().min_by_key(|entry| {
        let from = minutes_of_day(from(entry)).unwrap_or(0);
        (minutes + MINUTES_OF_A_DAY - from) % MINUTES_OF_A_DAY
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hours_hold_in_any_order() {
        let at = |hour: u64| entry_at(&["18:00", "08:00"], |from| from, hour * 60).copied();
        assert_eq!([at(9), at(19), at(3)], [Some("08:00"), Some("18:00"), Some("18:00")]);
        assert_eq!((at(18), at(24 + 9)), (Some("18:00"), Some("08:00")));
        assert_eq!(entry_at(&[] as &[&str], |from| from, 60), None);
    }

    #[test]
    fn a_clock_has_twenty_four_hours_of_sixty_minutes() {
        let odd = ["07:59", "07:75", "24:00", "18446744073709551615:00", "7"].map(minutes_of_day);
        assert_eq!(odd, [Some(479), None, None, None, None]);
    }

    #[test]
    fn each_part_of_the_day_begins_at_its_hour() {
        let parts = [4, 5, 12, 17, 22, 24 + 5].map(|hour| time_of_day(hour * 60));
        assert_eq!(parts, ["night", "morning", "afternoon", "evening", "night", "morning"]);
    }
}
