//! `narratoria story repair`: reports what fills a story, and drops parts that cannot be read or that the player names.

use std::collections::BTreeSet;

use narratoria_engine::{TurnError, TurnErrorKind};
use narratoria_protocol::visible::visible_word;
use narratoria_skills::load;
use narratoria_story::{RepairReceipt, RepairRequest, StoryName, StoryRepair};
use serde_json::json;

use super::contents::{StateParts, StoryContents};
use crate::{
    args::{Format, StoryRepairArgs},
    clock_and_ids,
    confirm::{Agreement, confirm},
    exit::Exit,
    print_document, print_text,
    settings::CliSettings,
    setup,
};
use narratoria_ui::{Out, Tone, note, render_table};

pub(super) fn repair(args: StoryRepairArgs) -> Result<Exit, TurnError> {
    let settings = CliSettings::check(args.common)?;
    let look = settings.terminal.look;
    let mut err = Out::stderr(look);
    let name = setup::story_name(&args.story)?;
    let mut repair = StoryRepair::open(&settings.home()?.stories(), &name)?;
    let catalog = load(&setup::roots(&settings)).catalog;
    let contents = StoryContents::read(repair.story(), &catalog)?;
    let mut parts = StateParts::default();
    for skill in &args.drop_skills {
        contents.add_skill(skill, &mut parts)?;
    }
    for pointer in &args.drop_parts {
        contents.add_part(pointer, &mut parts)?;
    }
    let mut problems: Vec<String> = repair.faults().iter().map(ToString::to_string).collect();
    problems.extend(contents.problems());
    if settings.format == Format::Plain {
        print_text(look, &report(&contents, look.width))?;
    }
    for problem in &problems {
        note(&mut err, Tone::Warning, "warning", problem);
    }
    let (mut files, mut turns) = (BTreeSet::new(), Vec::new());
    if args.forget_files {
        files.extend(repair.story().damaged_files()?);
    }
    if args.accept_turns {
        turns.extend(repair.story().changed_turns()?);
    }
    let wants_drop = !args.drop_skills.is_empty() || !parts.is_empty() || !files.is_empty();
    let is_needed = wants_drop || !turns.is_empty() || !repair.faults().is_empty();
    let mut receipt = None;
    if is_needed {
        repair.hold((clock_and_ids::real().clock)())?;
        let mut lines = drops(&parts, &args.drop_skills, !repair.faults().is_empty());
        let forgotten = |path| format!("the story forgets the file `{}`", visible_word(path));
        lines.extend(files.iter().map(|path| forgotten(path)));
        lines.extend(turns.iter().map(|fault| format!("accepted: {fault}")));
        lines.iter().for_each(|line| note(&mut err, Tone::Notice, "note", line));
        agree(&name, args.yes, &settings, &mut err)?;
        receipt = Some(repair.repair(&RepairRequest {
            patch: contents.patch(&parts),
            skills: args.drop_skills.iter().cloned().collect(),
            files: files.clone(),
            accept_turns: args.accept_turns,
        })?);
    }
    match settings.format {
        Format::Plain => {
            print_text(look, &plain_ending(receipt.as_ref(), problems.is_empty()))?;
        }
        Format::Json => print_document(
            look,
            &json!({
                "story": name.as_str(),
                "stateBytes": contents.state_bytes(),
                "skills": contents.document(),
                "problems": problems,
                "dropped": parts.pointers(),
                "droppedSkills": args.drop_skills,
                "forgottenFiles": files,
                "acceptedTurns": turns,
                "backup": receipt.as_ref().map(|receipt| receipt.backup.display().to_string()),
            }),
        )?,
    }
    Ok(Exit::Done)
}

/// Asks before the story is changed. Returns an error unless a person or `--yes` agrees.
fn agree(
    name: &StoryName,
    yes: bool,
    settings: &CliSettings,
    err: &mut Out,
) -> Result<(), TurnError> {
    match confirm(&format!("Change the story `{name}`?"), yes, settings, err)? {
        Agreement::Agreed => Ok(()),
        Agreement::Declined => {
            let error = format!("the story `{name}` is as it was");
            Err(TurnError::new(TurnErrorKind::Refused, error))
        }
        Agreement::NobodyToAsk => {
            let error = format!("nobody has agreed to change the story `{name}`");
            let hint = "`--yes` agrees; a copy of the story is kept";
            Err(TurnError::new(TurnErrorKind::BadInput, error).hint(hint))
        }
    }
}

fn report(contents: &StoryContents, width: Option<usize>) -> String {
    let row = |(name, skill): (&String, &super::contents::SkillContents)| {
        [
            visible_word(name).into_owned(),
            skill.state_bytes.to_string(),
            skill.store_bytes.to_string(),
            skill.remembered.to_string(),
            if skill.is_loaded { "yes".to_owned() } else { "no".to_owned() },
        ]
    };
    let rows: Vec<[String; 5]> = contents.skills().iter().map(row).collect();
    let whole = format!("{} bytes of state\n", contents.state_bytes());
    if rows.is_empty() {
        return whole;
    }
    render_table(["SKILL", "STATE BYTES", "STORE BYTES", "TEXTS", "LOADED"], &rows, width) + &whole
}

/// The parts to drop, a line each.
fn drops(parts: &StateParts, skills: &[String], has_faults: bool) -> Vec<String> {
    let pointers = parts.pointers();
    let mut lines: Vec<String> = Vec::new();
    if !pointers.is_empty() {
        let pointers: Vec<String> =
            pointers.iter().map(|pointer| format!("`{}`", visible_word(pointer))).collect();
        lines.push(format!("these parts of the state are dropped: {}", pointers.join(", ")));
    }
    for skill in skills {
        let skill = visible_word(skill);
        lines.push(format!("the store of `{skill}` and the texts that it remembered are dropped"));
    }
    if has_faults {
        lines.push("the parts of the state that cannot be read are dropped".to_owned());
    }
    lines
}

/// Returns the last message to people. Without a receipt nothing was repaired.
fn plain_ending(receipt: Option<&RepairReceipt>, is_sound: bool) -> String {
    let Some(receipt) = receipt else {
        return if is_sound { "nothing needs a repair\n".to_owned() } else { String::new() };
    };
    let RepairReceipt { backup, store_entries, remembered, dropped_plan } = receipt;
    let plan = if *dropped_plan { "; the unfinished plan is gone too" } else { "" };
    format!(
        "repaired: {store_entries} entries of stores and {remembered} remembered texts are gone{plan}\n\
         the story as it was: {}\n",
        visible_word(&backup.display().to_string())
    )
}
