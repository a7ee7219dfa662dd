//! A branching story as a deck: each passage is a storylet with choices, and a passage without links an ending.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    folder_import::{CampaignText, FolderImport},
    paths::STORIES,
    plain_text::slug,
    story_qualities::{QualityChanges, QualityLine, StoryQualities},
    toml_text::{toml_line, toml_string, toml_strings},
};
use crate::{
    BranchingStory, ImportNotes, LinkOffer, PASSAGES_MAX, PassageLink, StoryFormat, StoryPassage,
    StoryTest, branching::GO_ON, card_text::one_line, taken_names::TakenNames,
};
use narratoria_protocol::{digest::sha256, visible::clip};

/// Longest text of a storylet, in characters, a little below the limit of a campaign.
const TEXT_CHARS: usize = 1_900;

/// Longest label of a choice, in characters.
const LABEL_CHARS: usize = 100;

/// Longest title of a story, of its endings and name of its author.
const TITLE_CHARS: usize = 100;

/// Choices of one storylet.
const CHOICES: usize = 6;

/// Most endings that the import writes, within the limit of a campaign. Further ends are storylets without choices.
const ENDINGS: usize = 60;

/// Most storylets that the import writes: one for each passage that a story may have, and a few parts of long ones. It is
/// a little below the limit of a campaign.
const STORYLETS: usize = PASSAGES_MAX + 50;

/// Longest deck, in bytes, a little below the limit of a campaign's file. A longer story has several decks.
const DECK_BYTES: usize = 1_000_000;

/// How storylets end that a passage needs besides its own. No passage is named so.
const OWN_ENDS: [&str; 4] = ["-again", "-more", "-part", "-begin"];

/// Longest id of a storylet, as campaigns have it.
const ID_CHARS_MAX: usize = 60;

/// Characters of an id that are reserved for the story's name.
const ID_NAME_CHARS: usize = 18;

/// The longest that can stand behind a passage in an id, with the number of one that is named like others.
const LONGEST_ENDS: &str = "-5000-again-part-4500-more-40";

/// The choice that leads to further choices.
const MORE: &str = "Something else";

/// How the storylets of passages begin that a choice leads to. Their choices stay, because they are the only thread.
const LINKED: &str = "linked = true\nonce = false\nlasting = true\n";

/// How the storylet begins that opens the story.
const BEGIN: &str = "on = { verb = \"begin\" }\npriority = 100\nlasting = true\n";

/// The one place of a story of passages: its rooms are its passages.
const PLACE: &str =
    "[[place]]\nname = \"story\"\ndescription = \"The story goes on with your choice.\"\n";

/// Longest condition of a choice, in bytes. It names the other choices of its passage.
const WHEN_BYTES: usize = 1_900;

/// Longest part of it that says what variables must be.
const TEST_BYTES: usize = 900;

/// Passages with the same links, of which a condition can name the choices.
const SAME_LINKS: usize = 80;

/// The files of a story, besides its own text.
pub(crate) struct StoryTexts {
    /// In the order of [`deck_path`].
    pub(crate) decks: Vec<String>,
    pub(crate) qualities: Vec<QualityLine>,
    pub(crate) endings: String,
}

/// Returns the path of a deck of a story.
pub(crate) fn deck_path(name: &str, at: usize) -> String {
    match at {
        0 => format!("plot/decks/{name}.toml"),
        _ => format!("plot/decks/{name}-part-{}.toml", at + 1),
    }
}

