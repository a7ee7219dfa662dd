//! What a planner reads about the story before a tick (S4 §4.2), with S4's exact texts. Pure.

use super::story_view::{TickCharacter, TickLoop, TickScene, TickStory};

/// `generation.recent_scenes_count` (S4 §12).
pub const RECENT_SCENES_DEFAULT: usize = 3;

/// Most recent scenes that a context shows in detail.
pub const RECENT_SCENES_MAX: usize = 100;

/// Longest overall summary. Older scenes are condensed beyond it.
pub const SUMMARY_BYTES_MAX: usize = 6 << 10;

/// Longest text of each other part of a context.
pub const CONTEXT_PART_BYTES_MAX: usize = 8 << 10;

/// Scenes that one line of a condensed summary stands for, at most.
const CONDENSED_SCENES_MAX: u64 = 10;

/// Characters that a condensed summary keeps of a scene's first bullet.
const CONDENSED_CHARS: usize = 80;

/// The player's settings of a context.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ContextSettings {
    /// `generation.recent_scenes_count`; [`RECENT_SCENES_DEFAULT`] by default.
    pub recent_scenes: usize,
    /// `generation.include_overall_summary`; true by default.
    pub overall_summary: bool,
}

impl Default for ContextSettings {
    fn default() -> ContextSettings {
        ContextSettings { recent_scenes: RECENT_SCENES_DEFAULT, overall_summary: true }
    }
}

/// The parts of a context as texts, in the order of the prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TickContext {
    pub novel_name: String,
    pub current_tick: u64,
    pub active_character_id: Option<String>,
    pub active_character_name: String,
    /// Empty if the settings leave it out.
    pub overall_summary: String,
    pub recent_scenes_summary: String,
    pub open_loops_list: String,
    pub active_character_details: String,
    pub character_relationships: String,
    pub available_tools_description: String,
    /// Ids of the scenes that the context shows in detail.
    pub recent_scene_ids: Vec<String>,
    pub open_loops_count: usize,
}

/// The name of an active character where there is none.
const NO_CHARACTER: &str = "None";

impl TickContext {
    /// Builds the context. `tools` is the text about the available tools.
    pub fn build(story: &TickStory, settings: ContextSettings, tools: String) -> TickContext {
        let active = story.active();
        let recent = recent_scenes(&story.scenes, settings.recent_scenes);
        TickContext {
            novel_name: story.novel_name.clone(),
            current_tick: story.current_tick,
            active_character_id: story.active_character.clone(),
            active_character_name: active
                .map_or_else(|| NO_CHARACTER.to_owned(), |active| active.name.clone()),
            overall_summary: match settings.overall_summary {
                true => overall_summary(&story.scenes),
                false => String::new(),
            },
            recent_scenes_summary: recent_scenes_summary(recent),
            open_loops_list: open_loops(&story.loops),
            active_character_details: active
                .map_or_else(|| "No active character yet.".to_owned(), character_details),
            character_relationships: relationships(story, active),
            available_tools_description: clipped(tools),
            recent_scene_ids: recent.iter().map(|scene| scene.id.clone()).collect(),
            open_loops_count: story.loops.len(),
        }
    }
}

fn recent_scenes(scenes: &[TickScene], count: usize) -> &[TickScene] {
    &scenes[scenes.len().saturating_sub(count.min(RECENT_SCENES_MAX))..]
}

fn character_details(character: &TickCharacter) -> String {
    let mut parts = vec![
        format!("Name: {}", character.name),
        format!("Role: {}", character.role),
        format!("Description: {}", character.description),
    ];
    if !character.goals.is_empty() {
        parts.push(format!("Current Goals: {}", character.goals.join(", ")));
    }
    if !character.emotional_state.is_empty() {
        parts.push(format!("Emotional State: {}", character.emotional_state));
    }
    clipped(parts.join("\n"))
}

