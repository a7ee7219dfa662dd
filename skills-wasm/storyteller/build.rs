//! Makes tables of the sentences and words in `text`. A guest starts for every turn, so it finds them ready and parses nothing.

use std::process::ExitCode;

use narratoria_text_tables::{Page, Section, TextFault, read, slice, write};

fn main() -> ExitCode {
    narratoria_text_tables::run(|| {
        let facts = read("text/facts.md")?;
        let pool =
            |section: &Section| facts.definition(section, "&[&str]", &slice(facts.pool(section)?));
        let pools: Result<String, TextFault> = facts.sections.iter().map(pool).collect();
        write("facts.rs", &(facts.places_definition() + &pools?))?;
        let truth = read("text/truth.md")?;
        let list = |section: &Section| {
            truth.definition(section, "&[&str]", &slice(&truth.words(section)?))
        };
        let lists: Result<String, TextFault> = truth.sections.iter().map(list).collect();
        write("truth.rs", &lists?)?;
        let deeds = read("text/deeds.md")?;
        let pools: Result<String, TextFault> =
            deeds.sections.iter().map(|section| sentence_pool(&deeds, section)).collect();
        write("deeds.rs", &(deeds.places_definition() + &pools?))
    })
}

/// A pool with its parts `short` and `full`. Its name is that of its heading, because stories remember it.
fn sentence_pool(page: &Page, section: &Section) -> Result<String, TextFault> {
    let [short, full] = page.pools(section, ["short", "full"])?;
    let value = format!(
        "SentencePool {{ name: {:?}, short: {}, full: {} }}",
        section.heading.text,
        slice(short),
        slice(full)
    );
    page.definition(section, "SentencePool", &value)
}