/// Writes the files of a story into a folder.
pub(super) fn import_story(story: &BranchingStory, stem: &str, folder: &mut FolderImport<'_>) {
    let title = if story.title.is_empty() { stem } else { &story.title };
    let patterns = ["plot/decks/{}.toml", "plot/decks/{}-part-", "cards/stories/{}."];
    let name = folder.free_name(&slug(title, "story"), &patterns);
    let extension = match story.format {
        StoryFormat::Twee => "twee",
        StoryFormat::Ink => "ink",
    };
    folder.put(format!("{STORIES}{name}.{extension}"), story.original.clone());
    let texts = story_texts(story, &name, folder.notes);
    for (at, deck) in texts.decks.into_iter().enumerate() {
        folder.put(deck_path(&name, at), deck);
    }
    put_qualities(&texts.qualities, folder);
    if !texts.endings.is_empty() {
        let before =
            folder.get("plot/endings.toml").map(|text| String::from_utf8_lossy(text).into_owned());
        let before = before.map(|text| format!("{}\n\n", text.trim_end())).unwrap_or_default();
        folder.put("plot/endings.toml", before + &texts.endings);
    }
    let title = short_title(title);
    let by = match story.author.is_empty() {
        true => format!("“{title}”."),
        false => format!("“{title}”, by {}.", short_title(&story.author)),
    };
    let setting = format!("The world of the story {by}");
    let author: String = one_line(&story.author).chars().take(200).collect();
    folder.complete(&CampaignText {
        title: &title,
        author: &author,
        setting: &setting,
        ..CampaignText::default()
    });
    // Without places and a premise of its own, a campaign would get a world around the story that is not in it.
    if !folder.has("plot/premise.md") {
        folder.put_if_missing("world/places.toml", PLACE);
    }
    let beginning = story.passages.get(story.start).map(|passage| passage.text.as_str());
    let beginning = beginning.filter(|text| !text.is_empty()).unwrap_or(&setting);
    let beginning: String = beginning.chars().take(TEXT_CHARS).collect();
    folder.put_if_missing("plot/premise.md", format!("# {title}\n\n{beginning}\n"));
    folder.put_if_missing("plot/start.toml", format!("opening = {}\n", toml_string(&by)));
    folder.record(&format!("{STORIES}{name}"), "", "");
}

/// On one line, and no longer than a title can be.
fn short_title(title: &str) -> String {
    clip(&one_line(title), TITLE_CHARS).into_owned()
}

/// Adds lines to the qualities.
fn put_qualities(lines: &[QualityLine], folder: &mut FolderImport<'_>) {
    const QUALITIES: &str = "plot/qualities.toml";
    if lines.is_empty() {
        return;
    }
    let before = folder.get(QUALITIES).map(|text| String::from_utf8_lossy(text).into_owned());
    let mut text = before.unwrap_or_default();
    for table in ["ladder", "counter"] {
        let added: Vec<&str> =
            lines.iter().filter(|it| it.table == table).map(|it| it.line.as_str()).collect();
        if added.is_empty() {
            continue;
        }
        let (added, head) = (added.join("\n"), format!("[{table}]"));
        // A table may stand in a file only once.
        let at = text.lines().position(|line| line.trim() == head);
        text = match at {
            Some(at) => {
                let mut lines: Vec<&str> = text.lines().collect();
                lines.insert(at + 1, &added);
                lines.join("\n") + "\n"
            }
            None if text.trim().is_empty() => format!("{head}\n{added}\n"),
            None => format!("{}\n\n{head}\n{added}\n", text.trim_end()),
        };
    }
    folder.put(QUALITIES, text);
}

/// Returns the texts of a story. They depend on the story and the name alone.
pub(crate) fn story_texts(
    story: &BranchingStory,
    name: &str,
    notes: &mut ImportNotes,
) -> StoryTexts {
    let mut deck = DeckWriter::new(story, name, notes);
    deck.write();
    let DeckWriter { mut decks, text, endings, rungs, quality, qualities, .. } = deck;
    decks.push(text);
    let title = if story.title.is_empty() { name } else { &story.title };
    let head = format!("name = {}\n", toml_line(&short_title(title)));
    let mut lines = Vec::new();
    if rungs.len() > 1 {
        let line = format!("{quality} = {}", toml_strings(&rungs));
        lines.push(QualityLine { table: "ladder", line });
    }
    lines.extend(qualities.lines());
    let decks = decks.into_iter().map(|text| format!("{head}{text}")).collect();
    StoryTexts { decks, qualities: lines, endings }
}

