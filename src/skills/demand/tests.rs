use std::{collections::BTreeMap, path::PathBuf, time::Duration};

use proptest::prelude::*;

use super::*;
use crate::{
    WriteClaim,
    catalog::{FollowUp, Trigger},
    testing::{catalog, skill},
};

/// One thing that a generated package asks for, in one of its scripts or as a whole.
#[derive(Debug, Clone)]
enum Ask {
    Flag(Grant, usize),
    Host(String, usize),
    Variable(String, usize),
    Reads(String, usize),
    Writes(String, bool),
    Secret(String),
    SettingVariable(String),
    Fuel(u64, usize),
    Memory(u64, usize),
    Output(u64, usize),
    Time(u64, usize),
    Retries(u32),
    Priority(u8),
    Capability,
    Fallback,
}

const SCRIPTS: [&str; 2] = ["one", "two"];

impl Ask {
    /// Has the package ask for it.
    fn put_into(&self, skill: &mut Skill) {
        match self {
            Ask::Flag(grant, nth) => {
                let grants = &mut skill.scripts[*nth].grants;
                match grant {
                    Grant::Store => grants.store = true,
                    Grant::Memory => grants.memory = true,
                    Grant::Llm => grants.llm = true,
                    Grant::Assets => grants.assets = true,
                    Grant::Data => grants.data = true,
                    Grant::Campaign => grants.campaign = true,
                    Grant::Http | Grant::Env => unreachable!("these have names"),
                }
            }
            Ask::Host(host, nth) => skill.scripts[*nth].grants.http.push(host.clone()),
            Ask::Variable(name, nth) => skill.scripts[*nth].grants.env.push(name.clone()),
            Ask::Reads(pointer, nth) => skill.scripts[*nth].reads.push(pointer.clone()),
            Ask::Writes(pointer, is_shared) => {
                let claim = WriteClaim { pointer: pointer.clone(), is_shared: *is_shared };
                skill.writes.push(claim);
            }
            Ask::Secret(name) => {
                skill.secrets.push(name.clone());
                skill.config.insert(name.clone(), "hush".into());
            }
            Ask::SettingVariable(name) => {
                skill.setting_variables.insert(name.clone(), Default::default());
            }
            Ask::Fuel(fuel, nth) => skill.scripts[*nth].limits.fuel = *fuel,
            Ask::Memory(bytes, nth) => skill.scripts[*nth].limits.memory_bytes = *bytes,
            Ask::Output(bytes, nth) => skill.scripts[*nth].limits.stdout_bytes = *bytes,
            Ask::Time(seconds, nth) => {
                skill.scripts[*nth].timeout = Duration::from_secs(*seconds);
            }
            Ask::Retries(retries) => skill.retry.retries_max = *retries,
            Ask::Priority(priority) => skill.priority = *priority,
            Ask::Capability => skill.capabilities.push("dice".to_owned()),
            Ask::Fallback => {
                let fallback =
                    Trigger { script: SCRIPTS[0].to_owned(), fallback: true, ..Trigger::default() };
                skill.triggers.push(fallback);
            }
        }
    }

    /// Words that the question has to say about it.
    fn expected(&self) -> String {
        let script = |nth: &usize| SCRIPTS[*nth];
        match self {
            Ask::Flag(grant, _) => format!("(grant `{}`", grant.as_str()),
            Ask::Host(host, _) => format!("sends requests to `{host}` (grant `http`"),
            Ask::Variable(name, _) => format!("environment variable `{name}` (grant `env`"),
            Ask::Reads(pointer, _) if pointer.is_empty() => "reads the whole state".to_owned(),
            Ask::Reads(pointer, _) => format!("reads `{pointer}`"),
            Ask::Writes(pointer, true) => format!("writes `{pointer} (shared)`"),
            Ask::Writes(pointer, false) if pointer.is_empty() => {
                "writes the whole state".to_owned()
            }
            Ask::Writes(pointer, false) => format!("writes `{pointer}`"),
            Ask::Secret(name) => format!("gets your secret setting `{name}`"),
            Ask::SettingVariable(name) => {
                format!("gets the environment variable `{name}`, which your settings name")
            }
            Ask::Fuel(fuel, nth) => {
                format!("its script `{}` may use {fuel} units of fuel", script(nth))
            }
            Ask::Memory(bytes, nth) => {
                format!("its script `{}` may use {} MiB", script(nth), bytes >> 20)
            }
            Ask::Output(bytes, nth) => {
                format!("its script `{}` may write {} MiB", script(nth), bytes >> 20)
            }
            Ask::Time(seconds, nth) => {
                format!("its script `{}` may take {seconds} seconds", script(nth))
            }
            Ask::Retries(retries) => format!("tries a failed step again up to {retries} times"),
            Ask::Priority(priority) => format!("with the priority {priority}"),
            Ask::Capability => "takes over the capability `dice` from the skill `roller`".into(),
            Ask::Fallback => format!("its script `{}` answers and narrates", SCRIPTS[0]),
        }
    }
}

