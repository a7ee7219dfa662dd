//! Reads a row of `grammar` into the constants of `frame_form`. What is wrong with it is said with the way out.

use english::WordClass;
use world_model::{action::Verb, want::Want};

use super::{
    frame_form::{
        AllOf, AnyWord, ClausePart, DeedPart, FrameAgain, FrameCondition, FrameDeed, FrameMeaning,
        FrameNamed, FramePart, FrameReferent, FrameSays, FrameSlot, FrameSlots, FrameWords,
        OpenKind, PhraseWords, SlotFeature, SlotKind, SlotSource, VerbPhrases, VerbTest,
    },
    pattern_form::{RowForm, listed, no_feature},
    row_form::{
        CONDITION, CONDITION_AND, ConstList, Feature, Kind, PhraseCondition, PhraseTest, Referent,
        ReferentArgument, RowName, WORD_TEST_MARKS, WordTest,
    },
};

/// The labels under which a meaning repeats the words `<in|on>` of its pattern, in their order.
const WORD_LABELS: [&str; 3] = ["1", "2", "3"];

type Parsed<T> = Result<T, String>;
type DeedOfWords = fn(ConstList<FrameWords>) -> DeedPart;

/// The columns of a row, read.
#[derive(Debug)]
pub(crate) struct ParsedFrame {
    pub(crate) phrases: VerbPhrases,
    pub(crate) parts: ConstList<FramePart>,
    pub(crate) meanings: ConstList<FrameMeaning>,
}

impl ParsedFrame {
    pub(crate) fn of(
        phrases: &'static str,
        frame: &'static str,
        meaning: &'static str,
    ) -> Parsed<ParsedFrame> {
        let parts = frame_parts(frame)?;
        let slots = parts.iter().flat_map(|part| match part {
            FramePart::Slots(FrameSlots { slots, .. }) | FramePart::Pattern((_, slots)) => slots.0,
            _ => &[],
        });
        let of_row = MeaningParser { labels: slots.clone().map(|slot| slot.label).collect() };
        for slot in slots {
            match slot.kind {
                SlotKind::Open(OpenKind::OwnedBy("listener")) => {}
                SlotKind::Open(OpenKind::KeyOf(other) | OpenKind::OwnedBy(other)) => {
                    of_row.slot(other)?;
                }
                _ => {}
            }
        }
        let meanings = meaning.split(" | ").map(|meaning| of_row.meaning(meaning));
        Ok(ParsedFrame { phrases: verb_phrases(phrases)?, parts, meanings: list(meanings)? })
    }
}

fn list<T>(items: impl IntoIterator<Item = Parsed<T>>) -> Parsed<ConstList<T>> {
    Ok(ConstList(items.into_iter().collect::<Parsed<Vec<T>>>()?.leak()))
}

/// A test that `!` turns round.
fn turned(text: &'static str) -> (&'static str, bool) {
    text.strip_prefix('!').map_or((text, true), |text| (text, false))
}