/// The first bullet of each scene. When that is too long, the older scenes share lines, and a note says so.
fn overall_summary(scenes: &[TickScene]) -> String {
    if scenes.is_empty() {
        return "Story has not yet begun.".to_owned();
    }
    let count = scenes.len();
    let bullets: Vec<(u64, &str)> = scenes
        .iter()
        .filter_map(|scene| Some((scene.tick, scene.summary.first()?.as_str())))
        .collect();
    if bullets.is_empty() {
        return format!("{count} scenes generated so far.");
    }
    let line = |(tick, bullet): &(u64, &str)| format!("Tick {tick}: {bullet}");
    let head = format!("**Story So Far** ({count} scenes):");
    let whole: Vec<String> = bullets.iter().map(line).collect();
    let bytes = whole.iter().map(|line| line.len() + 1).sum::<usize>();
    if bytes <= SUMMARY_BYTES_MAX {
        return format!("{head}\n{}", whole.join("\n"));
    }
    // Two thirds of the room are for the newest scenes, word for word.
    let mut room = SUMMARY_BYTES_MAX / 3 * 2;
    let kept = whole.iter().rev().take_while(|line| {
        let fits = line.len() < room;
        room = room.saturating_sub(line.len() + 1);
        fits
    });
    let kept = kept.count();
    let (older, newer) = bullets.split_at(bullets.len() - kept);
    let mut condensed = condensed(older);
    let mut left_out = 0;
    let mut bytes = condensed.iter().map(|line| line.len() + 1).sum::<usize>();
    while bytes > SUMMARY_BYTES_MAX / 3 && left_out < condensed.len() {
        bytes -= condensed[left_out].len() + 1;
        left_out += 1;
    }
    condensed.drain(..left_out);
    let note = match left_out {
        0 => "(older scenes are condensed)".to_owned(),
        _ => "(older scenes are condensed, the oldest are left out)".to_owned(),
    };
    let newer = newer.iter().map(line);
    let lines: Vec<String> = [head, note].into_iter().chain(condensed).chain(newer).collect();
    clipped(lines.join("\n"))
}

/// One line for every few scenes.
fn condensed(scenes: &[(u64, &str)]) -> Vec<String> {
    let size = usize::try_from(CONDENSED_SCENES_MAX).unwrap_or(usize::MAX);
    let short = |text: &str| match text.char_indices().nth(CONDENSED_CHARS) {
        Some((at, _)) => format!("{}…", text[..at].trim_end()),
        None => text.trim_end_matches('.').to_owned(),
    };
    let line = |scenes: &[(u64, &str)]| {
        let (first, last) = (scenes[0], scenes[scenes.len() - 1]);
        match scenes.len() {
            1 => format!("Tick {}: {}", first.0, short(first.1)),
            _ => format!("Ticks {}–{}: {} … {}", first.0, last.0, short(first.1), short(last.1)),
        }
    };
    scenes.chunks(size).map(line).collect()
}

fn recent_scenes_summary(recent: &[TickScene]) -> String {
    let scene = |scene: &TickScene| {
        let bullets = scene.summary.join("\n  - ");
        format!("**{}** (Tick {}):\n  - {bullets}", scene.title, scene.tick)
    };
    let scenes: Vec<String> =
        recent.iter().filter(|scene| !scene.summary.is_empty()).map(scene).collect();
    match scenes.is_empty() {
        true => "No previous scenes yet.".to_owned(),
        false => clipped_from_the_start(scenes, "\n\n"),
    }
}

fn open_loops(loops: &[TickLoop]) -> String {
    if loops.is_empty() {
        return "No open loops yet.".to_owned();
    }
    let mut sorted: Vec<&TickLoop> = loops.iter().collect();
    sorted.sort_by(|one, other| other.weight.total_cmp(&one.weight));
    let line = |one: &&TickLoop| {
        let scene = match one.created_in_scene.as_str() {
            "" => "none",
            scene => scene,
        };
        format!(
            "- [{}] {} (Category: {}, Created: Scene {scene})",
            one.importance.to_uppercase(),
            one.description,
            one.category,
        )
    };
    clipped(sorted.iter().map(line).collect::<Vec<_>>().join("\n"))
}

