//! Makes tables of the arcs, sentences and names in `text`.

use std::process::ExitCode;

use narratoria_text_tables::{Fields, Page, Section, TextFault, array, read, slice, write};

/// The arcs, in the order in which stories tell them. The seed of a story picks its first one.
const ARCS: [&str; 4] = ["bell", "letters", "boundary", "lamp"];

/// The sections of an arc, in this order.
const SECTIONS: [&str; 6] =
    ["Question", "Thread 1: ", "Thread 2: ", "Thread 3: ", "Thread 4: ", "End"];

fn main() -> ExitCode {
    narratoria_text_tables::run(|| {
        for name in ["scenes", "names", "quiet", "answers", "chapters"] {
            let page = read(&format!("text/{name}.md"))?;
            let mut code = page.places_definition();
            for section in &page.sections {
                code += &page.definition(section, "&[&str]", &slice(page.pool(section)?))?;
            }
            write(&format!("{name}.rs"), &code)?;
        }
        let page = read("text/signs.md")?;
        let mut code = String::new();
        for section in &page.sections {
            code += &page.definition(section, "&[&str]", &slice(&page.words(section)?))?;
        }
        write("signs.rs", &code)?;
        let explained = read("text/arcs/README.md")?;
        let mut code = explained.places_definition();
        code += "/// All arcs. The seed of the story picks the first one.\n";
        code += &format!("pub(super) static ARCS: [&Arc; {}] = [\n", ARCS.len());
        for name in ARCS {
            let mut page = read(&format!("text/arcs/{name}.md"))?;
            page.places.clone_from(&explained.places);
            code += &format!("&{},\n", arc(&page)?);
        }
        write("arcs.rs", &(code + "];\n"))
    })
}

fn arc(page: &Page) -> Result<String, TextFault> {
    let [question, threads @ .., end] = page.sections_named(SECTIONS)?;
    let mut fields = Fields::of(page, question)?;
    let (asked, category) = (fields.one("question")?, fields.one("category")?);
    fields.finish()?;
    page.parts(question, [])?;
    page.parts(end, [])?;
    let threads: Result<String, TextFault> =
        threads.iter().map(|section| Ok(thread(page, section)? + ",\n")).collect();
    let (threads, end) = (threads?, beat(page, end)?);
    Ok(format!(
        "Arc {{ question: {asked}, category: {category}, threads: [\n{threads}], end: {end} }}"
    ))
}

fn thread(page: &Page, section: &Section) -> Result<String, TextFault> {
    let parts = ["Person", "Place", "Beat 1", "Beat 2", "Beat 3"];
    let [person_part, place_part, beats @ ..] = page.parts(section, parts)?;
    let mut fields = Fields::of(page, section)?;
    let mut code = String::from("Thread { ");
    for key in ["question", "category", "status", "event"] {
        code += &format!("{key}: {}, ", fields.one(key)?);
    }
    fields.finish()?;
    let beats: Result<String, TextFault> =
        beats.iter().map(|section| Ok(beat(page, section)? + ",\n")).collect();
    let (person, place) = (person(page, person_part)?, place(page, place_part)?);
    Ok(code + &format!("person: {person}, place: {place}, beats: [\n{}] }}", beats?))
}

fn person(page: &Page, section: &Section) -> Result<String, TextFault> {
    let mut fields = Fields::of(page, section)?;
    let who = &fields.several("who", 1)?[0];
    let kind = match who.text.as_str() {
        "new" => "New",
        "a friend, or new" => "Friend",
        "the one of thread 1" => {
            fields.finish()?;
            return Ok("PersonSpec::Same(0)".to_owned());
        }
        other => {
            let what = format!("`{other}` is none of new; a friend, or new; the one of thread 1");
            return Err(page.fault(who, what));
        }
    };
    let mut code = format!("PersonSpec::{kind}(NewPerson {{ ");
    for key in ["role", "description", "goal", "seen", "sees"] {
        code += &format!("{key}: {}, ", fields.one(key)?);
    }
    code += &format!("relationship_type: {}, ", fields.one("relationship")?);
    code += &format!("traits: {} }})", array(&fields.several("trait", 2)?));
    fields.finish()?;
    Ok(code)
}

fn place(page: &Page, section: &Section) -> Result<String, TextFault> {
    let mut fields = Fields::of(page, section)?;
    let mut code = String::from("NewPlace { ");
    for key in ["name", "description", "atmosphere"] {
        code += &format!("{key}: {}, ", fields.one(key)?);
    }
    code += &format!("features: {} }}", array(&fields.several("feature", 4)?));
    fields.finish()?;
    Ok(code)
}

fn beat(page: &Page, section: &Section) -> Result<String, TextFault> {
    let mut fields = Fields::of(page, section)?;
    let mut code = String::from("Beat { ");
    for key in ["title", "intention", "hook"] {
        code += &format!("{key}: {}, ", fields.one(key)?);
    }
    code += &format!("bullets: {}, ", array(&fields.several("bullet", 2)?));
    code += &format!("body: {}, ", slice(&fields.list("body")?));
    code += &format!("talk: {} }}", slice(&fields.list("talk")?));
    fields.finish()?;
    Ok(code)
}