/// The name of the story in the ids of its storylets.
fn short_name(name: &str) -> String {
    if name.len() <= ID_NAME_CHARS {
        return name.to_owned();
    }
    // Names that begin alike stay different.
    let digest: String = sha256(name.as_bytes()).chars().take(4).collect();
    let cut: String = name.chars().take(ID_NAME_CHARS - 5).collect();
    format!("{}-{digest}", cut.trim_end_matches('-'))
}

/// The id of a passage's storylet, with room for the ends that it needs besides its own.
fn passage_id(name: &str, slug: &str) -> String {
    const NO_OWN_END: &str = "-passage";
    let trimmed = slug.trim_end_matches(|c: char| c.is_ascii_digit() || c == '-');
    let clashes = OWN_ENDS.iter().any(|end| format!("-{trimmed}").ends_with(end));
    let end = if clashes { NO_OWN_END } else { "" };
    let room = (ID_CHARS_MAX - LONGEST_ENDS.len()).saturating_sub(name.len() + 1 + end.len());
    let cut: String = slug.chars().take(room).collect();
    format!("{name}-{}{end}", cut.trim_end_matches('-'))
}

struct DeckWriter<'s, 'n> {
    story: &'s BranchingStory,
    notes: &'n mut ImportNotes,
    /// The name of the story, as it occurs in ids.
    name: String,
    /// The ladder that says how the story has ended.
    quality: String,
    rungs: Vec<String>,
    /// What conditions ask for.
    qualities: StoryQualities,
    /// The links that each passage offers, and their labels as they are written.
    offers: Vec<Vec<OfferedLink<'s>>>,
    /// By the name of a passage.
    ids: BTreeMap<&'s str, String>,
    /// Passages that are endings.
    ends: BTreeSet<&'s str>,
    /// Endings that are too long for the last page of one.
    long: BTreeSet<&'s str>,
    /// Passages that links lead to.
    linked: BTreeSet<&'s str>,
    /// The passages that have the same links, by the name of the one whose links these are.
    groups: BTreeMap<&'s str, Vec<usize>>,
    /// How many storylets the text of each passage has.
    parts: Vec<usize>,
    /// The decks that are full.
    decks: Vec<String>,
    /// The deck that is being written.
    text: String,
    endings: String,
    count: usize,
}

/// A storylet that tells a passage.
struct PassageStorylet {
    id: String,
    head: &'static str,
    /// Where the passage's links to itself lead.
    itself: Option<String>,
}

/// A link with the label that its choice has.
struct OfferedLink<'s> {
    link: &'s PassageLink,
    label: String,
    /// The words of the label, by which conditions name the choice.
    words: String,
    /// The condition, without what is always so.
    test: StoryTest,
    /// The end of the choice's id, behind the id of the storylet with the passage's last part.
    end: String,
}

/// What a storylet tells and changes.
struct ToldText<'t> {
    head: &'t str,
    text: &'t str,
    changes: QualityChanges,
}

/// A choice as it is written.
#[derive(Default)]
struct WrittenChoice {
    label: String,
    text: String,
    then: Option<String>,
    changes: QualityChanges,
    when: Option<String>,
}

