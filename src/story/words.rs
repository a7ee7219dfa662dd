//! The words of a text for the index of memories: stems of English words, without those that say nothing about a
//! subject. Pure. A word that the stemmer does not know matches itself.

use rust_stemmers::{Algorithm, Stemmer};

/// Longest word that is indexed, in bytes. Longer ones are not words.
const WORD_BYTES_MAX: usize = 64;

/// Words that do not tell the subject of a text.
const STOP_WORDS: &str = " a about after all also am an and any anything are as at away back be because been before being \
    both but by can could did do does doing done else ever every for from get gets getting go goes going got had has have \
    having he her here hers herself him himself his how i if in into is isn it its just know let like ll made make many me \
    more most much my myself no nor not now of off on once one only or other our ours out over own please re s said same \
    say says she should so some somebody someone something still such t tell than that the their them then there these \
    they thing things this those though through to too up us ve very was way we were what whatever when where which while \
    who whom whose why will with without would yes yet you your yours ";

/// Irregular forms, which no stemmer knows, with their basic forms.
const IRREGULAR: &str = " became=become began=begin begun=begin bent=bend bit=bite bitten=bite blew=blow blown=blow born=bear \
    bought=buy bound=bind broke=break broken=break brought=bring built=build burnt=burn came=come \
    caught=catch chose=choose chosen=choose crept=creep dealt=deal drank=drink drawn=draw drew=draw \
    driven=drive drove=drive drunk=drink dug=dig dwelt=dwell ate=eat eaten=eat fallen=fall fed=feed \
    fell=fall felt=feel fled=flee flew=fly flown=fly forbade=forbid forgave=forgive forgiven=forgive \
    forgot=forget forgotten=forget fought=fight found=find froze=freeze frozen=freeze gave=give \
    given=give grew=grow grown=grow heard=hear held=hold hid=hide hidden=hide hung=hang kept=keep \
    knew=know known=know laid=lay learnt=learn led=lead left=leave lent=lend lit=light lost=lose \
    met=meet mistook=mistake paid=pay ran=run rang=ring ridden=ride risen=rise rode=ride rose=rise \
    sang=sing sank=sink sat=sit seen=see sent=send shaken=shake shone=shine shook=shake shot=shoot \
    slain=slay slept=sleep slew=slay sold=sell sought=seek spent=spend spoke=speak spoken=speak \
    stole=steal stolen=steal stood=stand struck=strike stuck=stick sung=sing sunk=sink swam=swim \
    swore=swear sworn=swear swum=swim taken=take taught=teach threw=throw thrown=throw told=tell \
    took=take tore=tear torn=tear understood=understand woke=wake woken=wake won=win wore=wear worn=wear \
    wove=weave woven=weave written=write wrote=write died=die children=child men=man women=woman \
    wolves=wolf knives=knife ";

/// Returns the stems of a text's words, in order.
pub(crate) fn stems(text: &str) -> Vec<String> {
    let stemmer = Stemmer::create(Algorithm::English);
    let words = text.split(|letter: char| !letter.is_alphanumeric());
    let words = words.filter(|word| !word.is_empty() && word.len() <= WORD_BYTES_MAX);
    let words = words.map(str::to_lowercase).filter(|word| !is_stop_word(word));
    words.map(|word| stemmer.stem(basic_form(&word)).into_owned()).collect()
}

fn basic_form(word: &str) -> &str {
    let start = IRREGULAR.find(&format!(" {word}="));
    let form = start.and_then(|start| IRREGULAR[start + 1..].split_whitespace().next());
    form.and_then(|form| form.split_once('=')).map_or(word, |(_, basic)| basic)
}

fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.contains(&format!(" {word} "))
}

/// Returns a mark such as a tag as one word that no text has: `t` and the bytes of the text in lower case.
pub(crate) fn mark(letter: char, text: &str) -> String {
    let mut mark = String::from(letter);
    for byte in text.to_lowercase().bytes() {
        mark += &format!("{byte:02x}");
    }
    mark
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_count_by_their_stems_and_those_of_no_subject_do_not() {
        assert_eq!(
            stems("Who keeps the ferries of Mira's town?"),
            ["keep", "ferri", "mira", "town"]
        );
        assert_eq!(stems("stolen, stole, steals"), ["steal", "steal", "steal"]);
        assert_eq!(stems("The — of? 7th Straße"), ["7th", "straße"]);
        assert_eq!(mark('t', "Old Tower"), mark('t', "old tower"));
    }
}