fn relationships(story: &TickStory, active: Option<&TickCharacter>) -> String {
    let none = "No established relationships yet.";
    let Some(active) = active else { return none.to_owned() };
    let lines: Vec<String> = story
        .relationships_of(&active.id)
        .map(|(relationship, other)| {
            let name = story.character(other).map_or(other, |other| other.name.as_str());
            format!(
                "- {name} ({}): {} [Intensity: {}/10]\n  Your view: \"{}\"",
                relationship.relationship_type,
                relationship.status,
                relationship.intensity,
                relationship.perspective(&active.id),
            )
        })
        .collect();
    if lines.is_empty() { none.to_owned() } else { clipped(lines.join("\n")) }
}

/// Cuts a text that is too long, at the end of a line.
fn clipped(text: String) -> String {
    if text.len() <= CONTEXT_PART_BYTES_MAX {
        return text;
    }
    let cut = &text[..text.floor_char_boundary(CONTEXT_PART_BYTES_MAX)];
    let cut = cut.rfind('\n').map_or(cut, |at| &cut[..at]);
    format!("{cut}\n(the rest is left out)")
}

/// Leaves out the first parts of a text that is too long: the newest count most.
fn clipped_from_the_start(parts: Vec<String>, between: &str) -> String {
    let mut parts = parts;
    let mut left_out = false;
    while parts.len() > 1
        && parts.iter().map(|part| part.len() + between.len()).sum::<usize>()
            > CONTEXT_PART_BYTES_MAX
    {
        parts.remove(0);
        left_out = true;
    }
    let text = clipped(parts.join(between));
    if left_out { format!("(older ones are left out){between}{text}") } else { text }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::tick::story_view::TickRelationship;

    fn scene(tick: u64, bullets: &[&str]) -> TickScene {
        TickScene {
            id: format!("S{tick:03}"),
            title: format!("Scene {tick}"),
            tick,
            summary: bullets.iter().map(|bullet| (*bullet).to_owned()).collect(),
            ..TickScene::default()
        }
    }

    fn context(story: &TickStory) -> TickContext {
        TickContext::build(story, ContextSettings::default(), "tools".to_owned())
    }

    /// S4 "novel_name Untitled", "current_tick 0", "active_character may be none", "Story has not yet begun.",
    /// "No previous scenes yet.", "No open loops yet.", "No established relationships yet.".
    #[test]
    fn an_empty_story_has_texts_of_its_own() {
        let found = context(&TickStory::new());
        assert_eq!(
            [
                &*found.novel_name,
                &found.active_character_name,
                &found.overall_summary,
                &found.recent_scenes_summary,
                &found.open_loops_list,
                &found.character_relationships,
            ],
            [
                "Untitled",
                "None",
                "Story has not yet begun.",
                "No previous scenes yet.",
                "No open loops yet.",
                "No established relationships yet.",
            ]
        );
        assert_eq!((found.current_tick, found.active_character_id), (0, None));
    }

    /// S4 "Context builder gathers all necessary information", "Story So Far", "Intensity", "Your view", "Current Goals",
    /// "Emotional State", "open loops", "open_loops_count".
    #[test]
    fn each_part_has_the_form_of_the_specification() {
        let elena = TickCharacter {
            id: "C0".to_owned(),
            name: "Elena".to_owned(),
            role: "archivist".to_owned(),
            description: "She keeps maps.".to_owned(),
            goals: vec!["find the map".to_owned(), "sleep".to_owned()],
            emotional_state: "uneasy".to_owned(),
            ..TickCharacter::default()
        };
        let marcus =
            TickCharacter { id: "C1".to_owned(), name: "Marcus".to_owned(), ..elena.clone() };
        let story = TickStory {
            active_character: Some("C0".to_owned()),
            current_tick: 4,
            characters: vec![elena, marcus],
            relationships: vec![TickRelationship {
                character_a: "C1".to_owned(),
                character_b: "C0".to_owned(),
                relationship_type: "mentor".to_owned(),
                status: "strained".to_owned(),
                intensity: 7,
                perspective_a: "He hides things.".to_owned(),
                perspective_b: "She is not ready.".to_owned(),
            }],
            scenes: (1..=4).map(|tick| scene(tick, &["First.", "Second."])).collect(),
            loops: vec![
                TickLoop {
                    description: "Who took the map?".to_owned(),
                    importance: "low".to_owned(),
                    category: "mystery".to_owned(),
                    created_in_scene: "S001".to_owned(),
                    weight: 1.0,
                    ..TickLoop::default()
                },
                TickLoop {
                    description: "Where is her father?".to_owned(),
                    importance: "high".to_owned(),
                    category: "family".to_owned(),
                    created_in_scene: "S002".to_owned(),
                    weight: 3.0,
                    ..TickLoop::default()
                },
            ],
            ..TickStory::new()
        };
        let found = context(&story);
        assert_eq!(found.recent_scene_ids, ["S002", "S003", "S004"]);
        assert_eq!(found.open_loops_count, 2);
        insta::assert_snapshot!(
            [
                found.overall_summary,
                found.recent_scenes_summary,
                found.open_loops_list,
                found.active_character_details,
                found.character_relationships,
            ]
            .join("\n---\n")
        );
    }

    /// S4 "recent_scenes_count", "include_overall_summary".
    #[test]
    fn both_settings_have_their_effect() {
        assert_eq!(
            ContextSettings::default(),
            ContextSettings { recent_scenes: 3, overall_summary: true }
        );
        let story = TickStory {
            scenes: (1..=4).map(|tick| scene(tick, &["It rained."])).collect(),
            ..TickStory::new()
        };
        let settings = ContextSettings { recent_scenes: 1, overall_summary: false };
        let found = TickContext::build(&story, settings, String::new());
        assert_eq!((&*found.overall_summary, found.recent_scene_ids.len()), ("", 1));
        let none = ContextSettings { recent_scenes: 0, overall_summary: true };
        let found = TickContext::build(&story, none, String::new());
        assert_eq!(found.recent_scenes_summary, "No previous scenes yet.");
    }

    /// S4 "scenes generated so far": no scene has a summary.
    #[test]
    fn scenes_without_a_summary_are_counted() {
        let story = TickStory { scenes: vec![scene(1, &[]), scene(2, &[])], ..TickStory::new() };
        let found = context(&story);
        assert_eq!(found.overall_summary, "2 scenes generated so far.");
        assert_eq!(found.recent_scenes_summary, "No previous scenes yet.");
    }

    #[test]
    fn a_long_story_is_condensed_and_says_so() {
        let bullet =
            "Elena asked the ferryman about the lamp, and he answered with a question of his own.";
        let story = TickStory {
            scenes: (1..=300).map(|tick| scene(tick, &[bullet])).collect(),
            ..TickStory::new()
        };
        let found = context(&story).overall_summary;
        assert!(
            found.starts_with("**Story So Far** (300 scenes):\n(older scenes are condensed"),
            "{found}"
        );
        assert!(found.contains("\nTicks "), "{found}");
        assert!(found.ends_with(&format!("Tick 300: {bullet}")), "{found}");
        assert!(found.len() <= SUMMARY_BYTES_MAX + 200, "{}", found.len());
    }

    proptest! {
        #[test]
        fn no_part_outgrows_its_budget(count in 0..400_usize, bullet in "\\PC{0,400}", recent in 0..200_usize) {
            let story = TickStory {
                scenes: (1..).take(count).map(|tick| scene(tick, &[&bullet])).collect(),
                ..TickStory::new()
            };
            let settings = ContextSettings { recent_scenes: recent, overall_summary: true };
            let found = TickContext::build(&story, settings, String::new());
            for part in [found.overall_summary, found.recent_scenes_summary] {
                prop_assert!(part.len() <= CONTEXT_PART_BYTES_MAX + 100, "{}", part.len());
            }
        }
    }
}