impl<'s, 'n> DeckWriter<'s, 'n> {
    fn new(
        story: &'s BranchingStory,
        name: &str,
        notes: &'n mut ImportNotes,
    ) -> DeckWriter<'s, 'n> {
        let (mut ids, mut taken) = (BTreeMap::new(), TakenNames::default());
        let short = short_name(name);
        taken.take(format!("{short}-begin"), '-');
        for passage in &story.passages {
            let base = passage_id(&short, &slug(&passage.name, "passage"));
            ids.insert(passage.name.as_str(), taken.take(base, '-'));
        }
        let start = story.passages.get(story.start).map(|passage| passage.name.as_str());
        let ends = story.passages.iter().filter(|passage| passage.links.is_empty());
        let ends = ends.map(|passage| passage.name.as_str()).filter(|name| Some(*name) != start);
        let ident: String = name.replace('-', "_");
        let quality = match ident.starts_with(|char: char| char.is_ascii_lowercase()) {
            true => format!("{ident}_end"),
            false => format!("story_{ident}_end"),
        };
        let mut taken_qualities = TakenNames::default();
        taken_qualities.take(quality.clone(), '_');
        let prefix = quality.trim_end_matches("_end");
        let qualities = StoryQualities::build(&story.variables, prefix, &mut taken_qualities);
        let offers = story.passages.iter().map(|passage| offered(passage, &qualities, notes));
        let offers = offers.collect();
        let links = story.passages.iter().flat_map(|passage| &passage.links);
        let mut groups: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (at, passage) in story.passages.iter().enumerate() {
            groups.entry(links_name(passage)).or_default().push(at);
        }
        let is_long = |passage: &&StoryPassage| passage.text.chars().count() > TEXT_CHARS;
        let long = story.passages.iter().filter(is_long);
        DeckWriter {
            long: long.map(|passage| passage.name.as_str()).collect(),
            ends: ends.take(ENDINGS).collect(),
            linked: links.map(|link| link.target.as_str()).collect(),
            groups,
            parts: story.passages.iter().map(|passage| in_parts(&passage.text).len()).collect(),
            story,
            notes,
            name: short,
            quality,
            rungs: vec!["open".to_owned()],
            qualities,
            offers,
            ids,
            decks: Vec::new(),
            text: String::new(),
            endings: String::new(),
            count: 0,
        }
    }

    fn write(&mut self) {
        for (at, passage) in self.story.passages.iter().enumerate() {
            if self.count > STORYLETS {
                self.notes.not_mapped(
                    format!("passage `{}`", passage.name),
                    format!("a campaign has room for {STORYLETS} storylets"),
                );
                continue;
            }
            for storylet in self.storylets_of(at) {
                self.passage(&storylet, at);
            }
            if at == self.story.start && passage.links.is_empty() {
                let begin = self.begin_id();
                self.ending(&begin, &passage.name, "", Some(format!("'{begin}' in fired")));
            }
        }
    }

    fn begin_id(&self) -> String {
        format!("{}-begin", self.name)
    }

    /// Writes a storylet of a passage, in parts if it is long.
    fn passage(&mut self, storylet: &PassageStorylet, at: usize) {
        let PassageStorylet { id, head, itself } = storylet;
        let Some(passage) = self.story.passages.get(at) else { return };
        let mut parts = in_parts(&passage.text);
        if parts.len() > 1 {
            self.notes.changed(
                format!("passage `{}`", passage.name),
                format!("longer than {TEXT_CHARS} characters, so it has {} parts", parts.len()),
            );
        }
        let is_end = self.ends.contains(passage.name.as_str());
        let last = parts.pop().unwrap_or_default();
        let count = parts.len();
        let part_id = |n: usize| format!("{id}{}", part_end(n));
        let shown = format!("passage `{}`", passage.name);
        let mut changes = self.qualities.changes(&passage.settings, &shown, self.notes);
        for (n, part) in parts.iter().enumerate() {
            let ends = is_end && n + 1 == count;
            let choice = WrittenChoice {
                label: GO_ON.to_owned(),
                then: (!ends).then(|| part_id(n + 1)),
                changes: if ends { self.end_of(id) } else { QualityChanges::default() },
                ..WrittenChoice::default()
            };
            let head = if n == 0 { head } else { LINKED };
            let told = ToldText { head, text: part, changes: std::mem::take(&mut changes) };
            self.storylet(&part_id(n), &told, &[choice]);
        }
        if is_end {
            let title = passage.title.as_ref().unwrap_or(&passage.name);
            self.ending(id, title, &last, None);
            return;
        }
        let offers = self.offers.get(at).map(Vec::len).unwrap_or_default();
        let choices: Vec<WrittenChoice> =
            (0..offers).filter_map(|n| self.choice(at, n, itself.as_deref())).collect();
        let head = if count == 0 { head } else { LINKED };
        let told = ToldText { head, text: &last, changes };
        self.with_more(&part_id(count), told, choices, &passage.name);
    }

