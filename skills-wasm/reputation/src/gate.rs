//! Gates: things that a standing opens and closes, such as `the Harbour Watch >= 40: the customs house`.

use narratoria_facts::{Fact, bare, be, capitalised, name_of};

/// Most gates of a story.
pub(crate) const GATES_MAX: usize = 64;

/// Something that is open while a standing is high enough, or low enough.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Gate {
    faction: String,
    at: f64,
    is_open_above: bool,
    pub(crate) what: String,
}

impl Gate {
    /// Reads `FACTION >= NUMBER: WHAT` or `FACTION <= NUMBER: WHAT`.
    pub(crate) fn parse(text: &str) -> Result<Gate, String> {
        let wanted = "write it as `the Harbour Watch >= 40: the customs house`";
        let (rule, what) = text.split_once(':').ok_or(wanted)?;
        let (faction, at, is_open_above) = match (rule.split_once(">="), rule.split_once("<=")) {
            (Some((faction, at)), None) => (faction, at, true),
            (None, Some((faction, at))) => (faction, at, false),
            _ => return Err(wanted.to_owned()),
        };
        let at: f64 = at.trim().parse().map_err(|_| format!("`{}` is no number", at.trim()))?;
        if !(-100.0..=100.0).contains(&at) {
            return Err(format!("{at} is no standing: it must be from -100 to 100"));
        }
        let faction = name_of(faction).ok_or("it names no faction")?;
        let what = name_of(what).ok_or("it does not name what it opens")?;
        Ok(Gate { faction, at, is_open_above, what })
    }

    pub(crate) fn is_of(&self, faction: &str) -> bool {
        bare(&self.faction) == bare(faction)
    }

    pub(crate) fn is_open_at(&self, standing: f64) -> bool {
        if self.is_open_above { standing >= self.at } else { standing <= self.at }
    }

    /// The fact that it opens or closes between two standings, if it does.
    pub(crate) fn passed(&self, faction: &str, before: f64, after: f64) -> Option<Fact> {
        let (was, is) = (self.is_open_at(before), self.is_open_at(after));
        let what = capitalised(&self.what);
        let be = be(&self.what);
        let (text, detail) = match (was, is) {
            (false, true) => (format!("{what} {be} open to you now."), "open"),
            (true, false) => (format!("{what} {be} closed to you now."), "closed"),
            _ => return None,
        };
        let mut fact = Fact::new("gate", &self.what, text).detail(detail);
        fact.other = Some(faction.to_owned());
        Some(fact)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gate_is_read_or_its_fault_named() {
        let gate = Gate::parse("the Harbour Watch >= 40: the customs house").unwrap();
        assert!(gate.is_of("Harbour watch") && gate.is_open_at(40.0) && !gate.is_open_at(39.0));
        let back = Gate::parse("Watch <= -20 : the smugglers").unwrap();
        assert!(back.is_open_at(-20.0) && !back.is_open_at(0.0));
        for (text, why) in [
            ("the Watch", "write it as `the Harbour Watch >= 40: the customs house`"),
            ("the Watch > 4: x", "write it as `the Harbour Watch >= 40: the customs house`"),
            ("the Watch >= many: x", "`many` is no number"),
            ("the Watch >= 400: x", "400 is no standing: it must be from -100 to 100"),
            ("the Watch >= NaN: x", "NaN is no standing: it must be from -100 to 100"),
            (">= 4: x", "it names no faction"),
            ("the Watch >= 4:", "it does not name what it opens"),
        ] {
            assert_eq!(Gate::parse(text).unwrap_err(), why, "{text}");
        }
    }

    #[test]
    fn a_gate_tells_when_it_opens_and_when_it_closes() {
        let gate = Gate::parse("the Watch >= 10: the archives").unwrap();
        let text = |before, after| gate.passed("the Watch", before, after).map(|fact| fact.text);
        assert_eq!(text(0.0, 10.0).as_deref(), Some("The archives are open to you now."));
        assert_eq!(text(10.0, 9.0).as_deref(), Some("The archives are closed to you now."));
        assert_eq!(text(10.0, 90.0), None);
    }
}
