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

/// The times of the page of times, in its order.
const ERAS: [&str; 5] = ["ancient", "medieval", "early", "modern", "future"];

/// The kind that stands for all others, which is the first of the page.
const ANY: &str = "any place";

fn main() -> ExitCode {
    narratoria_text_tables::run(|| {
        write("places.rs", &layouts(&read("text/places.md")?)?)?;
        write("plots.rs", &plots(&read("text/plots.md")?)?)?;
        write("prizes.rs", &prizes(&read("text/prizes.md")?)?)?;
        write("eras.rs", &eras(&read("text/eras.md")?)?)?;
        write("premise_words.rs", &vocabulary(&read("text/premise-words.md")?)?)?;
        write("word_classes.rs", &classes(&read("text/word-classes.md")?)?)?;
        write("sights.rs", &sights(&read("text/sights.md")?)?)?;
        let talk = read("text/talk.md")?;
        write("talk.rs", &(talk.places_definition() + &pools(&talk, &talk.sections)?))?;
        write("speech.rs", &speech(&read("text/speech.md")?)?)?;
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
    let kind = &section.heading.text;
    let signs = slice(&page.words_of(&fields.optional("signs")?)?);
    let era = &fields.several("era", 1)?[0];
    let era = one_of(page, era, &ERAS)?;
    let known: Vec<&str> = page.sections.iter().map(|kind| kind.heading.text.as_str()).collect();
    let mut others = String::new();
    for era in ERAS {
        for other in fields.optional(era)? {
            others += &format!("({era:?}, {:?}),", one_of(page, &other, &known)?);
        }
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
        "PremiseLayout {{ kind: {kind:?}, words: {words}, beings: {beings}, signs: {signs}, era: {era:?}, others: &[{others}], shape: {shape}, has_rooms: {has_rooms}, whole: {whole:?},\n\
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

/// What the reader of wants finds, as the page of plots calls it.
const WANTS: [&str; 9] =
    ["find", "reach", "refuse", "theft", "death", "riddle", "task", "trouble", "collect"];

/// The shapes of plots, each with its two threads.
fn plots(page: &Page) -> Result<String, TextFault> {
    let mut code = "pub(super) static PLOTS: &[PremisePlot] = &[\n".to_owned();
    for section in &page.sections {
        let [first, other] = page.parts(section, ["first", "other"])?;
        let mut fields = Fields::of(page, section)?;
        let words = slice(&page.words_of(&fields.list("words")?)?);
        let wants = page.words_of(&fields.optional("wants")?)?;
        wants.iter().try_for_each(|want| one_of(page, want, &WANTS).map(|_| ()))?;
        fields.finish()?;
        code += &format!(
            "PremisePlot {{ name: {:?}, words: {words}, wants: {}, threads: [{}, {}] }},\n",
            section.heading.text,
            slice(&wants),
            plot_thread(page, first)?,
            plot_thread(page, other)?
        );
    }
    Ok(code + "];\n")
}

fn plot_thread(page: &Page, section: &Section) -> Result<String, TextFault> {
    let mut fields = Fields::of(page, section)?;
    let (name, opening, ending) =
        (fields.one("name")?, fields.one("opening")?, fields.one("ending")?);
    let goal = &fields.several("goal", 1)?[0];
    let (kind, target) = goal.text.split_once(' ').unwrap_or_default();
    let word = |text: &str| TextLine { number: goal.number, text: text.to_owned() };
    let kinds = ["reached", "held", "opened", "given", "read", "learned"];
    one_of(page, &word(kind), &kinds)?;
    one_of(page, &word(target), &["room", "prize", "wanted", "record", "truth"])?;
    let to = fields.optional("to")?;
    let to = match to.first() {
        Some(to) => format!("Some({:?})", one_of(page, to, &["keeper", "witness", "friend"])?),
        None => "None".to_owned(),
    };
    fields.finish()?;
    Ok(format!(
        "PlotThread {{ name: {name}, opening: {opening}, kind: {kind:?}, target: {target:?}, to: {to}, ending: {ending} }}"
    ))
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

/// The times, each with its pools, in the order of the years.
fn eras(page: &Page) -> Result<String, TextFault> {
    let (mut code, mut words) = (String::new(), Vec::new());
    for section in &page.sections {
        let pools = [
            "lights",
            "food",
            "clothes",
            "keys",
            "chests",
            "records",
            "covers",
            "keepsakes",
            "weather",
            "tools",
            "she",
            "he",
            "players",
        ];
        let parts = page.parts(section, pools)?;
        let mut fields = Fields::of(page, section)?;
        let until = &fields.several("until", 1)?[0];
        let until: u32 = until
            .text
            .parse()
            .map_err(|_| page.fault(until, format!("`{}` is no year", until.text)))?;
        let own = page.words_of(&fields.list("words")?)?;
        let (machine, money) = (fields.one("machine")?, fields.one("money")?);
        fields.finish()?;
        let (name, said) = (&section.heading.text, slice(&own));
        code += &format!(
            "PremiseEra {{ name: {name:?}, until: {until}, words: {said}, machine: {machine}, money: {money},\n"
        );
        for (name, part) in pools.iter().zip(parts) {
            let value = match *name {
                "lights" => lights(page, part)?,
                _ => slice(page.pool(part)?),
            };
            code += &format!("{name}: {value},\n");
        }
        code += "},\n";
        words.extend(own);
    }
    page.check_different(&words)?;
    let count = page.sections.len();
    Ok(format!("pub(super) static ERAS: [PremiseEra; {count}] = [\n{code}];\n"))
}

/// Lights, of which some need another thing.
fn lights(page: &Page, section: &Section) -> Result<String, TextFault> {
    let light = |item: &TextLine| match item.text.split_once(": ") {
        Some((name, needed)) => format!("({name:?}, Some({needed:?})),\n"),
        None => format!("({:?}, None),\n", item.text),
    };
    let pairs: String = page.pool(section)?.iter().map(light).collect();
    Ok(format!("&[\n{pairs}]"))
}

/// A constant for each section: its words with blanks between them, as they are only looked up.
fn vocabulary(page: &Page) -> Result<String, TextFault> {
    let constant = |section: &Section| {
        let words: Vec<String> = page.words(section)?.into_iter().map(|word| word.text).collect();
        Ok(format!("pub(super) const {}: &str = {:?};\n", page.constant(section)?, words.join(" ")))
    };
    page.sections.iter().map(constant).collect()
}

/// The classes of words and the letter of each.
const CLASSES: [(&str, char); 12] = [
    ("people", 'p'),
    ("animals", 'a'),
    ("places", 'l'),
    ("towns", 'c'),
    ("vehicles", 'v'),
    ("things", 't'),
    ("fixtures", 'f'),
    ("events", 'e'),
    ("matters", 'm'),
    ("bodies", 'b'),
    ("measures", 'n'),
    ("verbs", 'w'),
];

/// One text with a line for each word, in order: a word, a blank, and the letter of its class.
fn classes(page: &Page) -> Result<String, TextFault> {
    let (mut lines, mut all) = (Vec::new(), Vec::new());
    for section in &page.sections {
        let class = CLASSES.iter().find(|(name, _)| *name == section.heading.text);
        let Some((_, letter)) = class else {
            let what = format!("`{}` is no class of words", section.heading.text);
            return Err(page.fault(&section.heading, what));
        };
        let words = page.words(section)?;
        lines.extend(words.iter().map(|word| format!("{} {letter}", word.text)));
        all.extend(words);
    }
    page.check_different(&all)?;
    lines.sort_by(|one, other| one.split(' ').next().cmp(&other.split(' ').next()));
    Ok(format!("static CLASSES: &str = {:?};\n", lines.join("\n")))
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

/// The sections of the page of speech that are no kinds of speech.
const PEOPLE: &str = "kinds of people";
const CHAT: &str = "words of chat";

/// The parts of a kind of speech: by feeling, then by the kind of person.
const SPEECH_PARTS: [&str; 6] = ["warm", "even", "cold", "animal", "child", "official"];

/// The kinds of speech, and the last words of names by which kinds of people are known.
fn speech(page: &Page) -> Result<String, TextFault> {
    let (people, others) = apart(page, PEOPLE)?;
    let (chat, _) = apart(page, CHAT)?;
    let mut code = page.places_definition() + "pub(super) static SPEECH: &[SpeechEntry] = &[\n";
    for section in others.into_iter().filter(|section| section.heading.text != CHAT) {
        code += &speech_entry(page, section)?;
    }
    page.parts(people, [])?;
    let mut fields = Fields::of(page, people)?;
    let child = slice(&page.words_of(&fields.list("child")?)?);
    let official = slice(&page.words_of(&fields.list("official")?)?);
    fields.finish()?;
    let mut gestures = String::new();
    for (name, words) in keyed(page, chat)? {
        gestures += &format!("({:?}, {}),\n", name.text, slice(&page.words_of(&[words])?));
    }
    Ok(code
        + &format!(
            "];\nconst CHAT: &[(&str, &[&str])] = &[\n{gestures}];\npub(super) const CHILD: &[&str] = {child};\npub(super) const OFFICIAL: &[&str] = {official};\n"
        ))
}

fn speech_entry(page: &Page, section: &Section) -> Result<String, TextFault> {
    let heading = &section.heading;
    if let Some(part) =
        section.parts.iter().find(|part| !SPEECH_PARTS.contains(&part.heading.text.as_str()))
    {
        let what = format!("`{}` is none of {}", part.heading.text, SPEECH_PARTS.join(", "));
        return Err(page.fault(&part.heading, what));
    }
    let mut fields = Fields::of(page, section)?;
    let mut code = format!("SpeechEntry {{ name: {:?},\n", heading.text);
    for (key, name) in [
        ("begins", "begins"),
        ("said", "said"),
        ("whole", "whole"),
        ("of you", "of_you"),
        ("done", "done"),
    ] {
        let words = page.words_of(&fields.optional(key)?)?;
        code += &format!("{name}: {},\n", slice(&words));
    }
    let is_aloud = match fields.optional("aloud")?.first() {
        Some(value) => one_of(page, value, &["yes"])? == "yes",
        None => false,
    };
    let feeling = match fields.optional("feeling")?.first() {
        Some(value) => points(page, value)?,
        None => [0; 3],
    };
    let remember = fields.optional("remember")?;
    let remember = remember.first().map_or("", |value| value.text.as_str());
    if feeling != [0; 3] && remember.is_empty() {
        return Err(page.fault(heading, "a feeling that moves has no `remember: …`"));
    }
    fields.finish()?;
    code += &format!("is_aloud: {is_aloud}, feeling: {feeling:?}, remember: {remember:?},\n");
    for name in SPEECH_PARTS {
        let part = section.parts.iter().find(|part| part.heading.text == name);
        let lines = part.map_or(Ok("&[]".to_owned()), |part| Ok(slice(page.pool(part)?)))?;
        if name == "even" && part.is_none() {
            return Err(page.fault(heading, format!("`{}` has no `### even`", heading.text)));
        }
        code += &format!("{name}: {lines},\n");
    }
    Ok(code + "},\n")
}

/// Three numbers: of somebody who likes the player, of anybody, and of somebody who dislikes them.
fn points(page: &Page, value: &TextLine) -> Result<[i64; 3], TextFault> {
    let numbers = value.text.split(", ").map(str::parse);
    let numbers: Option<Vec<i64>> = numbers.map(Result::ok).collect();
    let numbers = numbers.and_then(|numbers| <[i64; 3]>::try_from(numbers).ok());
    numbers.ok_or_else(|| page.fault(value, format!("`{}` is not three numbers", value.text)))
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
