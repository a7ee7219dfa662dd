//! Makes tables of the texts and words in `text`. A guest starts for every turn, so it finds them ready and parses nothing.

use std::{collections::BTreeMap, process::ExitCode};

use narratoria_text_tables::{Fields, Page, Section, TextFault, TextLine, read, slice, write};

/// The directions that the page of places may name: those with a way back, which a test compares with the world's.
const WAYS: [&str; 14] = [
    "north",
    "northeast",
    "east",
    "southeast",
    "south",
    "southwest",
    "west",
    "northwest",
    "up",
    "down",
    "in",
    "out",
    "forward",
    "back",
];

/// Fewest places of a kind beside the dark and the locked one: a world has as many places in all.
const PLACES_MIN: usize = 6;

/// The kind that stands for all others, which is the first of the page.
const ANY: &str = "any place";

fn main() -> ExitCode {
    narratoria_text_tables::run(|| {
        write("places.rs", &layouts(&read("text/places.md")?)?)?;
        write("prizes.rs", &prizes(&read("text/prizes.md")?)?)?;
        write("names.rs", &names(&read("text/names.md")?)?)?;
        write("sights.rs", &sights(&read("text/sights.md")?)?)?;
        let talk = read("text/talk.md")?;
        write("talk.rs", &(talk.places_definition() + &pools(&talk, &talk.sections)?))?;
        write("ordinary_words.rs", &ordinary(&read("text/ordinary-words.md")?)?)
    })
}

/// A constant for each pool.
fn pools<'p>(
    page: &Page,
    sections: impl IntoIterator<Item = &'p Section>,
) -> Result<String, TextFault> {
    let pool = |section| page.definition(section, "&[&str]", &slice(page.pool(section)?));
    sections.into_iter().map(pool).collect()
}

/// The section of this heading, and the other ones.
fn apart<'p>(page: &'p Page, name: &str) -> Result<(&'p Section, Vec<&'p Section>), TextFault> {
    let (found, others): (Vec<&Section>, Vec<&Section>) =
        page.sections.iter().partition(|section| section.heading.text == name);
    match found.first() {
        Some(section) => Ok((section, others)),
        None => Err(TextFault::of_file(&page.path, format!("it has no section `{name}`"))),
    }
}

/// Texts with something before a colon, as pairs.
fn keyed(page: &Page, section: &Section) -> Result<Vec<(TextLine, TextLine)>, TextFault> {
    page.parts(section, [])?;
    let items = page.pool(section)?.iter().map(|item| match item.text.split_once(": ") {
        Some((key, text)) => {
            let line = |text: &str| TextLine { number: item.number, text: text.to_owned() };
            Ok((line(key), line(text)))
        }
        None => Err(page.fault(item, "no colon stands behind its name")),
    });
    items.collect()
}

fn one_of<'v>(page: &Page, value: &'v TextLine, known: &[&str]) -> Result<&'v str, TextFault> {
    match known.contains(&value.text.as_str()) {
        true => Ok(&value.text),
        false => {
            Err(page.fault(value, format!("`{}` is none of {}", value.text, known.join(", "))))
        }
    }
}

/// Reads the kinds of places, and refuses a word or a being that stands for two of them.
fn layouts(page: &Page) -> Result<String, TextFault> {
    let (mut words, mut beings) = (Vec::new(), Vec::new());
    let mut kinds = String::new();
    let (any, others) = apart(page, ANY)?;
    let any = layout(page, any, &[], &[])?;
    for section in &others {
        let mut fields = Fields::of(page, section)?;
        let own =
            [vec![section.heading.clone()], page.words_of(&fields.optional("also")?)?].concat();
        let found_there = page.words_of(&fields.optional("beings")?)?;
        kinds += &format!("{},\n", layout(page, section, &own, &found_there)?);
        words.extend(own);
        beings.extend(found_there);
    }
    page.check_different(&words)?;
    page.check_different(&beings)?;
    let count = others.len();
    Ok(format!(
        "#[cfg(test)]\npub(crate) const PAGE_WAYS: &[&str] = &{WAYS:?};\n\
         /// What surrounds a place of an unknown kind.\n\
         pub(super) static ANY_PLACE: PremiseLayout = {any};\n\
         /// All kinds of places that have words.\n\
         pub(super) static LAYOUTS: [PremiseLayout; {count}] = [\n{kinds}];\n"
    ))
}

fn layout(
    page: &Page,
    section: &Section,
    words: &[TextLine],
    beings: &[TextLine],
) -> Result<String, TextFault> {
    let [places, dark, locked] = page.parts(section, ["places", "dark", "locked"])?;
    let mut fields = Fields::of(page, section)?;
    if !words.is_empty() {
        fields.optional("also")?;
        fields.optional("beings")?;
    }
    let shape = shape(page, &fields.several("lie", 1)?[0])?;
    let has_rooms = one_of(page, &fields.several("rooms", 1)?[0], &["yes", "no"])? == "yes";
    let whole = fields.optional("whole")?;
    if let Some(second) = whole.get(1) {
        return Err(page.fault(second, "a kind has one `whole: …`"));
    }
    let whole = whole.first().map_or("", |whole| whole.text.as_str());
    let table = fields.one("table")?;
    let trades = slice(&page.words_of(&fields.list("trades")?)?);
    fields.finish()?;
    let parts = keyed(page, places)?;
    page.check_different(parts.iter().map(|(name, _)| name))?;
    if parts.len() < PLACES_MIN {
        let what = format!("there are {} places, {PLACES_MIN} or more are wanted", parts.len());
        return Err(page.fault(&places.heading, what));
    }
    let places: String =
        parts.iter().map(|(name, text)| format!("({:?}, {:?}),\n", name.text, text.text)).collect();
    let (dark, _) = end(page, dark, false)?;
    let (locked, door) = end(page, locked, true)?;
    let (words, beings) = (slice(words), slice(beings));
    Ok(format!(
        "PremiseLayout {{ words: {words}, beings: {beings}, shape: {shape}, has_rooms: {has_rooms}, whole: {whole:?},\n\
         places: &[\n{places}],\ndark: {dark}, locked: {locked}, door: {door}, table: {table}, trades: {trades} }}"
    ))
}

