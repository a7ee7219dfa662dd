//! One clause as actions, whoever says it: speech, questions, gestures, then the verb.

use english::WordClass;
use world_model::{
    action::{Action, Verb},
    entity::NamedId,
    world::World,
};

use crate::{
    clause::{
        conversation, errands, evidence,
        orders::{attempts, with_last},
        own_wordings, speech,
        tails::plain,
        verbless::{self, handed, without_verb},
    },
    grammar::{
        asked::{AskedFor, asked},
        built::{self, Built},
        chart, questions,
    },
    meaning::Trouble,
    names::{nouns::is_name_alone, travel},
    own_verbs,
    rows::{
        plainer,
        sentence_rows::{self, ClauseKind},
    },
    sentence::{clauses::SentenceClause, person},
    trace::{self, NO_VERB},
    words::{
        leads::{self, strip},
        lexicon::{self, Meaning},
        tokens::{self, Token, word_at},
    },
};

/// Reads a clause into actions, by the first reader that takes it.
pub(crate) fn read_clause(
    world: &World,
    sentence: &SentenceClause,
    person: Option<NamedId>,
) -> Result<Vec<Action>, Trouble> {
    let in_own_words = own_wordings::as_said(world, sentence);
    let said = in_own_words.as_ref().unwrap_or(sentence);
    as_it_stands(world, said, person).unwrap_or_else(|| {
        let forms = ClauseForms::of(world, said, person);
        let read = READERS.iter().find_map(|read| read(&forms));
        read.unwrap_or_else(|| read_verb(&forms))
    })
}

/// Reads a quotation, a verb of the author and a request, which need the clause word for word.
fn as_it_stands(world: &World, said: &SentenceClause, person: Option<NamedId>) -> Option<Built> {
    let own = || own_verbs::read(world, &tokens::text_of(strip(&said.tokens)));
    let actions = speech::quoted(world, &said.tokens, person).or_else(own);
    actions.map(Ok).or_else(|| conversation::by_frames(world, "asking", said, person))
}

/// The readers that are tried in this order, before a clause is read as a verb with its objects.
const READERS: [fn(&ClauseForms) -> Option<Built>; 9] = [
    nothing_left,
    |forms| travel::read_way(forms.world, forms.bare()).map(|way| Ok(vec![way])),
    read_question,
    |forms| errands::errand(forms.world, forms.question()).map(Ok),
    // `scratch my head`, `close my eyes`: a gesture whatever the verb is.
    |forms| questions::by_frames(forms.world, "bodily", forms.question(), chart::read).map(Ok),
    shown_here,
    asked_politely,
    // `drain tunnel` drains nothing where a place has this name.
    |forms| {
        let is_place = forms.has_verb()
            && forms.ordered().len() > 1
            && travel::is_place_name(forms.world, forms.ordered());
        is_place.then(|| forms.without_verb())
    },
    |forms| {
        let is_name = !forms.has_verb() && is_name_alone(forms.world, forms.ordered());
        is_name.then(|| forms.without_verb())
    },
];

/// A clause in the forms in which it is read, each plainer than the one before.
struct ClauseForms<'w> {
    world: &'w World,
    said: &'w SentenceClause,
    /// Who is spoken to.
    person: Option<NamedId>,
    /// In plainer words, without adverbs and tails, with a plain verb.
    plain: Vec<Token>,
    /// `plain` with a verb for its noun: `look at the plant` for `take a look at the plant`. `None` if no such noun is in it.
    by_noun: Option<Vec<Token>>,
    /// Where a question begins in the bare clause: `what is in the cabinet` of `see what is in the cabinet`.
    question_at: usize,
    /// The question, or the bare clause, with its objects moved behind its verb. `None` if they stand there already.
    reordered: Option<Vec<Token>>,
}

