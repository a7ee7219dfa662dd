//! What shape the trouble of a premise has, by its words. The shapes are sections of the page `plots` in `text`.

use english::WordClass;

use super::{
    said_words::{PageForms, SaidWords},
    tokens::PremiseToken,
    wants::PremiseWant,
    way_texts::PremiseWay,
};

/// What several words together count that speak of a shape, what one word counts, and what a want counts.
const PHRASE: usize = 3;
const WORD: usize = 2;
const WANT: usize = 1;

/// Most words between `before` and what is over then.
const TIME_WORDS_MAX: usize = 3;

/// A shape of plots.
#[derive(Debug)]
pub(super) struct PremisePlot {
    pub(super) name: &'static str,
    words: &'static [&'static str],
    wants: &'static [&'static str],
    /// Wants with which its words mean something else.
    not: &'static [&'static str],
    /// What can be in the way.
    pub(super) ways: &'static [PremiseWay],
    /// What the player wants, where the premise names no task.
    pub(super) hero: &'static str,
    /// What the keeper, the witness and the friend say that they want.
    pub(super) wishes: [&'static str; 3],
    pub(super) truth: &'static str,
    pub(super) written: &'static str,
    /// The trouble first.
    threads: &'static [PlotThread],
}

impl PremisePlot {
    /// Returns true if this want speaks of the shape.
    pub(super) fn is_about(&self, want: &PremiseWant) -> bool {
        self.wants.contains(&name_of(want))
    }

    /// The names of its variants, in order.
    pub(super) fn variants(&self) -> Vec<&'static str> {
        let mut found: Vec<&str> =
            self.threads.iter().flat_map(|it| it.variants).copied().collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The threads of a variant.
    pub(super) fn threads_of(&self, variant: &str) -> Vec<&'static PlotThread> {
        let is_in = |it: &&PlotThread| it.variants.is_empty() || it.variants.contains(&variant);
        self.threads.iter().filter(is_in).collect()
    }
}

/// A thread of a shape, with places for names.
#[derive(Debug)]
pub(super) struct PlotThread {
    pub(super) id: &'static str,
    pub(super) name: &'static str,
    pub(super) opening: &'static str,
    pub(super) kind: &'static str,
    pub(super) target: &'static str,
    /// `keeper`, `witness`, `friend`, or empty.
    pub(super) to: &'static str,
    pub(super) ending: &'static str,
    /// The story ends with it.
    pub(super) is_end: bool,
    pub(super) after: &'static [&'static str],
    pub(super) closes: &'static [&'static str],
    /// What is told when another one closes it.
    pub(super) left: &'static str,
    /// Empty for all.
    variants: &'static [&'static str],
    /// How it stands once the player has what is to be given.
    pub(super) held: &'static str,
    /// The words of who gets it.
    pub(super) says: &'static str,
}

include!(concat!(env!("OUT_DIR"), "/plots.rs"));

/// The page's word for a want.
fn name_of(want: &PremiseWant) -> &'static str {
    match want {
        PremiseWant::Refuses { .. } => "refuse",
        PremiseWant::Find(_) => "find",
        PremiseWant::Reach(_) => "reach",
        PremiseWant::Theft(_) => "theft",
        PremiseWant::Death(_) => "death",
        PremiseWant::Riddle(_) => "riddle",
        PremiseWant::Task(_) => "task",
        PremiseWant::Trouble(_) => "trouble",
        PremiseWant::Collects { .. } => "collect",
    }
}

/// The shape that most of a premise's words speak of, and what is counted for it.
pub(super) fn plot_of(
    tokens: &[PremiseToken<'_>],
    wants: &[PremiseWant],
) -> Option<(&'static PremisePlot, usize)> {
    let words = SaidWords::of(tokens);
    let count_at = |at: usize, plot: &PremisePlot| {
        let found = words.longest_at(at, plot.words, PageForms::NounsAndVerbs);
        found.map_or(0, |found| if found.contains(' ') { PHRASE } else { WORD })
    };
    let count = |plot: &PremisePlot| {
        if wants.iter().any(|want| plot.not.contains(&name_of(want))) {
            return 0;
        }
        let said = (0..tokens.len()).map(|at| count_at(at, plot));
        let wanted = wants.iter().filter(|want| plot.is_about(want));
        said.sum::<usize>() + wanted.count() * WANT
    };
    let counted = PLOTS.iter().map(|plot| (plot, count(plot)));
    let best = counted.rev().max_by_key(|(_, count)| *count)?;
    (best.1 > 0).then_some(best)
}

/// By when, such as ` before midnight`; empty where the premise does not say it.
pub(super) fn deadline_of(text: &str, tokens: &[PremiseToken<'_>]) -> String {
    let said = (0..tokens.len()).find_map(|at| {
        ["before", "until", "by"].contains(&tokens[at].word.as_str()).then_some(())?;
        let reach = (at + 1..tokens.len()).take(TIME_WORDS_MAX);
        let last = reach
            .take_while(|idx| !tokens[*idx].is_first)
            .find(|idx| WordClass::Deadline.has(&tokens[*idx].word))?;
        text.get(tokens[at].span.0..tokens[last].span.1)
    });
    said.filter(|said| !said.contains(['{', '}']))
        .map(|said| format!(" {}", said.to_lowercase().replace("until", "before")))
        .unwrap_or_default()
}
