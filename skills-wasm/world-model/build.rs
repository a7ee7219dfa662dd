//! Makes tables of the texts and words in `text`. A guest starts for every turn, so it finds them ready and parses nothing.

use std::process::ExitCode;

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
        write("ways.rs", &ways(&read("text/ways.md")?)?)?;
        write("prizes.rs", &prizes(&read("text/prizes.md")?)?)?;
        write("eras.rs", &eras(&read("text/eras.md")?)?)?;
        write("premise_words.rs", &vocabulary(&read("text/premise-words.md")?)?)?;
        write("word_classes.rs", &classes(&read("text/word-classes.md")?)?)?;
        write("sights.rs", &sights(&read("text/sights.md")?)?)?;
        let talk = read("text/talk.md")?;
        write("talk.rs", &(talk.places_definition() + &pools(&talk, &talk.sections)?))?;
        write("speech.rs", &speech(&read("text/speech.md")?)?)
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
    let whole = at_most_one(page, &mut fields, "whole")?;
    let whole = whole.as_ref().map_or("", |whole| whole.text.as_str());
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

/// What can be in the way, as the pages of plots and of ways call it, with the names that Rust has for it.
const PAGE_PATHS: [(&str, &str); 7] = [
    ("key", "Key"),
    ("guard", "Guard"),
    ("watch", "Watch"),
    ("machine", "Machine"),
    ("search", "Search"),
    ("jam", "Jam"),
    ("open", "Open"),
];

/// What an end of a story says.
const ANNOUNCED: &str = "So it ends: ";

/// The one value of a key, or nothing.
fn at_most_one(
    page: &Page,
    fields: &mut Fields<'_>,
    key: &str,
) -> Result<Option<TextLine>, TextFault> {
    let found = fields.optional(key)?;
    match found.as_slice() {
        [_, second, ..] => Err(page.fault(second, format!("there is one `{key}: …`"))),
        found => Ok(found.first().cloned()),
    }
}

/// The words of a value, with commas between them.
fn listed(page: &Page, fields: &mut Fields<'_>, key: &str) -> Result<Vec<TextLine>, TextFault> {
    page.words_of(&fields.optional(key)?)
}

/// The shapes of plots, each with its threads.
fn plots(page: &Page) -> Result<String, TextFault> {
    let mut code = "pub(super) static PLOTS: &[PremisePlot] = &[\n".to_owned();
    for section in &page.sections {
        let mut fields = Fields::of(page, section)?;
        let words = slice(&page.words_of(&fields.list("words")?)?);
        let (wants, not) = (listed(page, &mut fields, "wants")?, listed(page, &mut fields, "not")?);
        wants.iter().chain(&not).try_for_each(|want| one_of(page, want, &WANTS).map(|_| ()))?;
        let ways = page.words_of(&fields.list("ways")?)?;
        let names: Vec<&str> = PAGE_PATHS.iter().map(|(name, _)| *name).collect();
        ways.iter().try_for_each(|way| one_of(page, way, &names).map(|_| ()))?;
        let [hero, keeper, witness, friend, truth, written] =
            ["hero", "keeper", "witness", "friend", "truth", "written"].map(|key| fields.one(key));
        fields.finish()?;
        let threads: Vec<PlotPart> =
            section.parts.iter().map(|part| plot_part(page, part)).collect::<Result<_, _>>()?;
        check_threads(page, section, &threads, &ways)?;
        let ways: String = ways
            .iter()
            .filter_map(|way| PAGE_PATHS.iter().find(|(name, _)| *name == way.text))
            .map(|(_, rust)| format!("PremiseWay::{rust}, "))
            .collect();
        let code_of: String = threads.iter().map(|thread| format!("{},\n", thread.code)).collect();
        code += &format!(
            "PremisePlot {{ name: {:?}, words: {words}, wants: {}, not: {}, ways: &[{ways}], hero: {}, wishes: [{}, {}, {}], truth: {}, written: {}, threads: &[\n{code_of}] }},\n",
            section.heading.text,
            slice(&wants),
            slice(&not),
            hero?,
            keeper?,
            witness?,
            friend?,
            truth?,
            written?,
        );
    }
    Ok(code + "];\n")
}