fn shape(page: &Page, value: &TextLine) -> Result<String, TextFault> {
    if value.text == "around" {
        return Ok("LayoutShape::Around".to_owned());
    }
    let ends = value.text.split_once(" to ");
    match ends.filter(|(back, ahead)| WAYS.contains(back) && WAYS.contains(ahead)) {
        Some((back, ahead)) => Ok(format!("LayoutShape::Row({back:?}, {ahead:?})")),
        None => {
            let what = format!("`{}` is neither `around` nor, say, `west to east`", value.text);
            Err(page.fault(value, what))
        }
    }
}

/// The dark place or the locked one with its door.
fn end(page: &Page, section: &Section, has_door: bool) -> Result<(String, String), TextFault> {
    page.parts(section, [])?;
    let mut fields = Fields::of(page, section)?;
    let (name, sight) = (fields.one("name")?, fields.one("sight")?);
    let way = &fields.several("way", 1)?[0];
    let way = one_of(page, way, &WAYS)?;
    let door = if has_door { fields.one("door")? } else { String::new() };
    fields.finish()?;
    Ok((format!("({name}, {sight}, {way:?})"), door))
}

fn prizes(page: &Page) -> Result<String, TextFault> {
    let mut code = "pub(super) static PRIZES: &[PremisePrize] = &[\n".to_owned();
    for section in &page.sections {
        page.parts(section, [])?;
        let mut fields = Fields::of(page, section)?;
        let (name, sight) = (&section.heading.text, fields.one("sight")?);
        let end = &fields.several("end", 1)?[0];
        let end = match one_of(page, end, &["opened", "read", "held"])? {
            "opened" => format!("PrizeEnd::Opened({})", fields.one("inside")?),
            "read" => "PrizeEnd::Read".to_owned(),
            _ => "PrizeEnd::Held".to_owned(),
        };
        fields.finish()?;
        code += &format!("PremisePrize {{ name: {name:?}, sight: {sight}, end: {end} }},\n");
    }
    Ok(code + "];\n")
}

/// Names, of which some lights need another thing, and `she` names people.
fn names(page: &Page) -> Result<String, TextFault> {
    let (lights, others) = apart(page, "lights")?;
    page.parts(lights, [])?;
    let light = |item: &TextLine| match item.text.split_once(": ") {
        Some((name, needed)) => format!("({name:?}, Some({needed:?})),\n"),
        None => format!("({:?}, None),\n", item.text),
    };
    let pairs: String = page.pool(lights)?.iter().map(light).collect();
    let (people, _) = apart(page, "people")?;
    let (she, _) = apart(page, "she")?;
    let first = |name: &TextLine| name.text.split(' ').next().map(str::to_owned);
    for item in &she.items {
        if !people.items.iter().any(|name| first(name).as_ref() == Some(&item.text)) {
            return Err(page.fault(item, format!("nobody of `people` is called `{}`", item.text)));
        }
    }
    let lights = page.definition(lights, "&[(&str, Option<&str>)]", &format!("&[\n{pairs}]"))?;
    Ok(pools(page, others)? + &lights)
}

fn sights(page: &Page) -> Result<String, TextFault> {
    let (kinds, others) = apart(page, "kinds")?;
    let (mut words, mut pairs) = (Vec::new(), String::new());
    for (heads, sight) in keyed(page, kinds)? {
        let heads = page.words_of(&[heads])?;
        pairs += &format!("({}, {:?}),\n", slice(&heads), sight.text);
        words.extend(heads);
    }
    page.check_different(&words)?;
    let kinds = page.definition(kinds, "&[(&[&str], &str)]", &format!("&[\n{pairs}]"))?;
    Ok(pools(page, others)? + &kinds)
}

/// The words by their first letter. Each letter is one text, as the words are looked up by their letters alone.
fn ordinary(page: &Page) -> Result<String, TextFault> {
    let mut by_letter = BTreeMap::new();
    for section in &page.sections {
        page.parts(section, [])?;
        let letter = &section.heading.text;
        if letter.len() != 1 || !letter.bytes().all(|byte| byte.is_ascii_lowercase()) {
            return Err(page.fault(&section.heading, format!("`{letter}` is no small letter")));
        }
        let words = page.words(section)?;
        let is_plain = |word: &&TextLine| {
            word.text.starts_with(letter) && word.text.bytes().all(|byte| byte.is_ascii_lowercase())
        };
        if let Some(word) = words.iter().find(|word| !is_plain(word)) {
            let what =
                format!("`{}` is no word of small letters that begins with `{letter}`", word.text);
            return Err(page.fault(word, what));
        }
        let words: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
        by_letter.insert(letter.clone(), words.join(" "));
    }
    let texts: Vec<String> = ('a'..='z')
        .map(|letter| by_letter.remove(&letter.to_string()).unwrap_or_default())
        .collect();
    Ok(format!("const ORDINARY: [&str; 26] = {texts:?};\n"))
}
