//! S4's prompt for the plan of a tick (§4.1). Pure.

use std::fmt::Write as _;

use super::context_text::TickContext;

/// The system's part: it never changes.
pub const TICK_SYSTEM: &str = "You are a creative story planner for an emergent narrative system.";

const TASK: &str = r#"## Your Task

Create a plan for the next scene. Consider:
1. Which open loops should be addressed or developed?
2. What information do you need to write this scene effectively?
3. Should new characters or locations be introduced?
4. How should relationships evolve?

## Output Format

Respond with a JSON object following this structure:

```json
{
  "rationale": "Brief explanation of your planning decisions",
  "scene_intention": "What should happen in this scene (1-2 sentences)",
  "pov_character": "Character ID for POV (use {active_character_id} or specify another)",
  "target_location": "Location ID where scene takes place (or null for new location)",
  "actions": [
    {
      "tool": "tool.name",
      "args": {
        "arg1": "value1"
      },
      "reason": "Why this tool is needed"
    }
  ],
  "expected_outcomes": [
    "Outcome 1",
    "Outcome 2"
  ]
}
```

## Guidelines

- Keep actions focused (2-4 tools maximum per plan)
- Use memory.search to recall relevant context
- Use character.generate only when introducing new characters
- Use relationship.create when characters first interact significantly
- Use relationship.update to track relationship changes
- Scene intention should be specific and actionable
- Expected outcomes should be concrete story developments

Generate your plan now:"#;

/// The whole prompt, as one text.
pub fn tick_prompt(context: &TickContext) -> String {
    format!("{TICK_SYSTEM}\n\n{}", tick_request(context))
}

/// The prompt below [`TICK_SYSTEM`].
pub fn tick_request(context: &TickContext) -> String {
    let id = context.active_character_id.as_deref().unwrap_or("none");
    let mut text = format!(
        "Your task is to analyze the current story state and create a plan for the next scene.\n\n\
         ## Current Story State\n\n\
         **Novel:** {}\n**Current Tick:** {}\n**Active Character:** {} ({id})\n",
        context.novel_name, context.current_tick, context.active_character_name,
    );
    let parts = [
        ("Overall Story Summary", &context.overall_summary),
        ("Recent Scenes (Detailed)", &context.recent_scenes_summary),
        ("Open Story Loops", &context.open_loops_list),
        ("Active Character Details", &context.active_character_details),
        ("Available Relationships", &context.character_relationships),
    ];
    for (title, part) in parts {
        let _ = write!(text, "\n### {title}\n{part}\n");
    }
    let _ = write!(
        text,
        "\n## Available Tools\n\nYou can use the following tools to gather information or create entities:\n\n{}\n\n",
        context.available_tools_description
    );
    text.push_str(&TASK.replace("{active_character_id}", id));
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tick::{context_text::ContextSettings, story_view::TickStory};

    /// S4 "Planner prompt template", "seven guidelines", "four questions".
    #[test]
    fn the_prompt_of_an_empty_story_is_that_of_the_specification() {
        let tools = "**memory.search** - Search\n  Args: query (str)".to_owned();
        let context = TickContext::build(&TickStory::new(), ContextSettings::default(), tools);
        insta::assert_snapshot!(tick_prompt(&context));
    }
}