/// A thread of a shape, as far as the checks read it.
struct PlotPart {
    id: TextLine,
    kind: String,
    target: String,
    to: String,
    is_end: bool,
    after: Vec<TextLine>,
    closes: Vec<TextLine>,
    /// The variants that it is in; empty for all.
    variants: Vec<TextLine>,
    code: String,
}

/// The goal of a thread, and who has to do with it, or nothing.
fn plot_goal(page: &Page, fields: &mut Fields<'_>) -> Result<(TextLine, String), TextFault> {
    let goal = fields.several("goal", 1)?.remove(0);
    let (kind, target) = goal.text.split_once(' ').unwrap_or_default();
    let word = |text: &str| TextLine { number: goal.number, text: text.to_owned() };
    one_of(page, &word(kind), &["reached", "held", "given", "read", "learned"])?;
    let targets: &[&str] = match kind {
        "reached" => &["room"],
        "held" => &["prize"],
        "read" => &["record"],
        "given" => &["prize", "wanted", "record"],
        _ => &["truth", "wish"],
    };
    one_of(page, &word(target), targets)?;
    let to = at_most_one(page, fields, "to")?;
    if let Some(to) = &to {
        one_of(page, to, &["keeper", "witness", "friend"])?;
    }
    let to = to.map(|to| to.text).unwrap_or_default();
    if ["given", "learned"].contains(&kind) == to.is_empty() {
        return Err(
            page.fault(&goal, "`to: …` belongs to `given` and `learned`, and to nothing else")
        );
    }
    Ok((goal, to))
}

fn plot_part(page: &Page, section: &Section) -> Result<PlotPart, TextFault> {
    page.parts(section, [])?;
    let mut fields = Fields::of(page, section)?;
    let (name, opening, left) = (fields.one("name")?, fields.one("opening")?, fields.one("left")?);
    let (goal, to) = plot_goal(page, &mut fields)?;
    let (kind, target) = goal.text.split_once(' ').unwrap_or_default();
    let (after, closes) =
        (listed(page, &mut fields, "after")?, listed(page, &mut fields, "closes")?);
    let variants = listed(page, &mut fields, "in")?;
    let (held, says) =
        (at_most_one(page, &mut fields, "held")?, at_most_one(page, &mut fields, "says")?);
    if (kind == "given") != held.is_some() {
        return Err(page.fault(&goal, "`held: …` belongs to `given`, and to nothing else"));
    }
    if (kind == "given" && to != "keeper") != says.is_some() {
        return Err(
            page.fault(&goal, "`says: …` belongs to what somebody else than the keeper gets")
        );
    }
    let (turn, end) =
        (at_most_one(page, &mut fields, "turn")?, at_most_one(page, &mut fields, "end")?);
    let (is_end, ending) = match (turn, end) {
        (Some(turn), None) => (false, turn),
        (None, Some(end)) => (true, end),
        _ => return Err(page.fault(&section.heading, "it has either `turn: …` or `end: …`")),
    };
    if is_end != ending.text.contains(ANNOUNCED) {
        return Err(page.fault(&ending, format!("an end says `{ANNOUNCED}`, and a turn does not")));
    }
    fields.finish()?;
    let text = |line: Option<TextLine>| line.map(|line| line.text).unwrap_or_default();
    let code = format!(
        "PlotThread {{ id: {:?}, name: {name}, opening: {opening}, kind: {kind:?}, target: {target:?}, to: {to:?}, ending: {:?}, is_end: {is_end}, after: {}, closes: {}, left: {left}, variants: {}, held: {:?}, says: {:?} }}",
        section.heading.text,
        ending.text,
        slice(&after),
        slice(&closes),
        slice(&variants),
        text(held),
        text(says),
    );
    Ok(PlotPart {
        id: section.heading.clone(),
        kind: kind.to_owned(),
        target: target.to_owned(),
        to,
        is_end,
        after,
        closes,
        variants,
        code,
    })
}