    /// The change that ends the story here.
    fn end_of(&self, id: &str) -> QualityChanges {
        let sets = [(self.quality.clone(), id.to_owned())].into();
        QualityChanges { sets, ..QualityChanges::default() }
    }

    /// The storylets that tell this passage.
    fn storylets_of(&self, at: usize) -> Vec<PassageStorylet> {
        let Some(passage) = self.story.passages.get(at) else { return Vec::new() };
        let name = passage.name.as_str();
        let id = self.ids.get(name).cloned().unwrap_or_default();
        let mut storylets = Vec::new();
        let is_start = at == self.story.start;
        if is_start {
            storylets.push(PassageStorylet { id: self.begin_id(), head: BEGIN, itself: None });
        }
        // A choice cannot lead to the storylet that offers it, but to one that is the same.
        let again = passage.leads_to(name).then(|| format!("{id}-again"));
        if !is_start || self.linked.contains(name) {
            storylets.push(PassageStorylet { id: id.clone(), head: LINKED, itself: again.clone() });
        }
        storylets.extend(again.map(|again| PassageStorylet {
            id: again,
            head: LINKED,
            itself: Some(id),
        }));
        storylets
    }

    /// The ids of the choices of these words in all passages with the same links; `None` for more than a condition can name.
    fn taken_ids(&self, at: usize, words: &str) -> Option<Vec<String>> {
        let passages = &self.story.passages;
        let group = passages.get(at).and_then(|passage| self.groups.get(links_name(passage)));
        let others = group.into_iter().flatten().copied().filter(|other| *other != at);
        let mut ids = Vec::new();
        if group.is_some_and(|group| group.len() > SAME_LINKS + 1) {
            return None;
        }
        for member in std::iter::once(at).chain(others) {
            let parts = self.parts.get(member).copied().unwrap_or(1);
            let offers = self.offers.get(member).map(Vec::as_slice).unwrap_or_default();
            let same = offers.iter().filter(|offer| offer.words == words);
            let ends: Vec<&str> = same.map(|offer| offer.end.as_str()).collect();
            for storylet in self.storylets_of(member) {
                let storylet = storylet.id + &part_end(parts - 1);
                ids.extend(ends.iter().map(|end| format!("{storylet}{end}")));
            }
        }
        Some(ids)
    }

    /// When a choice is offered: what its variables must be, and whether it or the others were taken before.
    fn condition(&self, at: usize, n: usize) -> Option<Vec<String>> {
        let offers = self.offers.get(at)?;
        let offer = offers.get(n)?;
        let mut parts = Vec::new();
        if offer.test != StoryTest::Known(true) {
            parts.push(self.qualities.condition(&offer.test));
        }
        let taken = |offer: &OfferedLink<'_>| self.taken_ids(at, &offer.words);
        match offer.link.offer {
            LinkOffer::Always | LinkOffer::WayOn => {}
            LinkOffer::Once => {
                parts.push(joined(&taken(offer)?, " && ", |id| format!("!('{id}' in chosen)")));
            }
            LinkOffer::Last => {
                for other in offers.iter().filter(|other| other.link.offer != LinkOffer::Last) {
                    let mut gone = Vec::new();
                    if other.link.offer == LinkOffer::Once {
                        let is_taken = |id: &String| format!("'{id}' in chosen");
                        gone.extend(taken(other)?.iter().map(is_taken));
                    }
                    if other.test != StoryTest::Known(true) {
                        let closed = other.test.clone().negated();
                        gone.push(self.qualities.condition(&closed));
                    }
                    parts.push(format!("({})", gone.join(" || ")));
                    if parts.len() > SAME_LINKS {
                        return None;
                    }
                }
            }
        }
        Some(parts)
    }