impl<'w> ClauseForms<'w> {
    fn of(world: &'w World, said: &'w SentenceClause, person: Option<NamedId>) -> ClauseForms<'w> {
        let clause = plain(world, &said.tokens);
        trace::stage("adverbs and tails", &clause);
        let clause = person::with_plain_verb(world, clause);
        trace::stage("plain verb", &clause);
        let plain = plainer::plainer(world, strip(&clause), said.is_asked).unwrap_or(clause);
        let by_noun = plainer::light_verb(world, strip(&plain));
        let mut forms =
            ClauseForms { world, said, person, plain, by_noun, question_at: 0, reordered: None };
        trace::stage("bare clause", forms.bare());
        forms.question_at = question_at(forms.bare());
        forms.reordered = with_last(world, forms.question());
        forms
    }

    /// The clause from its verb on, without what only leads to it.
    fn bare(&self) -> &[Token] {
        self.by_noun.as_deref().unwrap_or_else(|| strip(&self.plain))
    }

    /// The bare clause, or the question in it.
    fn question(&self) -> &[Token] {
        &self.bare()[self.question_at..]
    }

    /// The same with its objects behind its verb.
    fn ordered(&self) -> &[Token] {
        self.reordered.as_deref().unwrap_or_else(|| self.question())
    }

    fn has_verb(&self) -> bool {
        english::is_verb(self.ordered().first().map(Token::word).unwrap_or_default())
    }

    fn without_verb(&self) -> Built {
        without_verb(self.world, &self.plain, self.ordered())
    }
}

/// `I reach out` only leads to what is then taken.
fn nothing_left(forms: &ClauseForms) -> Option<Built> {
    (forms.bare().is_empty() && !forms.plain.is_empty()).then(|| Ok(Vec::new()))
}

/// `here is the book`.
fn shown_here(forms: &ClauseForms) -> Option<Built> {
    let [here, is, rest @ ..] = forms.question() else { return None };
    let is_shown = ["here", "there"].contains(&here.word()) && is.is(WordClass::IsOrAre);
    is_shown.then(|| handed(forms.world, rest, forms.person))
}

/// `the jar, please`.
fn asked_politely(forms: &ClauseForms) -> Option<Built> {
    let is_polite = forms.said.tokens.last().is_some_and(|last| last.word() == "please");
    let is_asked = is_polite && !forms.has_verb();
    is_asked.then(|| verbless::asked_politely(forms.world, forms.ordered())).flatten()
}

/// A question, or something that is said to somebody.
fn read_question(forms: &ClauseForms) -> Option<Built> {
    let ClauseForms { world, person, .. } = *forms;
    let whole = if forms.question_at > 0 { forms.question() } else { &forms.plain };
    let parts = [whole, forms.question()];
    let of_narrator = |part| questions::by_frames(world, "narrator question", part, chart::read);
    let narrator = || parts.into_iter().filter(|_| person.is_none()).find_map(of_narrator).map(Ok);
    let asked = || parts.into_iter().find_map(|part| read_asked(world, part, person));
    let heard = SentenceClause {
        tokens: forms.plain.clone(),
        is_asked: forms.said.is_asked,
        is_called: forms.said.is_called,
        ..SentenceClause::default()
    };
    let said = || conversation::said(world, "said", &heard, person).map(Ok);
    narrator().or_else(asked).or_else(said).or_else(|| read_noun_question(world, &heard, parts))
}

/// A question without a noun: what the program answers, or a sense.
fn read_asked(world: &World, part: &[Token], person: Option<NamedId>) -> Option<Built> {
    let asked = asked(world, part, chart::read)?;
    (person.is_none() || !tokens::has(part, "you")).then(|| match asked {
        AskedFor::Do(verb) => Ok(vec![Action::new(verb)]),
        AskedFor::Help => Err(Trouble::Unknown),
        AskedFor::Sense(sense) => Ok(vec![Action::new(Verb::Gesture).text(sense)]),
    })
}

/// A question with a noun.
fn read_noun_question(
    world: &World,
    heard: &SentenceClause,
    parts: [&[Token]; 2],
) -> Option<Built> {
    // `would it be possible to go out` asks nothing.
    let leads = |part: &[Token]| {
        let len = leads::length_of(part);
        len.is_some_and(|len| len > 3 && english::is_verb(word_at(part, len)))
    };
    let mut asking = parts.into_iter().filter(|part| !leads(part));
    let read = asking.find_map(|part| questions::noun_question(world, part, chart::read));
    let is_asked = |actions: &Vec<Action>| actions.iter().all(|one| one.action == Verb::Ask);
    let is_denial = sentence_rows::is(world, ClauseKind::Denial, &heard.tokens);
    read.filter(|actions| !is_denial || !is_asked(actions)).map(Ok)
}

/// What it costs that the words are taken in a later order, or by a later phrase of the verb, such as a shorter one: more than that
/// a thing does not suit the verb, since what cannot be done was said all the same, and less than that nothing here is called so.
const LATER_ORDER: u32 = 4;
const LATER_PHRASE: u32 = 5;

/// What it costs that a gesture is told in the player's own words, and those stand in another order.
const GARBLED: u32 = 8;

/// A reading of a clause by one of its verbs.
struct VerbReading {
    cost: u32,
    actions: Vec<Action>,
}

