//! Reads a row of `grammar` into the constants of `frame_form`. What is wrong with it is said with the way out.

use english::WordClass;
use world_model::{action::Verb, want::Want};

use super::{
    frame_form::{
        AnyWord, ClausePart, DeedPart, FrameAgain, FrameCondition, FrameDeed, FrameMeaning,
        FrameNamed, FramePart, FrameReferent, FrameSays, FrameSlot, FrameSlots, FrameWords,
        OpenKind, PhraseWords, SlotFeature, SlotKind, SlotSource, TextPart, VerbPhrases, VerbTest,
    },
    pattern_form::{RowForm, listed, no_feature},
    row_form::{
        CONDITION, CONDITION_AND, ConstList, Feature, Kind, PhraseCondition, PhraseTest, Referent,
        ReferentArgument, RowName, WORD_TEST_MARKS, WordTest,
    },
};

/// What slots of words are called that a pattern keeps.
const WORD_LABELS: [&str; 3] = ["1", "2", "3"];

type Parsed<T> = Result<T, String>;
type QuotedPart = fn(ConstList<TextPart>) -> DeedPart;

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
        let mut labels = Vec::new();
        for part in parts.iter() {
            match part {
                FramePart::Slots(FrameSlots { slots, .. }) | FramePart::Pattern((_, slots)) => {
                    labels.extend(slots.iter().map(|slot| slot.label));
                }
                _ => {}
            }
        }
        for part in parts.iter() {
            if let FramePart::Slots(FrameSlots { slots, .. }) | FramePart::Pattern((_, slots)) =
                part
            {
                for slot in slots.iter() {
                    check_other(slot, &labels)?;
                }
            }
        }
        let of_row = MeaningParser { labels };
        let meanings = meaning.split(" | ").map(|meaning| of_row.meaning(meaning));
        Ok(ParsedFrame { phrases: verb_tests(phrases)?, parts, meanings: list(meanings)? })
    }
}

fn list<T>(items: impl IntoIterator<Item = Parsed<T>>) -> Parsed<ConstList<T>> {
    Ok(ConstList(items.into_iter().collect::<Parsed<Vec<T>>>()?.leak()))
}

/// A test that `!` turns round.
fn turned(text: &'static str) -> (&'static str, bool) {
    text.strip_prefix('!').map_or((text, true), |text| (text, false))
}