    /// A storylet and, for choices that it has no room for, further ones.
    fn with_more(
        &mut self,
        id: &str,
        mut told: ToldText<'_>,
        mut choices: Vec<WrittenChoice>,
        passage: &str,
    ) {
        if choices.len() > CHOICES {
            self.notes.changed(
                format!("passage `{passage}`"),
                format!(
                    "it has {} links; behind {} of them stands “{MORE}”",
                    choices.len(),
                    CHOICES - 1
                ),
            );
        }
        let first = id;
        let mut id = id.to_owned();
        for number in 1.. {
            if choices.len() <= CHOICES {
                break;
            }
            let rest = choices.split_off(CHOICES - 1);
            let next = format!("{first}{}", nth_more(number));
            choices.push(WrittenChoice {
                label: MORE.to_owned(),
                then: Some(next.clone()),
                ..WrittenChoice::default()
            });
            self.storylet(&id, &told, &choices);
            let (text, changes) = ("There is more that you can do.", QualityChanges::default());
            told = ToldText { head: LINKED, text, changes };
            (id, choices) = (next, rest);
        }
        self.storylet(&id, &told, &choices);
    }

    /// The choice of this index of a passage. `None` if it is never offered.
    fn choice(&mut self, at: usize, n: usize, itself: Option<&str>) -> Option<WrittenChoice> {
        let OfferedLink { link, label, .. } = self.offers.get(at)?.get(n)?;
        let (link, label) = (*link, label.clone());
        let from = self.story.passages.get(at)?.name.as_str();
        let shown = format!("passage `{from}`: link `{label}`");
        let parts = self.condition(at, n);
        let when = parts.as_ref().map(|parts| parts.join(" && "));
        let when = when.filter(|when| when.len() <= WHEN_BYTES);
        if when.is_none() {
            let why = "its passage has too many links for a condition; it is always offered";
            self.notes.not_mapped(&shown, why);
        }
        // What variables must be tells apart choices of one label.
        let test = || {
            let parts = self.offers.get(at)?.get(n)?;
            let is_known = parts.test == StoryTest::Known(true);
            (!is_known).then(|| self.qualities.condition(&parts.test))
        };
        let when = when.or_else(test).filter(|when| !when.is_empty());
        let text: String = link.text.chars().take(TEXT_CHARS).collect();
        let target = link.target.as_str();
        let id = self.ids.get(target).cloned().unwrap_or_default();
        let is_long = self.long.contains(target);
        let mut changes = self.qualities.changes(&link.settings, &shown, self.notes);
        if self.ends.contains(target) && !is_long {
            changes.sets.extend(self.end_of(&id).sets);
            return Some(WrittenChoice { label, text, changes, when, then: None });
        }
        let then = Some(itself.filter(|_| target == from).map_or(id, str::to_owned));
        Some(WrittenChoice { label, text, changes, when, then })
    }

