//! What shape the trouble of a premise has, by its words. The shapes are sections of the page `plots` in `text`.

use super::{
    nouns::singular,
    tokens::{PremiseToken, is_form_of},
    wants::PremiseWant,
};

/// What several words together count that speak of a shape, and what one word or a want counts.
const PHRASE: usize = 3;
const WORD: usize = 2;

/// Most words between `before` and what is over then.
const TIME_WORDS_MAX: usize = 3;

/// A shape of plots.
#[derive(Debug)]
pub(super) struct PremisePlot {
    pub(super) name: &'static str,
    words: &'static [&'static str],
    wants: &'static [&'static str],
    pub(super) threads: [PlotThread; 2],
}

/// A thread of a shape, with places for names.
#[derive(Debug)]
pub(super) struct PlotThread {
    pub(super) name: &'static str,
    pub(super) opening: &'static str,
    pub(super) kind: &'static str,
    pub(super) target: &'static str,
    pub(super) to: Option<&'static str>,
    pub(super) ending: &'static str,
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

/// What the words that begin here count for these words.
fn count_at(tokens: &[PremiseToken<'_>], at: usize, known: &[&str]) -> usize {
    let is_said = |idx: usize, part: &str| {
        tokens.get(idx).is_some_and(|token| {
            token.word == part || singular(&token.word) == part || is_form_of(&token.word, part)
        })
    };
    let begins =
        |words: &&&str| words.split(' ').enumerate().all(|(n, part)| is_said(at + n, part));
    let found = known.iter().filter(begins).max_by_key(|words| words.len());
    found.map_or(0, |words| if words.contains(' ') { PHRASE } else { WORD })
}

/// The shape that most of a premise's words speak of, and what is counted for it.
pub(super) fn plot_of(
    tokens: &[PremiseToken<'_>],
    wants: &[PremiseWant],
) -> Option<(&'static PremisePlot, usize)> {
    let count = |plot: &PremisePlot| {
        let said = (0..tokens.len()).map(|at| count_at(tokens, at, plot.words));
        let wanted = wants.iter().filter(|want| plot.wants.contains(&name_of(want)));
        said.sum::<usize>() + wanted.count()
    };
    let counted = PLOTS.iter().map(|plot| (plot, count(plot)));
    let best = counted.rev().max_by_key(|(_, count)| *count)?;
    (best.1 > 0).then_some(best)
}

/// By when, such as ` before midnight`; empty where the premise does not say it.
pub(super) fn deadline_of(text: &str, tokens: &[PremiseToken<'_>]) -> String {
    const TIMES: &str = "midnight dawn dusk noon morning evening night sunrise sunset tomorrow monday tuesday wednesday thursday \
        friday saturday sunday winter summer spring autumn christmas o'clock nightfall";
    let is_time = |word: &str| TIMES.split(' ').any(|known| known == word);
    let said = (0..tokens.len()).find_map(|at| {
        ["before", "until", "by"].contains(&tokens[at].word.as_str()).then_some(())?;
        let reach = (at + 1..tokens.len()).take(TIME_WORDS_MAX);
        let last = reach
            .take_while(|idx| !tokens[*idx].is_first)
            .find(|idx| is_time(&tokens[*idx].word))?;
        text.get(tokens[at].span.0..tokens[last].span.1)
    });
    said.filter(|said| !said.contains(['{', '}']))
        .map(|said| format!(" {}", said.to_lowercase().replace("until", "before")))
        .unwrap_or_default()
}
