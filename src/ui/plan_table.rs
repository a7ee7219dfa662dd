//! A plan as a table, for a person who decides whether it may run (S2 "Plan Review UI"). Pure.

use std::time::Duration;

use narratoria_plan::{
    CriterionJudge, FOR_EACH_ITEMS_DEFAULT,
    wire::{OnFailureJson, PlanJson, ToolJson},
};

use super::{
    Look, Tone,
    table::{fit_cells, render_cut_table},
    text::{cut_line, visible, visible_line},
    wrap::{wrap_prose, wrap_prose_and_words},
};

const HEADING: [&str; 5] = ["#", "STEP", "RUNS", "NEEDS", "NOTES"];

/// The columns of the step and of what it runs, and the most columns of their cells if the table does not fit.
const STEP: usize = 1;
const RUNS: usize = 2;
const CELLS: [(usize, usize); 2] = [(STEP, 18), (RUNS, 28)];

/// Columns for the steps that a step needs; a longer list gets its own line.
const NEEDS_COLUMNS: usize = 8;

/// Columns of an input if lines have no limit; [`step_view`] has all of it.
const INPUT_COLUMNS: usize = 100;

/// Indents details to the step's name.
const INDENT: &str = "     ";

/// Shorter steps do not show their time, because a person does not notice it.
const STEP_TIME_MIN: Duration = Duration::from_secs(1);

/// The facts about a plan that its text does not have. The steps are in the order of the text; for a step without an
/// entry the plan's own fields count.
#[derive(Debug, Default)]
pub struct PlanFacts {
    /// The indexes of the steps that each step waits for.
    pub needs: Vec<Vec<usize>>,
    /// The steps that need approval.
    pub asks: Vec<bool>,
    /// How long the plan may take.
    pub time: Option<ExpectedTime>,
    /// How long each step may take, if that is known.
    pub step_times: Vec<Option<Duration>>,
}

/// A time that is expected, or one that is not exceeded.
#[derive(Debug, Clone, Copy)]
pub enum ExpectedTime {
    About(Duration),
    AtMost(Duration),
}

impl ExpectedTime {
    fn words(self) -> String {
        match self {
            ExpectedTime::About(time) if time < Duration::from_secs(1) => {
                "under a second".to_owned()
            }
            ExpectedTime::About(time) => format!("about {}", rounded(time)),
            ExpectedTime::AtMost(time) => format!("at most {}", rounded(time)),
        }
    }
}

/// Returns whole seconds, and whole minutes from two minutes on; rounded up, because people wait for it.
fn rounded(time: Duration) -> String {
    let seconds = time.as_secs() + u64::from(time.subsec_nanos() > 0);
    match seconds < 120 {
        true => format!("{seconds} s"),
        false => format!("{} min", seconds.div_ceil(60)),
    }
}

/// Returns the plan before it runs.
pub fn plan_table(json: &PlanJson, facts: &PlanFacts, look: Look) -> String {
    let needs: Vec<String> = json
        .tools
        .iter()
        .enumerate()
        .map(|(at, tool)| needs_text(json, tool, facts.needs.get(at)))
        .collect();
    let mut rows: Vec<[String; 5]> = json
        .tools
        .iter()
        .enumerate()
        .map(|(at, tool)| {
            let asked = facts.asks.get(at).copied().unwrap_or(false)
                || tool.requires_approval == Some(true);
            let time = facts.step_times.get(at).copied().flatten();
            let waits = if needs[at].len() > NEEDS_COLUMNS { "…" } else { &needs[at] };
            [
                (at + 1).to_string(),
                tool.tool_id.clone(),
                tool.tool_path.clone(),
                waits.to_owned(),
                marks(tool, asked, time),
            ]
        })
        .collect();
    // On a screen long cells are cut, so that the notes stay visible; the whole name follows below the row.
    let cut = fit_cells(HEADING, &mut rows, &CELLS, look);
    let table = render_cut_table(HEADING, &rows, look.width);
    let mut lines = table.lines();
    let mut text = wrap_prose(&headline(json, facts.time), look.width);
    text.push('\n');
    if let Some(narrative) = &json.narrative {
        detail(narrative, look, &mut text);
    }
    text += &Tone::Strong.paint(lines.next().unwrap_or_default(), look.colour_out);
    text.push('\n');
    for (((line, tool), needs), cut) in lines.zip(&json.tools).zip(&needs).zip(&cut) {
        text += line;
        text.push('\n');
        for (column, what, whole) in
            [(STEP, "step", &tool.tool_id), (RUNS, "runs", &tool.tool_path)]
        {
            if cut.contains(&column) {
                detail(&format!("{what} {whole}"), look, &mut text);
            }
        }
        details(tool, needs, look, &mut text);
    }
    text
}