fn ask() -> impl Strategy<Value = Ask> {
    let flags =
        [Grant::Store, Grant::Memory, Grant::Llm, Grant::Assets, Grant::Data, Grant::Campaign];
    let nth = 0..SCRIPTS.len();
    let pointer = "(/[a-z]{1,6}){0,3}";
    prop_oneof![
        (prop::sample::select(flags.to_vec()), nth.clone())
            .prop_map(|(one, nth)| Ask::Flag(one, nth)),
        ("[a-z]{1,9}\\.example", nth.clone()).prop_map(|(host, nth)| Ask::Host(host, nth)),
        ("[A-Z_]{1,9}", nth.clone()).prop_map(|(name, nth)| Ask::Variable(name, nth)),
        (pointer, nth.clone()).prop_map(|(pointer, nth)| Ask::Reads(pointer, nth)),
        (pointer, any::<bool>()).prop_map(|(pointer, shared)| Ask::Writes(pointer, shared)),
        "[a-z]{1,9}".prop_map(Ask::Secret),
        "[A-Z_]{1,9}".prop_map(Ask::SettingVariable),
        (FUEL_DEFAULT * 2 + 1.., nth.clone()).prop_map(|(fuel, nth)| Ask::Fuel(fuel, nth)),
        (MEMORY_BYTES_DEFAULT * 2 + 1.., nth.clone())
            .prop_map(|(bytes, nth)| Ask::Memory(bytes, nth)),
        (STDOUT_BYTES_DEFAULT * 2 + 1.., nth.clone())
            .prop_map(|(bytes, nth)| Ask::Output(bytes, nth)),
        (TIMEOUT_DEFAULT.as_secs() * 2 + 1..1_000_000, nth)
            .prop_map(|(time, nth)| Ask::Time(time, nth)),
        (RetryPolicy::default().retries_max * 2 + 1..1_000).prop_map(Ask::Retries),
        (61..=100_u8).prop_map(Ask::Priority),
        Just(Ask::Capability),
        Just(Ask::Fallback),
    ]
}

/// Dice that are part of the program.
fn others() -> Catalog {
    let mut roller = skill("roller", &["roll"]);
    (roller.priority, roller.capabilities) = (60, vec!["dice".to_owned()]);
    catalog([roller])
}

fn package(asks: &[Ask]) -> Skill {
    let mut made = skill("stranger", &SCRIPTS);
    made.origin = PackageOrigin::Folder(PathBuf::from("stranger"));
    made.priority = 1;
    asks.iter().for_each(|ask| ask.put_into(&mut made));
    made
}

/// The asks of which no later one takes the place: a limit has one value.
fn lasting(asks: &[Ask]) -> Vec<Ask> {
    let place = |ask: &Ask| match ask {
        Ask::Fuel(_, nth) => format!("fuel {nth}"),
        Ask::Memory(_, nth) => format!("memory {nth}"),
        Ask::Output(_, nth) => format!("output {nth}"),
        Ask::Time(_, nth) => format!("time {nth}"),
        Ask::Retries(_) => "retries".to_owned(),
        Ask::Priority(_) => "priority".to_owned(),
        ask => format!("{ask:?}"),
    };
    let lasting: BTreeMap<String, Ask> = asks.iter().map(|ask| (place(ask), ask.clone())).collect();
    // With a high priority, a capability goes to the package.
    let is_high = asks.iter().any(|ask| matches!(ask, Ask::Priority(_)));
    let counts = |ask: &Ask| is_high || !matches!(ask, Ask::Capability);
    lasting.into_values().filter(counts).collect()
}