    fn storylet(&mut self, id: &str, told: &ToldText<'_>, choices: &[WrittenChoice]) {
        let ToldText { head, text, changes } = told;
        self.count += 1;
        if self.text.len() > DECK_BYTES {
            self.decks.push(std::mem::take(&mut self.text));
        }
        self.text += &format!("\n[[storylet]]\nid = {}\n{head}", toml_string(id));
        if !text.is_empty() {
            self.text += &format!("text = {}\n", toml_string(text));
        }
        for part in changes.parts() {
            self.text += &format!("{part}\n");
        }
        if choices.is_empty() {
            return;
        }
        self.text += "choices = [\n";
        for choice in choices {
            let mut parts = vec![format!("label = {}", toml_line(&choice.label))];
            if !choice.text.is_empty() {
                parts.push(format!("text = {}", toml_line(&choice.text)));
            }
            parts.extend(choice.changes.parts());
            parts.extend(choice.when.iter().map(|when| format!("when = {}", toml_string(when))));
            parts.extend(choice.then.iter().map(|then| format!("then = {}", toml_string(then))));
            self.text += &format!("  {{ {} }},\n", parts.join(", "));
        }
        self.text += "]\n";
    }

    fn ending(&mut self, id: &str, title: &str, text: &str, when: Option<String>) {
        let when = when.unwrap_or_else(|| format!("{} == '{id}'", self.quality));
        let text = if text.is_empty() { "The end." } else { text };
        self.rungs.push(id.to_owned());
        if !self.endings.is_empty() {
            self.endings.push('\n');
        }
        self.endings += &format!(
            "[[ending]]\nid = {}\ntitle = {}\nwhen = {}\ntext = {}\n",
            toml_string(id),
            toml_line(&short_title(title)),
            toml_line(&when),
            toml_string(text)
        );
    }
}

/// The words by which a player takes a choice, and by which a campaign tells two of them apart and names them.
fn words_of(label: &str) -> String {
    let label = label.to_lowercase().replace(['\'', '’'], "");
    let words = label.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("-")
}

/// The passage whose links a passage has.
fn links_name(passage: &StoryPassage) -> &str {
    passage.same_links_as.as_ref().unwrap_or(&passage.name)
}

/// The end of a storylet's id that tells this part of a passage.
fn part_end(n: usize) -> String {
    if n == 0 { String::new() } else { format!("-part-{}", n + 1) }
}

/// The end of the storylet that a passage's choice of this index stands in, of so many.
fn more_end(at: usize, count: usize) -> String {
    let mut first = 0;
    for number in 0.. {
        if count - first <= CHOICES || at < first + CHOICES - 1 {
            return if number == 0 { String::new() } else { nth_more(number) };
        }
        first += CHOICES - 1;
    }
    String::new()
}

fn nth_more(number: usize) -> String {
    match number {
        1 => "-more".to_owned(),
        number => format!("-more-{number}"),
    }
}

fn joined(parts: &[String], by: &str, form: impl Fn(&String) -> String) -> String {
    parts.iter().map(form).collect::<Vec<_>>().join(by)
}

/// The links that a passage offers. Choices are taken by the words of their labels, so no two that may be offered at once
/// have the same.
fn offered<'s>(
    passage: &'s StoryPassage,
    qualities: &StoryQualities,
    notes: &mut ImportNotes,
) -> Vec<OfferedLink<'s>> {
    let tests = passage.links.iter().map(|link| (link, qualities.folded(&link.when)));
    let tests: Vec<(&PassageLink, StoryTest)> =
        tests.filter(|(_, test)| *test != StoryTest::Known(false)).collect();
    // A choice that is always offered leaves none for the last.
    let is_always = |(link, test): &(&PassageLink, StoryTest)| {
        matches!(link.offer, LinkOffer::Always | LinkOffer::WayOn)
            && *test == StoryTest::Known(true)
    };
    let has_always = tests.iter().any(is_always);
    let kept: Vec<(&PassageLink, StoryTest)> = tests
        .into_iter()
        .filter(|(link, _)| !has_always || link.offer != LinkOffer::Last)
        .collect();
    let more = (kept.len() > CHOICES).then(|| words_of(MORE));
    let mut known: BTreeSet<String> = more.into_iter().collect();
    let mut offers: Vec<OfferedLink<'s>> = Vec::new();
    for (link, test) in kept {
        // The condition of the first of two with one label must tell them apart.
        if link.is_alternative
            && let Some(last) = offers.last()
        {
            let is_long = |test: &StoryTest| qualities.condition(test).len() > TEST_BYTES;
            let is_apart = test != StoryTest::Known(true) && last.test != StoryTest::Known(true);
            if is_apart && !is_long(&test) {
                let (label, words) = (last.label.clone(), last.words.clone());
                offers.push(OfferedLink { link, label, words, test, end: String::new() });
            } else {
                let what = format!("passage `{}`: link `{}`", passage.name, link.label);
                notes.not_mapped(what, "too long a condition; it leads to the first text alone");
            }
            continue;
        }
        let mut test = test;
        if qualities.condition(&test).len() > TEST_BYTES {
            let what = format!("passage `{}`: link `{}`", passage.name, link.label);
            notes.not_mapped(what, "too long a condition; it is always offered");
            test = StoryTest::Known(true);
        }
        let first = label_of(link, passage, notes);
        let (mut label, mut number) = (first.clone(), 2);
        while !known.insert(words_of(&label)) {
            label =
                format!("{} ({number})", first.chars().take(LABEL_CHARS - 5).collect::<String>());
            number += 1;
        }
        let words = words_of(&label);
        offers.push(OfferedLink { link, label, words, test, end: String::new() });
    }
    set_ends(&mut offers);
    offers
}