/// Tests with bars between them, each of several with `&` between them: `in|on|@hand&!left`.
fn any_of<T>(
    tests: &'static str,
    test: impl Fn(&'static str) -> Parsed<T> + Copy,
) -> Parsed<ConstList<AllOf<T>>> {
    let one = move |text| {
        let (text, is_wanted) = turned(text);
        Ok((test(text)?, is_wanted))
    };
    list(tests.split('|').map(|all| list(all.split('&').map(one))))
}

/// The phrases of the verb: `!put..|lay..`.
fn verb_phrases(phrases: &'static str) -> Parsed<VerbPhrases> {
    let (tests, is_wanted) = turned(phrases);
    let tests = if tests.is_empty() { ConstList(&[]) } else { any_of(tests, verb_test)? };
    Ok(VerbPhrases { tests, is_wanted })
}

fn verb_test(test: &'static str) -> Parsed<VerbTest> {
    let plain = |text: &'static str| -> &'static str { text.replace('-', " ").leak() };
    Ok(match (test.strip_prefix(".."), test.strip_suffix("..")) {
        (Some(class), _) if class.starts_with('@') => VerbTest::OtherWords(word_test(test, class)?),
        (_, Some(class)) if class.starts_with('@') => VerbTest::FirstWord(word_test(test, class)?),
        _ if test.starts_with('@') => VerbTest::Word(word_test(test, test)?),
        (Some(end), _) => VerbTest::Ends(plain(end)),
        (None, Some(start)) => VerbTest::Begins(plain(start)),
        (None, None) => VerbTest::Whole(plain(test)),
    })
}

/// Nothing, if the checks of wordings find nothing wrong.
fn checked<'r>(mut form: RowForm<'r>, check: impl FnOnce(&mut RowForm<'r>)) -> Parsed<()> {
    check(&mut form);
    form.list.into_iter().next().map_or(Ok(()), Err)
}

/// A test of a word that stands in a part of a row.
fn word_test(part: &str, word: &'static str) -> Parsed<WordTest<'static>> {
    checked(RowForm::default(), |form| form.word(part, word))?;
    WordTest::of(word).ok_or_else(String::new)
}

/// Words with bars between them: `in|on|@hand&!left`.
fn words(part: &str, words: &'static str) -> Parsed<AnyWord> {
    any_of(words, |word| word_test(part, word))
}

/// Words with bars between them, each a preposition, or a class that has one.
fn prepositions(part: &str, text: &'static str) -> Parsed<AnyWord> {
    let found = words(part, text)?;
    for all in found.iter() {
        let is_one = match all.first() {
            Some((WordTest::Word(word), _)) => WordClass::Preposition.has(word),
            Some((WordTest::Class(class), _)) => {
                class.words().iter().any(|word| WordClass::Preposition.has(word))
            }
            _ => false,
        };
        if !is_one {
            return Err(format!(
                "`{part}` has a word that is no preposition, so that nothing ever follows it: `@preposition` of words.tsv has them all, and `{part}..` takes what stands behind any word"
            ));
        }
    }
    Ok(found)
}

/// The parts of a frame, from left to right.
fn frame_parts(frame: &'static str) -> Parsed<ConstList<FramePart>> {
    if let Some(pattern) = frame.strip_prefix("= ") {
        return Ok(ConstList(vec![pattern_part(pattern)?].leak()));
    }
    let mut texts = frame.split(' ').peekable();
    let mut parts = Vec::new();
    while let Some(part) = texts.next() {
        if parts.last() == Some(&FramePart::End) {
            return Err(format!(
                "`{part}` stands behind `$`, which says that nothing else is there: `$` is the last part"
            ));
        }
        let source = match part {
            "-" | "$" => None,
            "..." if !texts.peek().is_some_and(|next| next.starts_with('{')) => None,
            "_" | "*" | "..." => SlotSource::named(part),
            _ if part.starts_with('{') => Some(SlotSource::Object),
            _ => match (part.strip_prefix('!'), part.strip_suffix("..")) {
                (Some(words), _) => {
                    parts.push(FramePart::Without(prepositions(part, words)?));
                    continue;
                }
                (None, Some(behind)) => Some(SlotSource::Behind(words(part, behind)?)),
                (None, None) => Some(SlotSource::After(prepositions(part, part)?)),
            },
        };
        let Some(of) = source else {
            parts.extend(FramePart::named(part));
            continue;
        };
        if of == SlotSource::Object && !parts.is_empty() {
            return Err(format!("`{part}` is the object, which is the first part of a frame"));
        }
        let mut slots = Vec::new();
        if of == SlotSource::Object {
            slots.push(slot(part)?);
        }
        while let Some(text) = texts.next_if(|next| next.starts_with('{')) {
            slots.push(slot(text)?);
        }
        if slots.is_empty() {
            return Err(format!(
                "behind `{part}` stands no slot, such as `{{?any:it}}`, for what follows"
            ));
        }
        parts.push(FramePart::Slots(FrameSlots { of, slots: ConstList(slots.leak()) }));
    }
    Ok(ConstList(parts.leak()))
}

/// Everything behind the verb by a wording: `= of? {who} about {topic}`.
fn pattern_part(pattern: &'static str) -> Parsed<FramePart> {
    let (mut form, mut slots) = (RowForm::default(), Vec::new());
    for part in pattern.split(' ') {
        let part = part.trim_start_matches('[').trim_end_matches(']');
        if part.starts_with('{') {
            slots.push(slot(part)?);
            continue;
        }
        let before = form.words;
        form.part(part);
        if form.words > before {
            let Some(label) = WORD_LABELS.get(before) else {
                return Err(format!("`{part}`: a frame keeps three words at most"));
            };
            slots.push(FrameSlot {
                label,
                kind: SlotKind::Open(OpenKind::Text),
                words: ConstList(&[]),
                features: ConstList(&[]),
                is_first: false,
            });
        }
    }
    checked(form, |form| form.brackets(pattern))?;
    Ok(FramePart::Pattern((pattern, ConstList(slots.leak()))))
}

/// A slot: `{?held.!lit:it}`.
fn slot(part: &'static str) -> Parsed<FrameSlot> {
    let inner = part.trim_matches(['{', '}']);
    let (inner, is_open) = inner.strip_prefix('?').map_or((inner, false), |inner| (inner, true));
    if !is_open || !part.ends_with('}') {
        checked(RowForm::default(), |form| form.part(part))?;
    }
    let first = inner.split(['.', ':']).next().unwrap_or(inner);
    let (tests, label) = inner.rsplit_once(':').unwrap_or((inner, first));
    let (kind, tests) = tests.split_once('.').unwrap_or((tests, ""));
    let kind = match is_open {
        true => SlotKind::Open(open_kind(kind)?),
        false => SlotKind::Closed(Kind::called(kind).ok_or_else(String::new)?),
    };
    let (mut words, mut features, mut is_first) = (Vec::new(), Vec::new(), false);
    for (name, is_wanted) in tests.split('.').filter(|test| !test.is_empty()).map(turned) {
        if name.starts_with(WORD_TEST_MARKS) {
            words.push((phrase_words(part, name)?, is_wanted));
        } else if name == "first" && is_open {
            is_first = true;
        } else {
            let of_slot = SlotFeature::named(name).filter(|_| is_open);
            let feature = of_slot.or_else(|| PhraseTest::called(name).map(SlotFeature::Phrase));
            let feature = feature.ok_or_else(|| {
                let all = SlotFeature::NAMED.iter().map(|(name, _)| *name);
                no_feature(name, ["first"].into_iter().chain(all).chain(PhraseTest::names()))
            })?;
            features.push((feature, is_wanted));
        }
    }
    let (words, features) = (ConstList(words.leak()), ConstList(features.leak()));
    Ok(FrameSlot { label, kind, words, features, is_first })
}

fn open_kind(name: &'static str) -> Parsed<OpenKind> {
    let behind = |start: &str| name.strip_prefix(start);
    if let Some(kind) = OpenKind::named(name) {
        return Ok(kind);
    }
    Ok(match (behind("key-of-"), behind("owned-by-"), behind("door-"), behind("part-")) {
        (Some(label), ..) => OpenKind::KeyOf(label),
        (_, Some(label), ..) => OpenKind::OwnedBy(label),
        (_, _, Some(want), _) => OpenKind::Door(want_called(name, want)?),
        (.., Some(want)) => OpenKind::Part(want_called(name, want)?),
        _ => OpenKind::Wanted(want_called(name, name)?),
    })
}

/// The want of this name: that of a kind, or one that only an open slot has.
fn want_called(kind: &str, name: &str) -> Parsed<Want> {
    let wanted = [
        ("any", Want::Any),
        ("held", Want::Carried),
        ("person", Want::Person),
        ("place", Want::Place),
    ];
    if let Some((_, want)) = wanted.iter().find(|(known, _)| *known == name) {
        return Ok(*want);
    }
    match Kind::called(name) {
        Some(Kind::Suited(want)) => Ok(want),
        _ => {
            let suited =
                Kind::names().filter(|it| matches!(Kind::called(it), Some(Kind::Suited(_))));
            let all = wanted.iter().map(|(name, _)| *name).chain(suited);
            let all = all.chain(OpenKind::NAMED.iter().map(|(name, _)| *name));
            let all = all.chain(["key-of-LABEL", "owned-by-LABEL", "door-KIND", "part-KIND"]);
            Err(format!(
                "there is no kind of open slot `{{?{kind}}}`: the kinds are {}",
                listed(all)
            ))
        }
    }
}

fn phrase_words(part: &str, test: &'static str) -> Parsed<PhraseWords> {
    let (mark, text) = test.split_at(1);
    let words = words(part, text)?;
    Ok(match mark {
        "$" => PhraseWords::Last(words),
        "^" => PhraseWords::First(words),
        "~" => PhraseWords::Has(words),
        _ => PhraseWords::Only(words),
    })
}

/// Reads the meaning of a row, whose slots have these labels.
struct MeaningParser {
    labels: Vec<&'static str>,
}

impl MeaningParser {
    /// The slot of this name.
    fn slot(&self, label: &'static str) -> Parsed<&'static str> {
        match self.labels.contains(&label) {
            true => Ok(label),
            false => Err(self.no_slot(label)),
        }
    }

    fn no_slot(&self, label: &str) -> String {
        let labels = listed(self.labels.iter().copied());
        format!("the frame has no slot that is called `{label}`: it has {labels}")
    }

    fn meaning(&self, meaning: &'static str) -> Parsed<FrameMeaning> {
        let (says, conditions) = meaning.split_once(CONDITION).unwrap_or((meaning, ""));
        let conditions = conditions.split(CONDITION_AND).filter(|it| !it.is_empty());
        let conditions = list(conditions.map(|condition| {
            let (condition, is_wanted) = match condition.strip_prefix("not ") {
                Some(condition) => (condition, false),
                None => (condition, true),
            };
            Ok((self.condition(condition)?, is_wanted))
        }))?;
        Ok(FrameMeaning { says: self.says(says)?, conditions })
    }

    fn says(&self, says: &'static str) -> Parsed<FrameSays> {
        if let Some(says) = FrameSays::named(says) {
            return Ok(says);
        }
        if let Some(again) = says.strip_prefix("> ") {
            let (clause, with) = again.split_once(" ; ").unwrap_or((again, ""));
            let (verb, words) = clause.split_once(' ').unwrap_or((clause, ""));
            let alone = verb.strip_suffix(':');
            let mut parts: Vec<ClausePart> = self.clause(alone.unwrap_or(verb))?.to_vec();
            parts.extend(self.clause(words)?.iter());
            let with = if with.is_empty() { ConstList(&[]) } else { self.deed_parts(with)? };
            let clause = ConstList(parts.leak());
            return Ok(FrameSays::Again(FrameAgain {
                clause,
                is_verb_alone: alone.is_some(),
                with,
            }));
        }
        match says.split_once(' ') {
            Some(("question", clause)) => Ok(FrameSays::Question(self.clause(clause)?)),
            Some(("seen", clause)) => Ok(FrameSays::Seen(self.clause(clause)?)),
            _ => Ok(FrameSays::Deeds(list(says.split(" ; ").map(|deed| self.deed(deed)))?)),
        }
    }

    fn clause(&self, clause: &'static str) -> Parsed<ConstList<ClausePart>> {
        let words = clause.split(' ').filter(|word| !word.is_empty());
        list(words.map(|word| match label(word) {
            Some(label) if self.labels.contains(&label) => Ok(ClausePart::Slot(label)),
            Some(label) => Ok(ClausePart::Referent(self.referent(label)?)),
            None => Ok(ClausePart::named(word).unwrap_or(ClausePart::Word(word))),
        }))
    }

    fn deed(&self, deed: &'static str) -> Parsed<FrameDeed> {
        let (name, parts) = deed.split_once(' ').unwrap_or((deed, ""));
        let verb = match name {
            "do" => None,
            name => Some(verb_called(name)?),
        };
        Ok(FrameDeed { verb, parts: self.deed_parts(parts)? })
    }

    fn deed_parts(&self, text: &'static str) -> Parsed<ConstList<DeedPart>> {
        let mut parts = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            let (part, behind) = self.deed_part(rest)?;
            parts.push(part);
            rest = behind.trim_start();
        }
        Ok(ConstList(parts.leak()))
    }

    /// The first part of an action, and what stands behind it.
    fn deed_part(&self, text: &'static str) -> Parsed<(DeedPart, &'static str)> {
        if text.starts_with('"') {
            return self.words(text).map(|(words, rest)| (DeedPart::Text(words), rest));
        }
        let (part, behind) = text.split_once(' ').unwrap_or((text, ""));
        if let Some(label) = label(part) {
            return Ok((DeedPart::Target(self.named(label)?), behind));
        }
        let (word, rest) = behind.split_once(' ').unwrap_or((behind, ""));
        let named = || match label(word) {
            Some(label) => self.named(label),
            None => Err(format!("behind `{part}` stands `{word}`: it is a slot, such as `{{it}}`")),
        };
        let of_words: DeedOfWords = match part {
            "with" => return Ok((DeedPart::With(named()?), rest)),
            "with?" => return Ok((DeedPart::WithAny(named()?), rest)),
            "about" => DeedPart::About,
            "missing" => DeedPart::Missing,
            "text" => DeedPart::Text,
            "text?" => DeedPart::TextAny,
            "toward" => DeedPart::Toward,
            _ => {
                return Err(format!(
                    "`{part}` is no part of an action: behind it stand `{{it}}`, `with {{it}}`, `with? {{it}}`, `about …`, `missing …`, `text …`, `text? …`, `toward …` or `\"…\"`"
                ));
            }
        };
        self.words(behind).map(|(words, rest)| (of_words(words), rest))
    }

    /// Words that a meaning names, and what stands behind them: `"nod at {it}"`, `own fit`, `said`.
    fn words(&self, text: &'static str) -> Parsed<(ConstList<FrameWords>, &'static str)> {
        if let Some(quoted) = text.strip_prefix('"') {
            let closed = quoted.split_once('"');
            let (text, rest) = closed.ok_or(format!("`{text}`: a `\"` is missing at its end"))?;
            return Ok((self.quoted(text)?, rest));
        }
        let (own, text) = text.strip_prefix("own ").map_or((false, text), |text| (true, text));
        let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
        let words = match word {
            "name" if own => FrameWords::OwnName,
            name if own => FrameWords::Own(name.replace('-', " ").leak()),
            word => self.word(word)?,
        };
        Ok((list([Ok(words)])?, rest))
    }

    fn word(&self, word: &'static str) -> Parsed<FrameWords> {
        match (FrameWords::named(word), label(word)) {
            (Some(words), _) => Ok(words),
            (None, Some(label)) => Ok(FrameWords::Slot(self.slot(label)?)),
            (None, None) if word.is_empty() => {
                let known = listed(FrameWords::NAMED.iter().map(|(name, _)| *name));
                Err(format!("words are missing: a text in `\"`, a slot, a word, or {known}"))
            }
            (None, None) => Ok(FrameWords::Word(word)),
        }
    }

    /// A text with `{it}`, `{the:it}` and `{phrase}`.
    fn quoted(&self, text: &'static str) -> Parsed<ConstList<FrameWords>> {
        let mut parts = Vec::new();
        for (at, part) in text.split('{').enumerate() {
            let (name, letters) = match part.split_once('}') {
                Some(split) => split,
                None if at == 0 => ("", part),
                None => return Err(format!("`{text}`: a `}}` is missing")),
            };
            match name.strip_prefix("the:") {
                Some(label) => parts.push(FrameWords::The(self.slot(label)?)),
                None if name == "phrase" => parts.push(FrameWords::Phrase),
                None if name.is_empty() => {}
                None => parts.push(FrameWords::Slot(self.slot(name)?)),
            }
            parts.extend((!letters.is_empty()).then_some(FrameWords::Word(letters)));
        }
        Ok(ConstList(parts.leak()))
    }

    /// Reads a name in a meaning: a slot, a part of what a slot means, or a referent.
    fn named(&self, name: &'static str) -> Parsed<FrameNamed> {
        if self.labels.contains(&name) {
            return Ok(FrameNamed::Slot(name));
        }
        if let Some(named) = FrameNamed::named(name) {
            return Ok(named);
        }
        if let Some((label, features)) = name.split_once('.')
            && self.labels.contains(&label)
        {
            let feature = |feature| {
                let (feature, is_wanted) = turned(feature);
                match PhraseTest::called(feature) {
                    Some(test) => Ok((test, is_wanted)),
                    None => Err(no_feature(feature, PhraseTest::names())),
                }
            };
            return Ok(FrameNamed::SlotWith((label, list(features.split('.').map(feature))?)));
        }
        let one = |name| list([self.named(name)]);
        match name.split_once(':') {
            Some(("every", feature)) => match Feature::called(feature) {
                Some(feature) => Ok(FrameNamed::Every(feature)),
                None => Err(no_feature(feature, Feature::names())),
            },
            Some(("within", name)) => Ok(FrameNamed::Within(one(name)?)),
            Some(("all-within", name)) => Ok(FrameNamed::AllWithin(one(name)?)),
            Some(("holder", name)) => Ok(FrameNamed::Holder(one(name)?)),
            _ => {
                let referent = self.referent(name)?;
                use Referent::{Around, Beyond, Both, Contents, Name};
                if [Around, Beyond, Both, Contents, Name].contains(&referent.of) {
                    return Err(format!(
                        "`{{{name}}}` is words, and no one person or thing: it stands in a clause behind `>`"
                    ));
                }
                Ok(FrameNamed::Referent(referent))
            }
        }
    }

    fn referent(&self, name: &'static str) -> Parsed<FrameReferent> {
        let (word, argument) = name.split_once(':').unwrap_or((name, ""));
        let of = Referent::named(word).ok_or_else(|| self.no_slot(name))?;
        if of.argument() == ReferentArgument::Phrase {
            self.slot(argument)?;
        }
        let form = RowForm { labels: self.labels.clone(), ..RowForm::default() };
        checked(form, |form| form.named(name))?;
        Ok(FrameReferent { of, argument })
    }

    fn condition(&self, condition: &'static str) -> Parsed<FrameCondition> {
        let (name, behind) = condition.split_once(' ').unwrap_or((condition, ""));
        let labels: Vec<&'static str> = behind.split(' ').filter(|it| !it.is_empty()).collect();
        if let (Some(condition), true) = (FrameCondition::named(name), labels.is_empty()) {
            return Ok(condition);
        }
        Ok(match (name, labels.as_slice(), PhraseCondition::named(name)) {
            ("theirs", [label], _) => FrameCondition::Theirs(self.named(label)?),
            ("topic", [label], _) if self.labels.contains(label) => {
                FrameCondition::Topic(FrameWords::Slot(label))
            }
            ("topic", ["listener"], _) => FrameCondition::Topic(FrameWords::Listener),
            ("topic", [word], _) => FrameCondition::Topic(self.word(word)?),
            ("reticent", [label], _) => FrameCondition::Reticent(self.slot(label)?),
            ("answered", [label], _) => FrameCondition::Answered(self.slot(label)?),
            ("same", [one, other], _) => {
                FrameCondition::Same((self.named(one)?, self.named(other)?))
            }
            ("way", [word], _) => FrameCondition::Way(self.word(word)?),
            (_, labels, Some(condition)) if condition.phrases() == labels.len() => {
                let labels = list(labels.iter().map(|label| self.slot(label)))?;
                FrameCondition::Phrases((condition, labels))
            }
            (_, _, Some(of)) => {
                let count = of.phrases();
                return Err(format!(
                    "`if {condition}`: `{name}` has {count} names of slots behind it"
                ));
            }
            _ => {
                let own = FrameCondition::NAMED.iter().map(|(name, _)| *name);
                let more = ["theirs", "topic", "reticent", "answered", "same", "way"];
                let of_phrases = PhraseCondition::NAMED.iter().map(|(name, _)| *name);
                let all = listed(own.chain(more).chain(of_phrases));
                return Err(format!(
                    "there is no condition `if {condition}`: the conditions are {all}"
                ));
            }
        })
    }
}

fn label(part: &'static str) -> Option<&'static str> {
    part.strip_prefix('{')?.strip_suffix('}')
}

/// The action of this name: `put-in`.
fn verb_called(name: &str) -> Parsed<Verb> {
    let written = |name: &str| {
        let mut text = String::new();
        for letter in name.chars() {
            let is_next = letter.is_uppercase() && !text.is_empty();
            text.extend(is_next.then_some('-').into_iter().chain(letter.to_lowercase()));
        }
        text
    };
    let names: Vec<String> = Verb::NAMES.iter().map(|(name, _)| written(name)).collect();
    match names.iter().position(|known| known == name) {
        Some(at) => Ok(Verb::NAMES[at].1),
        None => Err(format!(
            "there is no action `{name}`: the actions are `do`, which is what the verb means, {}",
            listed(names.iter().map(String::as_str))
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::ParsedFrame;

    /// Compares the fault of a row with what is expected, up to where it lists the known names.
    #[track_caller]
    fn fault([phrases, frame, meaning]: [&'static str; 3], expect: &str) {
        let fault = ParsedFrame::of(phrases, frame, meaning).map(|_| ()).unwrap_err();
        let long = fault.split_once(" are `").map_or(fault.as_str(), |(what, _)| what);
        assert_eq!(if expect.contains(" are `") { &fault } else { long }, expect, "{fault}");
    }

    #[test]
    fn a_frame_with_a_wrong_part_says_what_it_may_be() {
        let of = |frame, expect| fault(["", frame, "take {it}"], expect);
        of("{hold:it}", "there is no kind of phrase `{hold}`: the kinds");
        of("{?hold:it}", "there is no kind of open slot `{?hold}`: the kinds");
        of("{?door-shut:it}", "there is no kind of open slot `{?door-shut}`: the kinds");
        of("{?held.shiny:it}", "there is no feature `shiny`: the features");
        of("{held.known:it}", "there is no feature `known`: the features");
        of(
            "{text.lit:it}",
            "`{text.lit:it}`: `{text}` is only words, which are never `lit`: another kind names something",
        );
        of("{held:it", "`{held:it`: a `}` is missing, or something stands behind it");
        of("{held.$@bodi:it}", "there is no class of words `@bodi`: is it `@body`?");
        of(
            "{held:it} $ in {to}",
            "`in` stands behind `$`, which says that nothing else is there: `$` is the last part",
        );
        of("in {held:to} _", "behind `_` stands no slot, such as `{?any:it}`, for what follows");
        of("- {held:it}", "`{held:it}` is the object, which is the first part of a frame");
        of(
            "{held:it} in|onto {held:to}",
            "`in|onto` has a word that is no preposition, so that nothing ever follows it: `@preposition` of words.tsv has them all, and `in|onto..` takes what stands behind any word",
        );
        of(
            "= of? {?whom:who} @ends-asked {?text:it}",
            "there is no class of words `@ends-asked`: is it `@ends-asked-person`?",
        );
        of(
            "= {?any:it} [on|in",
            "`[` and `]` stand once, around parts at the end that may be missing",
        );
        of("{?key-of-lock:it}", "the frame has no slot that is called `lock`: it has `it`");
    }

    #[test]
    fn a_meaning_that_names_what_its_frame_has_not_says_what_there_is() {
        let of = |meaning, expect| fault(["", "{held:it} in {holder:to}", meaning], expect);
        let no_slot = "the frame has no slot that is called `who`: it has `it`, `to`";
        for meaning in [
            "give {it} with {who}",
            "> give {it} to {who}",
            "gesture \"nod at {who}\"",
            "ask about {who}",
            "take {within:who}",
            "take {lock:who}",
            "take {it} if theirs who",
            "take {it} if reticent who",
        ] {
            of(meaning, no_slot);
        }
        of("take-in {it}", "there is no action `take-in`: the actions");
        of(
            "take {it} by {to}",
            "`by` is no part of an action: behind it stand `{it}`, `with {it}`, `with? {it}`, `about …`, `missing …`, `text …`, `text? …`, `toward …` or `\"…\"`",
        );
        of("put-in {it} with to", "behind `with` stands `to`: it is a slot, such as `{it}`");
        of("take {it} if likes it", "there is no condition `if likes it`: the conditions");
        of("take {it} if opens it", "`if opens it`: `opens` has 2 names of slots behind it");
        of("take {near:shiny}", "there is no feature `shiny`: the features");
        of(
            "take {contents:to}",
            "`{contents:to}` is words, and no one person or thing: it stands in a clause behind `>`",
        );
        of("gesture \"nod", "`\"nod`: a `\"` is missing at its end");
    }

    #[test]
    fn a_row_becomes_the_constants_that_the_chart_reads() {
        let row =
            ParsedFrame::of("..-in|!@toward", "- in|on {?any.!lit:to}", "go {to} if not dark");
        let ParsedFrame { phrases, parts, meanings } = row.unwrap();
        let constants = [format!("{phrases:?}"), format!("{parts:?}"), format!("{meanings:?}")];
        assert_eq!(
            constants,
            [
                r#"VerbPhrases { tests: ConstList(&[ConstList(&[(VerbTest::Ends(" in"), true)]), ConstList(&[(VerbTest::Word(WordTest::Class(WordClass::Toward)), false)])]), is_wanted: true }"#,
                r#"ConstList(&[FramePart::NoObject, FramePart::Slots(FrameSlots { of: SlotSource::After(ConstList(&[ConstList(&[(WordTest::Word("in"), true)]), ConstList(&[(WordTest::Word("on"), true)])])), slots: ConstList(&[FrameSlot { label: "to", kind: SlotKind::Open(OpenKind::Wanted(Any)), words: ConstList(&[]), features: ConstList(&[(SlotFeature::Phrase(PhraseTest::Entities(Feature::Suits(Lit))), false)]), is_first: false }]) })])"#,
                r#"ConstList(&[FrameMeaning { says: FrameSays::Deeds(ConstList(&[FrameDeed { verb: Some(Go), parts: ConstList(&[DeedPart::Target(FrameNamed::Slot("to"))]) }])), conditions: ConstList(&[(FrameCondition::Dark, false)]) }])"#
            ]
        );
    }

    #[test]
    fn a_phrase_of_a_verb_is_of_a_class_that_exists() {
        fault(
            ["put..|@towards", "_ {held:it}", "take {it}"],
            "there is no class of words `@towards`: is it `@toward`?",
        );
    }
}