/// Returns one step as JSON, as it is in the plan.
pub fn step_view(tool: &ToolJson) -> String {
    let text = serde_json::to_string_pretty(tool).expect("a step holds only JSON values");
    format!("{}\n", visible(&text))
}

fn headline(json: &PlanJson, time: Option<ExpectedTime>) -> String {
    let count = match json.tools.len() {
        1 => "1 step".to_owned(),
        count => format!("{count} steps"),
    };
    let order = if json.parallel { "async ones may overlap" } else { "one after another" };
    let stop = match json.on_failure {
        Some(OnFailureJson::Stop) => ", stops at the first failure",
        Some(OnFailureJson::Continue) | None => "",
    };
    let time = time.map(|time| format!(", {}", time.words())).unwrap_or_default();
    format!("{count}, {order}{stop}{time}")
}

fn needs_text(json: &PlanJson, tool: &ToolJson, needs: Option<&Vec<usize>>) -> String {
    let written = || {
        let at = |id: &String| json.tools.iter().position(|other| other.tool_id == *id);
        tool.dependencies.iter().filter_map(at).collect()
    };
    let needs = needs.cloned().unwrap_or_else(written);
    needs.iter().map(|need| (need + 1).to_string()).collect::<Vec<_>>().join(" ")
}

fn marks(tool: &ToolJson, asked: bool, time: Option<Duration>) -> String {
    let time = time.filter(|time| *time >= STEP_TIME_MIN && !tool.skip);
    let time = time.map(|time| ExpectedTime::About(time).words()).unwrap_or_default();
    [
        (tool.skip, "skipped"),
        (asked, "! approval"),
        (tool.is_async == Some(true), "async"),
        (tool.required == Some(false), "optional"),
        (!time.is_empty(), time.as_str()),
    ]
    .into_iter()
    .filter_map(|(holds, word)| holds.then_some(word))
    .collect::<Vec<_>>()
    .join(" ")
}

fn details(tool: &ToolJson, needs: &str, look: Look, text: &mut String) {
    if let Some(description) = &tool.description {
        detail(description, look, text);
    }
    if needs.len() > NEEDS_COLUMNS {
        detail(&format!("needs {needs}"), look, text);
    }
    if let Some(when) = &tool.when {
        detail(&format!("when {when}"), look, text);
    }
    if let Some(items) = &tool.for_each {
        let items = items.as_str().map_or_else(|| items.to_string(), str::to_owned);
        let items_max = tool.max_items.map_or(FOR_EACH_ITEMS_DEFAULT, |max| max as usize);
        detail(&format!("for each of {items}, at most {items_max}"), look, text);
    }
    for criterion in &tool.acceptance_criteria {
        let by = match criterion.judge() {
            CriterionJudge::Expect | CriterionJudge::Condition => "the host checks it",
            CriterionJudge::Model | CriterionJudge::Player => "a model or you judge it",
        };
        detail(&format!("must hold: {} ({by})", criterion.text()), look, text);
    }
    if !tool.input.is_empty() {
        let input = serde_json::to_string(&tool.input).expect("an input is JSON");
        let room = look.width.unwrap_or(INPUT_COLUMNS).saturating_sub(INDENT.len());
        let line = cut_line(&visible_line(&input), room, look.ascii);
        aside(&line, look, text);
    }
}