/// Sets the end of each choice's id. Choices of one label are numbered within the storylet that offers them.
fn set_ends(offers: &mut [OfferedLink<'_>]) {
    let count = offers.len();
    let mut numbers: BTreeMap<String, usize> = BTreeMap::new();
    for (n, offer) in offers.iter_mut().enumerate() {
        let first = format!("{}/{}", more_end(n, count), offer.words);
        let number = numbers.entry(first.clone()).or_default();
        *number += 1;
        offer.end = if *number > 1 { format!("{first}/{number}") } else { first };
    }
}

/// The label of a choice, no longer than one can be.
fn label_of(link: &PassageLink, passage: &StoryPassage, notes: &mut ImportNotes) -> String {
    let label: String = one_line(&link.label);
    if label.chars().count() > LABEL_CHARS {
        notes.changed(
            format!("passage `{}`: link `{label}`", passage.name),
            format!("a choice has at most {LABEL_CHARS} characters"),
        );
        return format!("{}…", label.chars().take(LABEL_CHARS - 1).collect::<String>().trim_end());
    }
    if label.is_empty() { GO_ON.to_owned() } else { label }
}

/// Returns a text in parts of bounded length, divided between paragraphs if possible.
fn in_parts(text: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    let mut part = PartOfText::default();
    for paragraph in text.split_inclusive("\n\n") {
        if paragraph.chars().count() <= TEXT_CHARS {
            part.add(paragraph, &mut parts);
            continue;
        }
        for piece in paragraph.split_inclusive([' ', '\n']) {
            let mut rest = piece;
            while !rest.is_empty() {
                let end = rest.char_indices().nth(TEXT_CHARS).map_or(rest.len(), |(at, _)| at);
                part.add(&rest[..end], &mut parts);
                rest = &rest[end..];
            }
        }
    }
    part.end(&mut parts);
    if parts.is_empty() { vec![String::new()] } else { parts }
}

/// The part that is being filled.
#[derive(Default)]
struct PartOfText {
    text: String,
    chars: usize,
}

impl PartOfText {
    /// Adds a piece that is no longer than a part, to a new part if this one has no room for it.
    fn add(&mut self, piece: &str, parts: &mut Vec<String>) {
        let chars = piece.chars().count();
        if self.chars + chars > TEXT_CHARS {
            self.end(parts);
        }
        self.text += piece;
        self.chars += chars;
    }

    fn end(&mut self, parts: &mut Vec<String>) {
        let text = self.text.trim();
        if !text.is_empty() {
            parts.push(text.to_owned());
        }
        self.text.clear();
        self.chars = 0;
    }
}