/// Refuses a shape that cannot be played to its end in each of its variants.
fn check_threads(
    page: &Page,
    section: &Section,
    threads: &[PlotPart],
    ways: &[TextLine],
) -> Result<(), TextFault> {
    let find = |name: &TextLine| threads.iter().find(|thread| thread.id.text == name.text);
    for thread in threads {
        for name in &thread.after {
            if find(name).is_none_or(|other| other.is_end) {
                return Err(page.fault(name, format!("`{}` is no turn of this shape", name.text)));
            }
        }
        for name in &thread.closes {
            if find(name).is_none() || thread.is_end {
                return Err(
                    page.fault(name, "a turn closes threads of its shape; an end closes all")
                );
            }
        }
        let gives_away =
            thread.is_end && (thread.kind.as_str(), thread.target.as_str()) == ("given", "wanted");
        let price = ways.iter().find(|way| ["key", "guard"].contains(&way.text.as_str()));
        if let Some(price) = price.filter(|_| gives_away) {
            let what =
                "who gets what they have lost ends this story, so that it cannot open the way";
            return Err(page.fault(price, what));
        }
        check_gift(page, thread, &find)?;
    }
    let is_open_first = |thread: &PlotPart| thread.after.is_empty() && thread.variants.is_empty();
    if !threads.first().is_some_and(is_open_first) {
        return Err(page.fault(&section.heading, "the first thread is open from the beginning"));
    }
    if ways.iter().all(|way| ["key", "search"].contains(&way.text.as_str())) {
        return Err(page.fault(&section.heading, "something else than a lock can be in the way"));
    }
    let mut variants: Vec<&str> =
        threads.iter().flat_map(|thread| &thread.variants).map(|name| name.text.as_str()).collect();
    variants.sort_unstable();
    variants.dedup();
    if variants.len() < 2 {
        return Err(page.fault(&section.heading, "a shape has two variants or more, by `in: …`"));
    }
    variants.iter().try_for_each(|variant| check_variant(page, section, threads, variant))
}

/// Refuses a gift that the keeper does not want, and one that could be given away before it is read.
fn check_gift<'t>(
    page: &Page,
    thread: &'t PlotPart,
    find: &impl Fn(&TextLine) -> Option<&'t PlotPart>,
) -> Result<(), TextFault> {
    if thread.kind != "given" {
        return Ok(());
    }
    if (thread.to == "keeper") != (thread.target == "wanted") {
        return Err(page.fault(&thread.id, "the keeper gets what is wanted, and nobody else does"));
    }
    let mut before: Vec<&PlotPart> = thread.after.iter().filter_map(find).collect();
    while let Some(turn) = before.pop() {
        if turn.kind == "read" && turn.target == thread.target {
            let what = format!("it can be given away before `{}` has ended", turn.id.text);
            return Err(page.fault(&thread.id, what));
        }
        before.extend(turn.after.iter().filter_map(find));
    }
    Ok(())
}