/// Adds a detail, wrapped at its indent. A word that is wider than the screen goes on in the next line.
fn detail(words: &str, look: Look, text: &mut String) {
    let room = look.width.map(|width| width.saturating_sub(INDENT.len()));
    let wrapped = wrap_prose_and_words(&visible_line(words), room);
    wrapped.lines().for_each(|line| aside(line, look, text));
}

fn aside(line: &str, look: Look, text: &mut String) {
    text.push_str(INDENT);
    text.push_str(&Tone::Notice.paint(line, look.colour_out));
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use narratoria_plan::PlanJson;
    use serde_json::{Value, json};
    use unicode_width::UnicodeWidthStr;

    use super::{Duration, ExpectedTime, PlanFacts, plan_table, step_view};
    use crate::Look;

    fn plan(tools: Value) -> PlanJson {
        serde_json::from_value(json!({
            "requestId": "3f0c6a52-8d1e-4b7a-9c55-2f6e1d0b7a11",
            "narrative": "You lean towards the old door.",
            "parallel": true,
            "onFailure": "stop",
            "tools": tools,
        }))
        .unwrap()
    }

    fn burn() -> PlanJson {
        plan(json!([
            {"toolId": "light", "toolPath": "item-keeper/use-item", "async": true,
                "input": {"item": "torch", "action": "light"}, "description": "Light the torch"},
            {"toolId": "roll", "toolPath": "capability:dice", "required": false, "dependencies": ["light"],
                "when": "steps.light.lit && state.door != 'open'", "input": {}},
            {"toolId": "burn", "toolPath": "fire/burn", "requiresApproval": true,
                "acceptanceCriteria": ["nobody coughs", {"text": "it burns", "holds": "output.lit"}],
                "forEach": "$light.doors", "maxItems": 4, "input": {"door": "$item", "reason":
                "because it is there, and because nobody who could be asked has ever come back from it"}},
            {"toolId": "tell", "toolPath": "storyteller/narrate", "skip": true,
                "dependencies": ["roll", "burn"]},
        ]))
    }

    /// S2 "Plan Review UI", S3 `acceptanceCriteria`.
    #[test]
    fn a_plan_is_a_table_with_the_facts_for_a_decision() {
        let look = Look { width: Some(72), ..Look::default() };
        let facts = PlanFacts {
            needs: vec![vec![], vec![0], vec![0], vec![1, 2]],
            asks: vec![true],
            ..PlanFacts::default()
        };
        insta::assert_snapshot!(plan_table(&burn(), &facts, look), @r#"
        4 steps, async ones may overlap, stops at the first failure
             You lean towards the old door.
        #  STEP   RUNS                  NEEDS  NOTES
        1  light  item-keeper/use-item         ! approval async
             Light the torch
             {"item":"torch","action":"light"}
        2  roll   capability:dice       1      optional
             when steps.light.lit && state.door != 'open'
        3  burn   fire/burn             1      ! approval
             for each of $light.doors, at most 4
             must hold: nobody coughs (a model or you judge it)
             must hold: it burns (the host checks it)
             {"door":"$item","reason":"because it is there, and because nobody…
        4  tell   storyteller/narrate   2 3    skipped
        "#);
    }

    #[test]
    fn a_pipe_gets_full_cells_and_the_plans_own_fields() {
        let facts = PlanFacts::default();
        insta::assert_snapshot!(plan_table(&burn(), &facts, Look::default()), @r#"
        4 steps, async ones may overlap, stops at the first failure
             You lean towards the old door.
        #  STEP   RUNS                  NEEDS  NOTES
        1  light  item-keeper/use-item         async
             Light the torch
             {"item":"torch","action":"light"}
        2  roll   capability:dice       1      optional
             when steps.light.lit && state.door != 'open'
        3  burn   fire/burn                    ! approval
             for each of $light.doors, at most 4
             must hold: nobody coughs (a model or you judge it)
             must hold: it burns (the host checks it)
             {"door":"$item","reason":"because it is there, and because nobody who could be asked has ever…
        4  tell   storyteller/narrate   2 3    skipped
        "#);
    }

    #[test]
    fn the_largest_plan_fits_a_small_screen() {
        let tools: Vec<Value> = (0..256)
            .map(|at| {
                let needs: Vec<String> = (0..at).map(|need| format!("step-{need}")).collect();
                json!({"toolId": format!("step-{at}"), "toolPath": "x".repeat(70), "dependencies": needs,
                    "description": "\u{1b}[2Jword ".repeat(9), "input": {"text": "y".repeat(500)}})
            })
            .collect();
        for width in [20, 40, 100] {
            let look = Look { width: Some(width), ..Look::default() };
            let text = plan_table(&plan(json!(tools)), &PlanFacts::default(), look);
            assert!(text.lines().all(|line| line.width() <= width), "{width}: {text}");
            assert!(!text.contains('\u{1b}'));
            let letters: String = text.split_whitespace().collect();
            assert!(letters.contains(&format!("runs{}", "x".repeat(70))), "{width}: {text}");
            let rows = text.split_once("\n#").unwrap().1;
            for number in 1..=256 {
                let starts = rows.lines().filter(|line| line.starts_with(&format!("{number} ")));
                assert_eq!(starts.count(), 1, "step {number} at {width}");
            }
        }
    }

    #[test]
    fn a_name_that_does_not_fit_is_shown_whole_below_its_step() {
        let path = "character-portraits-of-the-harbour/draw-portrait";
        let plan = plan(json!([{"toolId": "draw", "toolPath": path, "input": {}}]));
        let seen = |width: usize| {
            let look = Look { width: Some(width), ..Look::default() };
            let text = plan_table(&plan, &PlanFacts::default(), look);
            let table = text.lines().skip_while(|line| !line.starts_with('#'));
            table.collect::<Vec<_>>().join("\n")
        };
        insta::assert_snapshot!(seen(80), @"
        #  STEP  RUNS                                              NEEDS  NOTES
        1  draw  character-portraits-of-the-harbour/draw-portrait
        ");
        insta::assert_snapshot!(seen(40), @"
        #  STEP  RUNS…
        1  draw  character-portraits-of-the-…
             runs
             character-portraits-of-the-harbour/
             draw-portrait
        ");
    }

    /// S2 `estimatedDuration`: before the player starts it.
    #[test]
    fn a_plan_says_how_long_it_may_take() {
        let (ms, mut facts) = (Duration::from_millis, PlanFacts::default());
        facts.step_times = vec![Some(ms(999)), None, Some(ms(4_200)), Some(ms(4_200))];
        let mut headline = |time| {
            facts.time = Some(time);
            let text = plan_table(&burn(), &facts, Look::default());
            text.lines().next().unwrap().rsplit_once(", ").unwrap().1.to_owned()
        };
        assert_eq!(headline(ExpectedTime::About(ms(12))), "under a second");
        assert_eq!(headline(ExpectedTime::About(ms(4_200))), "about 5 s");
        assert_eq!(headline(ExpectedTime::AtMost(ms(60_000))), "at most 60 s");
        assert_eq!(headline(ExpectedTime::AtMost(ms(130_000))), "at most 3 min");
        let text = plan_table(&burn(), &facts, Look::default());
        let timed = text.lines().filter(|line| line.ends_with(" about 5 s"));
        assert_eq!(timed.count(), 1, "neither a short step nor one that is skipped: {text}");
    }

    #[test]
    fn one_step_is_shown_as_json() {
        insta::assert_snapshot!(step_view(&burn().tools[3]), @r#"
        {
          "toolId": "tell",
          "toolPath": "storyteller/narrate",
          "input": {},
          "dependencies": [
            "roll",
            "burn"
          ],
          "skip": true
        }
        "#);
    }
}