/// A clause by its verb: of all orders of its words and all phrases of their verbs the reading that costs least.
fn read_verb(forms: &ClauseForms) -> Built {
    let (world, ordered) = (forms.world, forms.ordered());
    let (mut trouble, mut best, mut aimless) = (Trouble::Unknown, None::<VerbReading>, None);
    for (order, attempt) in (0..).zip(attempts(world, ordered)) {
        for (phrase, verb) in (0..).zip(lexicon::verbs_at_start(&attempt)) {
            match verb.meaning {
                Meaning::Again if !world.again.is_empty() => return Ok(world.again.clone()),
                Meaning::Again | Meaning::Help if verb.rest.is_empty() => {
                    return Err(Trouble::Unknown);
                }
                Meaning::Again | Meaning::Help => continue,
                // `take the hand bell` takes no hand.
                Meaning::Gesture(_) if tears_name(world, &verb) => continue,
                _ => {}
            }
            let least = order * LATER_ORDER + phrase * LATER_PHRASE;
            if best.as_ref().is_some_and(|best| best.cost <= least) {
                continue;
            }
            let built = chart::ranked(world, &verb);
            trace::verb_tried(world, (&verb.phrase, &verb.rest), &built);
            let (cost, actions) = match built {
                Ok(read) => read,
                Err(Trouble::Unclear(ids)) if trouble == Trouble::Unknown => {
                    trouble = Trouble::Unclear(ids);
                    continue;
                }
                Err(_) => continue,
            };
            let Some(actions) = completed(world, &actions) else {
                aimless = aimless.or(Some(actions));
                continue;
            };
            // The player's own words are told as they stand.
            let is_told = |action: &Action| action.action == Verb::Gesture;
            let is_garbled = order > 0 && actions.iter().all(is_told);
            let cost = least + cost + if is_garbled { GARBLED } else { 0 };
            if best.as_ref().is_none_or(|best| cost < best.cost) {
                best = Some(VerbReading { cost, actions });
            }
        }
    }
    let is_whole = |actions: &[Action]| actions.iter().all(|action| action.missing.is_none());
    match (best, trouble) {
        (Some(best), _) if is_whole(&best.actions) => Ok(best.actions),
        (_, Trouble::Unclear(ids)) => Err(Trouble::Unclear(ids)),
        (Some(best), _) => Ok(best.actions),
        (None, _) => {
            let unread = forms.without_verb();
            if let Ok(actions) = &unread {
                trace::actions(NO_VERB, actions);
            }
            unread.or_else(|trouble| aimless.ok_or(trouble))
        }
    }
}

/// The actions with what nobody names, if there is one thing that each of them can mean.
fn completed(world: &World, actions: &[Action]) -> Option<Vec<Action>> {
    let whole = actions.iter().map(|action| match built::is_aimless(action) {
        true => evidence::completed(world, action),
        false => Some(action.clone()),
    });
    whole.collect()
}

/// Returns true if the last word of a phrase and the word behind it are both in one name of something that is here.
fn tears_name(world: &World, verb: &lexicon::ClauseVerb) -> bool {
    let Some((_, last)) = verb.phrase.rsplit_once(' ') else { return false };
    let next = verb.rest.first().map(Token::word).unwrap_or_default();
    let has_both = |name: &Vec<String>| {
        name.iter().zip(name.iter().skip(1)).any(|(one, other)| one == last && other == next)
    };
    !next.is_empty() && world.seen().any(|id| world.names(id).iter().any(has_both))
}

/// Where the question begins in `see what is in the cabinet` and `check whether the door is locked`; 0 for other clauses.
fn question_at(clause: &[Token]) -> usize {
    let word = |n: usize| word_at(clause, n);
    let at = match (word(0), word(1)) {
        ("find", "out") | ("figure", "out") | ("look", "to") => 2,
        ("see" | "check" | "look" | "watch" | "learn" | "ask" | "know" | "hear", _) => 1,
        ("wonder", "what") if ["under", "in", "behind", "inside"].contains(&word(3)) => 1,
        _ => return 0,
    };
    // `see if there is anything in the drain`.
    let is_anything = WordClass::IfOrWhether.has(word(at))
        && ["there", "anything", "something"].contains(&word(at + 1));
    let asks = ["what", "where", "who", "which", "how"].contains(&word(at)) && word(0) != "ask";
    match (is_anything, asks && clause.len() > at + 1) {
        (true, _) => at + 1,
        (false, true) => at,
        (false, false) => 0,
    }
}