/// Refuses a variant with fewer than two ends, without a turn, with two gifts for one person, or with a dead end.
fn check_variant(
    page: &Page,
    section: &Section,
    threads: &[PlotPart],
    variant: &str,
) -> Result<(), TextFault> {
    let is_in = |thread: &&PlotPart| {
        thread.variants.is_empty() || thread.variants.iter().any(|name| name.text == variant)
    };
    let all: Vec<&PlotPart> = threads.iter().filter(is_in).collect();
    let fault =
        |what: &str| Err(page.fault(&section.heading, format!("variant `{variant}`: {what}")));
    if all.iter().filter(|thread| thread.is_end).count() < 2
        || all.iter().all(|thread| thread.is_end)
    {
        return fault("there are two ends or more, and a turn");
    }
    let gifts: Vec<&&PlotPart> = all.iter().filter(|thread| thread.kind == "given").collect();
    for gift in &gifts {
        let differs = |other: &&&PlotPart| other.to == gift.to && other.target != gift.target;
        if gifts.iter().any(differs) {
            return fault("somebody wants two things");
        }
    }
    // Every set of turns that a player can have behind them, in any order.
    let (mut seen, mut left) = (Vec::new(), vec![0_u32]);
    while let Some(done) = left.pop() {
        if seen.contains(&done) {
            continue;
        }
        seen.push(done);
        let is_done = |n: usize| done & (1 << n) != 0;
        let ended =
            || all.iter().enumerate().filter(|(n, _)| is_done(*n)).map(|(_, thread)| *thread);
        let names = |list: &[TextLine], thread: &PlotPart| {
            list.iter().any(|name| name.text == thread.id.text)
        };
        let open: Vec<(usize, &PlotPart)> = all
            .iter()
            .enumerate()
            .filter(|(n, thread)| {
                !is_done(*n)
                    && !ended().any(|other| names(&other.closes, thread))
                    && (thread.after.is_empty() || ended().any(|other| names(&thread.after, other)))
            })
            .map(|(n, thread)| (n, *thread))
            .collect();
        if open.is_empty() {
            return fault("some way through the turns leads to no end");
        }
        left.extend(open.iter().filter(|(_, one)| !one.is_end).map(|(n, _)| done | 1 << n));
    }
    Ok(())
}

/// What can be in the way, with its sentences.
fn ways(page: &Page) -> Result<String, TextFault> {
    let mut code = "pub(super) static WAYS: &[WayTexts] = &[\n".to_owned();
    let known: Vec<&str> = PAGE_PATHS.iter().map(|(name, _)| *name).collect();
    for section in &page.sections {
        let name = one_of(page, &section.heading, &known)?;
        let rust = PAGE_PATHS.iter().find(|(known, _)| *known == name).map_or("", |(_, rust)| rust);
        page.parts(section, [])?;
        let mut fields = Fields::of(page, section)?;
        let door = &fields.several("door", 1)?[0];
        let is_locked = one_of(page, door, &["locked", "closed"])? == "locked";
        let [sight, told, asked, thanks] =
            ["sight", "told", "asked", "thanks"].map(|key| fields.one(key));
        let late = at_most_one(page, &mut fields, "late")?.map(|line| line.text);
        let had = at_most_one(page, &mut fields, "had")?.map(|line| line.text);
        let mut stages = String::new();
        for stage in fields.list("stage")? {
            let Some((goal, says)) = stage.text.split_once(": ") else {
                return Err(page.fault(&stage, "a stage is a goal, a colon and a sentence"));
            };
            let goals = ["held key", "held tool", "given wanted", "opened door"];
            let line = TextLine { number: stage.number, text: goal.to_owned() };
            stages += &format!("({:?}, {says:?}), ", one_of(page, &line, &goals)?);
        }
        let (things, tools) = (
            slice(&listed(page, &mut fields, "things")?),
            slice(&listed(page, &mut fields, "tools")?),
        );
        fields.finish()?;
        code += &format!(
            "WayTexts {{ way: PremiseWay::{rust}, is_locked: {is_locked}, sight: {}, told: {}, asked: {}, had: {had:?}, thanks: {}, late: {late:?}, stages: &[{stages}], things: {things}, tools: {tools} }},\n",
            sight?, told?, asked?, thanks?
        );
    }
    match known
        .iter()
        .find(|name| page.sections.iter().all(|section| section.heading.text != **name))
    {
        Some(name) => Err(TextFault::of_file(&page.path, format!("it has no section `{name}`"))),
        None => Ok(code + "];\n"),
    }
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
    let is_aloud = match at_most_one(page, &mut fields, "aloud")? {
        Some(value) => one_of(page, &value, &["yes"])? == "yes",
        None => false,
    };
    let feeling = match at_most_one(page, &mut fields, "feeling")? {
        Some(value) => points(page, &value)?,
        None => [0; 3],
    };
    let remember = at_most_one(page, &mut fields, "remember")?;
    let remember = remember.as_ref().map_or("", |value| value.text.as_str());
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