fn names<T>(known: &[(&'static str, T)]) -> String {
    listed(known.iter().map(|(name, _)| *name))
}

/// The phrases of the verb: `!put..|lay..`.
fn verb_tests(phrases: &'static str) -> Parsed<VerbPhrases> {
    let (tests, is_wanted) = turned(phrases);
    let tests = tests.split('|').filter(|_| !phrases.is_empty());
    let all = |all: &'static str| {
        let of_phrase = |test| {
            let (test, is_wanted) = turned(test);
            Ok((verb_test(test)?, is_wanted))
        };
        list(all.split('&').map(of_phrase))
    };
    Ok(VerbPhrases { tests: list(tests.map(all))?, is_wanted })
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

/// A test of a word that stands in a part of a row.
fn word_test(part: &str, word: &'static str) -> Parsed<WordTest<'static>> {
    let mut form = RowForm::default();
    form.word(part, word);
    match (form.list.pop(), WordTest::of(word)) {
        (None, Some(test)) => Ok(test),
        (what, _) => Err(what.unwrap_or_default()),
    }
}

/// Words with bars between them: `in|on|@hand&!left`.
fn words(part: &str, words: &'static str) -> Parsed<AnyWord> {
    let all = |all: &'static str| {
        let of_word = |word| {
            let (word, is_wanted) = turned(word);
            Ok((word_test(part, word)?, is_wanted))
        };
        list(all.split('&').map(of_word))
    };
    list(words.split('|').map(all))
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
    let mut form = RowForm::default();
    form.brackets(pattern);
    let mut slots = Vec::new();
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
    match form.list.into_iter().next() {
        Some(what) => Err(what),
        None => Ok(FramePart::Pattern((pattern, ConstList(slots.leak())))),
    }
}

/// A slot: `{?held.!lit:it}`.
fn slot(part: &'static str) -> Parsed<FrameSlot> {
    let Some(inner) = part.strip_prefix('{').and_then(|part| part.strip_suffix('}')) else {
        return Err(format!("`{part}`: a `}}` is missing, or something stands behind it"));
    };
    let (inner, is_open) = inner.strip_prefix('?').map_or((inner, false), |inner| (inner, true));
    let first = inner.split(['.', ':']).next().unwrap_or(inner);
    let (tests, label) = inner.rsplit_once(':').unwrap_or((inner, first));
    let (kind, tests) = tests.split_once('.').unwrap_or((tests, ""));
    let kind = if is_open {
        SlotKind::Open(open_kind(kind)?)
    } else {
        SlotKind::Closed(closed_kind(kind)?)
    };
    let (mut words, mut features, mut is_first) = (Vec::new(), Vec::new(), false);
    for test in tests.split('.').filter(|test| !test.is_empty()) {
        let (name, is_wanted) = turned(test);
        if name.starts_with(WORD_TEST_MARKS) {
            words.push((phrase_words(part, name)?, is_wanted));
        } else if name == "first" && is_open {
            is_first = true;
        } else {
            features.push((slot_feature(part, kind, name)?, is_wanted));
        }
    }
    Ok(FrameSlot {
        label,
        kind,
        words: ConstList(words.leak()),
        features: ConstList(features.leak()),
        is_first,
    })
}

fn closed_kind(name: &str) -> Parsed<Kind> {
    let known = || listed(Kind::names());
    Kind::called(name).ok_or_else(|| {
        format!("there is no kind of phrase `{{{name}}}`: the kinds are {}", known())
    })
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

fn slot_feature(part: &str, kind: SlotKind, name: &'static str) -> Parsed<SlotFeature> {
    let of_phrase = PhraseTest::called(name);
    match (kind, SlotFeature::named(name), of_phrase) {
        (SlotKind::Open(_), Some(feature), _) => Ok(feature),
        (SlotKind::Closed(kind), _, Some(PhraseTest::Entities(_))) if kind.is_only_words() => {
            Err(format!(
                "`{part}` is only words, which are never `{name}`: another kind names something"
            ))
        }
        (_, _, Some(test)) => Ok(SlotFeature::Phrase(test)),
        (SlotKind::Open(_), None, None) => {
            let all = SlotFeature::NAMED.iter().map(|(name, _)| *name);
            Err(no_feature(name, ["first"].into_iter().chain(all).chain(PhraseTest::names())))
        }
        (SlotKind::Closed(_), Some(_), None) => {
            Err(format!("`{part}`: only an open slot is `{name}`: write `{{?`"))
        }
        (SlotKind::Closed(_), None, None) => Err(no_feature(name, PhraseTest::names())),
    }
}

/// A slot whose kind depends on another one: that one must be there.
fn check_other(slot: &FrameSlot, labels: &[&str]) -> Parsed<()> {
    match slot.kind {
        SlotKind::Open(OpenKind::OwnedBy("listener")) => Ok(()),
        SlotKind::Open(OpenKind::KeyOf(label) | OpenKind::OwnedBy(label))
            if !labels.contains(&label) =>
        {
            Err(no_slot(label, labels))
        }
        _ => Ok(()),
    }
}

fn no_slot(label: &str, labels: &[&str]) -> String {
    let labels = match labels {
        [] => "it has no slots".to_owned(),
        labels => format!("its slots are {}", listed(labels.iter().copied())),
    };
    format!("the frame has no slot that is called `{label}`: {labels}")
}

/// Reads the meaning of a row, whose slots have these labels.
struct MeaningParser {
    labels: Vec<&'static str>,
}

impl MeaningParser {
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
        let quoted = |quoted: &'static str| match quoted.split_once('"') {
            Some((text, rest)) => Ok((self.text(text)?, rest)),
            None => Err(format!("`\"{quoted}`: a `\"` is missing at its end")),
        };
        let quotes: [(&str, QuotedPart); 3] = [
            ("\"", DeedPart::Quoted),
            ("missing \"", DeedPart::Missing),
            ("about \"", DeedPart::Topic),
        ];
        for (start, part) in quotes {
            if let Some(text) = text.strip_prefix(start) {
                let (text, rest) = quoted(text)?;
                return Ok((part(text), rest));
            }
        }
        let (part, rest) = text.split_once(' ').unwrap_or((text, ""));
        if let Some(label) = label(part) {
            return Ok((DeedPart::Target(self.named(label)?), rest));
        }
        let (word, rest) = rest.split_once(' ').unwrap_or((rest, ""));
        let named = || match label(word) {
            Some(label) => self.named(label),
            None => Err(format!("behind `{part}` stands `{word}`: it is a slot, such as `{{it}}`")),
        };
        let part = match part {
            "with" => DeedPart::With(named()?),
            "with?" => DeedPart::WithAny(named()?),
            "about" => DeedPart::About(self.words(word)?),
            "toward" => DeedPart::Toward(self.words(word)?),
            "text" if word == "own" => {
                let (name, rest) = rest.split_once(' ').unwrap_or((rest, ""));
                let part = match name {
                    "name" => DeedPart::OwnName,
                    name => DeedPart::OwnWords(name.replace('-', " ").leak()),
                };
                return Ok((part, rest));
            }
            "text" => DeedPart::Text(self.words(word)?),
            "text?" => DeedPart::TextAny(self.words(word)?),
            _ => {
                return Err(format!(
                    "`{part}` is no part of an action: behind it stand `{{it}}`, `with {{it}}`, `with? {{it}}`, `about …`, `toward …`, `text …`, `text? …`, `text own …`, `missing \"…\"` or `\"…\"`"
                ));
            }
        };
        Ok((part, rest))
    }

    /// Words that a meaning names.
    fn words(&self, word: &'static str) -> Parsed<FrameWords> {
        if let Some(words) = FrameWords::named(word) {
            return Ok(words);
        }
        match label(word) {
            Some(label) if self.labels.contains(&label) => Ok(FrameWords::Slot(label)),
            Some(label) => Err(no_slot(label, &self.labels)),
            None if word.is_empty() => {
                Err(format!("words are missing: a slot, a word, or {}", names(FrameWords::NAMED)))
            }
            None => Ok(FrameWords::Word(word)),
        }
    }

    /// A text with `{it}`, `{the:it}` and `{phrase}`.
    fn text(&self, text: &'static str) -> Parsed<ConstList<TextPart>> {
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some((before, behind)) = rest.split_once('{') {
            let Some((name, behind)) = behind.split_once('}') else {
                return Err(format!("`{text}`: a `}}` is missing"));
            };
            if !before.is_empty() {
                parts.push(TextPart::Plain(before));
            }
            let label = name.strip_prefix("the:").unwrap_or(name);
            parts.push(match TextPart::named(name) {
                Some(part) => part,
                None if !self.labels.contains(&label) => return Err(no_slot(label, &self.labels)),
                None if label == name => TextPart::Slot(label),
                None => TextPart::The(label),
            });
            rest = behind;
        }
        if !rest.is_empty() {
            parts.push(TextPart::Plain(rest));
        }
        Ok(ConstList(parts.leak()))
    }

    /// What a meaning names: a slot, some of what it means, or what is meant without a slot.
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
        let Some(of) = Referent::named(word) else { return Err(no_slot(name, &self.labels)) };
        match of.argument() {
            ReferentArgument::Nothing if argument.is_empty() => {}
            ReferentArgument::Nothing => {
                return Err(format!("`{{{name}}}`: nothing stands behind `{word}`"));
            }
            _ if argument.is_empty() => return Err(no_slot(name, &self.labels)),
            ReferentArgument::Features => {
                for feature in argument.split('.').map(turned).map(|(feature, _)| feature) {
                    if Feature::called(feature).is_none() {
                        return Err(no_feature(feature, Feature::names()));
                    }
                }
            }
            ReferentArgument::Word => drop(words(name, argument)?),
            ReferentArgument::Phrase if !self.labels.contains(&argument) => {
                return Err(no_slot(argument, &self.labels));
            }
            ReferentArgument::Phrase => {}
        }
        Ok(FrameReferent { of, argument })
    }

    fn condition(&self, condition: &'static str) -> Parsed<FrameCondition> {
        let (name, behind) = condition.split_once(' ').unwrap_or((condition, ""));
        let labels: Vec<&'static str> = behind.split(' ').filter(|it| !it.is_empty()).collect();
        let slot = |label: &'static str| match self.labels.contains(&label) {
            true => Ok(label),
            false => Err(no_slot(label, &self.labels)),
        };
        if let (Some(condition), true) = (FrameCondition::named(name), labels.is_empty()) {
            return Ok(condition);
        }
        Ok(match (name, labels.as_slice(), PhraseCondition::named(name)) {
            ("theirs", [label], _) => FrameCondition::Theirs(self.named(label)?),
            ("topic", [label], _) if self.labels.contains(label) => {
                FrameCondition::Topic(FrameWords::Slot(label))
            }
            ("topic", ["listener"], _) => FrameCondition::Topic(FrameWords::Listener),
            ("topic", [word], _) => FrameCondition::Topic(self.words(word)?),
            ("reticent", [label], _) => FrameCondition::Reticent(slot(label)?),
            ("answered", [label], _) => FrameCondition::Answered(slot(label)?),
            ("same", [one, other], _) => {
                FrameCondition::Same((self.named(one)?, self.named(other)?))
            }
            ("way", [word], _) => FrameCondition::Way(self.words(word)?),
            (_, labels, Some(condition)) if condition.phrases() == labels.len() => {
                let labels = list(labels.iter().map(|label| slot(label)))?;
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

    /// What is wrong with a row, without the lists of all names that there are.
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
        of("{held.known:it}", "`{held.known:it}`: only an open slot is `known`: write `{?`");
        of(
            "{text.lit:it}",
            "`{text.lit:it}` is only words, which are never `lit`: another kind names something",
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
        of("{?key-of-lock:it}", "the frame has no slot that is called `lock`: its slots are `it`");
    }

    #[test]
    fn a_meaning_that_names_what_its_frame_has_not_says_what_there_is() {
        let of = |meaning, expect| fault(["", "{held:it} in {holder:to}", meaning], expect);
        let no_slot = "the frame has no slot that is called `who`: its slots are `it`, `to`";
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
            "`by` is no part of an action: behind it stand `{it}`, `with {it}`, `with? {it}`, `about …`, `toward …`, `text …`, `text? …`, `text own …`, `missing \"…\"` or `\"…\"`",
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