proptest! {
    /// Whatever a package asks for, the question says it, and says nothing that it does not ask for.
    #[test]
    fn whatever_a_package_asks_for_is_in_the_question(asks in prop::collection::vec(ask(), 0..9)) {
        let told = demands(&package(&asks), &others());
        let lines: Vec<String> = told.iter().map(Demand::to_string).collect();
        let expected: Vec<String> = lasting(&asks).iter().map(Ask::expected).collect();
        for words in &expected {
            prop_assert!(lines.iter().any(|line| line.contains(words)), "{words}: {lines:#?}");
        }
        for line in &lines {
            prop_assert!(expected.iter().any(|words| line.contains(words)), "{line}: {asks:#?}");
        }
    }

    /// An upgrade asks the player about exactly those demands that the version before did not have.
    #[test]
    fn an_upgrade_that_asks_for_more_says_what(
        before in prop::collection::vec(ask(), 0..5), more in prop::collection::vec(ask(), 1..5),
    ) {
        let next = [&before[..], &more].concat();
        let held = demands(&package(&before), &others());
        let wanted = demands(&package(&next), &others());
        let new: Vec<String> = wanted.difference(&held).map(Demand::to_string).collect();
        let old: Vec<String> = held.iter().map(Demand::to_string).collect();
        for words in lasting(&next).iter().map(Ask::expected) {
            if !old.iter().any(|line| line.contains(&words)) {
                prop_assert!(new.iter().any(|line| line.contains(&words)), "{words}: {new:#?}");
            }
        }
        for line in &new {
            prop_assert!(!old.contains(line), "{line} is not new");
        }
    }
}

#[test]
fn another_author_is_asked_about_and_the_same_one_is_not() {
    let by = |name: Option<&str>| {
        let mut made = package(&[]);
        made.author = name.map(str::to_owned);
        made
    };
    let told = |before, next| {
        other_author(&by(before), &by(next)).map(|demand| demand.to_string()).unwrap_or_default()
    };
    assert_eq!(told(Some("Mira"), Some("Mira")), "");
    assert_eq!(told(None, None), "");
    assert_eq!(told(Some("Mira"), None), "is by somebody else: nobody named; before it was Mira");
    assert_eq!(told(None, Some("Ulf")), "is by somebody else: Ulf; before it was nobody named");
}

#[test]
fn a_condition_that_reads_the_state_is_a_read() {
    let pointers = |condition: &str| state_pointers(condition).join(" ");
    assert_eq!(pointers("state.story.mood == 'grim' && steps.a.state > 1"), "/story/mood");
    assert_eq!(pointers("state.story.lastNarration.contains('x')"), "/story/lastNarration");
    assert_eq!(pointers("has(state.a) || size(state) > 1 || estate.b"), "/a ");
    assert_eq!(pointers("state['story'].mood == 'grim'"), "");
    assert_eq!(state_pointers("state['story'].mood == 'grim'"), [""]);
    assert!(state_pointers("steps.roll.total >= 11").is_empty());

    let mut made = package(&[]);
    let follow_up = FollowUp {
        id: "next".to_owned(),
        tool: "made/one".to_owned(),
        when: Some("state.story.mood == 'grim'".to_owned()),
        ..FollowUp::default()
    };
    made.triggers.push(Trigger { follow_ups: vec![follow_up], ..Trigger::default() });
    let read = |skill: &Skill| {
        demands(skill, &catalog(Vec::new())).iter().any(|it| it.kind == DemandKind::Reads)
    };
    assert!(read(&made));
    made.scripts[0].reads.push("/story".to_owned());
    assert!(conditions_read(&made).is_empty());
    made.triggers[0].if_state = Some("/plot/now".to_owned());
    made.triggers[0].unless_state = Some("/story/ended".to_owned());
    assert_eq!(conditions_read(&made), BTreeSet::from(["/plot/now".to_owned()]));
}

#[test]
fn a_script_of_another_skill_that_reads_the_state_hands_out_what_it_reads() {
    let mut teller = skill("teller", &["tell"]);
    let mut made = package(&[]);
    let follow_up = FollowUp { tool: "teller/tell".to_owned(), ..FollowUp::default() };
    made.triggers.push(Trigger { follow_ups: vec![follow_up], ..Trigger::default() });
    let asked = |teller: &Skill| lent_scripts(&made, &catalog([teller.clone()])).len();
    assert_eq!(asked(&teller), 0);
    teller.scripts[0].reads.push("/story".to_owned());
    assert_eq!(asked(&teller), 1);
}

#[test]
fn a_script_that_is_new_or_may_do_more_beside_one_that_needs_approval_is_asked_about() {
    let mut before = skill("made", &["act", "look"]);
    before.scripts[0].requires_approval = true;
    let dropped = |next: &Skill| {
        let asked = dropped_approvals(&before, next);
        asked.into_iter().map(|it| it.what).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(dropped(&before.clone()), "");
    let mut decoy = skill("made", &["act", "look", "act2"]);
    decoy.scripts[0].requires_approval = true;
    assert_eq!(dropped(&decoy), "act2");
    let mut stronger = before.clone();
    stronger.scripts[1].reads.push("/story".to_owned());
    assert_eq!(dropped(&stronger), "look");
    stronger.scripts[1].requires_approval = true;
    assert_eq!(dropped(&stronger), "");
}
