//! `narratoria plan new`: makes a plan from a sentence or a template.

use std::collections::BTreeMap;

use narratoria_engine::{TurnError, TurnErrorKind};
use narratoria_plan::{BuildOptions, Plan};
use narratoria_protocol::Object;

use super::{check::report_plan_errors, templates};
use crate::{
    args::{InteractionArgs, PlanNewArgs},
    clock_and_ids,
    exit::Exit,
    planner::{self, PlannerSetup},
    print_document,
    settings::CliSettings,
    setup,
};
use narratoria_ui::Out;

pub(super) async fn new(args: PlanNewArgs) -> Result<Exit, TurnError> {
    match &args.template {
        Some(name) => {
            let name = name.clone();
            plan_template(args, &name)
        }
        None => plan_sentence(args).await,
    }
}

async fn plan_sentence(args: PlanNewArgs) -> Result<Exit, TurnError> {
    let settings = CliSettings::check(args.common)?;
    let look = settings.terminal.look;
    let mut err = Out::stderr(look);
    let PlannerSetup { mut planner, text, .. } =
        planner::for_command(&settings, &args.planner, &mut err)?;
    let story = args.story.as_deref().map(|name| setup::existing_story(&settings, name));
    let story = story.transpose()?;
    let skill_set =
        setup::load_skills(&settings, setup::GrantedFolders::default(), text, &mut err)?;
    skill_set.warn(&mut err);
    let chosen = args.planner.seed.seed;
    let seed = chosen.unwrap_or_else(clock_and_ids::draw_seed);
    let options = setup::options(&settings, InteractionArgs::default())?;
    let bare = skill_set.without_story(options).repeatable(chosen);
    let (stage, sentence) = (bare.stage(), args.words.join(" "));
    let json = match &story {
        Some(story) => stage.propose_plan_in_story(&mut *planner, story, &sentence, seed).await?,
        None => stage.propose_plan(&mut *planner, &Object::new(), &sentence, seed).await?,
    };
    print_document(look, &json)?;
    Ok(Exit::Done)
}

fn plan_template(args: PlanNewArgs, name: &str) -> Result<Exit, TurnError> {
    let settings = CliSettings::check(args.common)?;
    let look = settings.terminal.look;
    let mut err = Out::stderr(look);
    let template = templates::load(&settings, name)?;
    let mut values = BTreeMap::new();
    for word in &args.words {
        let (key, value) = word.split_once('=').ok_or_else(|| {
            TurnError::new(TurnErrorKind::BadInput, format!("`{word}` has no `=`"))
                .hint(format!("a template takes KEY=VALUE: {}", templates::example(&template)))
        })?;
        if values.insert(key.to_owned(), value.to_owned()).is_some() {
            let error = format!("the parameter `{key}` is given twice");
            return Err(TurnError::new(TurnErrorKind::BadInput, error));
        }
    }
    let clock_and_ids = args
        .planner
        .seed
        .seed
        .map_or_else(clock_and_ids::real, |seed| clock_and_ids::seeded(seed, ""));
    let id = (clock_and_ids.ids)().to_string();
    let json = template.fill(&values, id).map_err(templates::template_error)?;
    let skill_set =
        setup::load_skills_without_model(&settings, setup::GrantedFolders::default(), &mut err)?;
    skill_set.warn(&mut err);
    if let Err(errors) = Plan::build(json.clone(), &skill_set.catalog, &BuildOptions::default()) {
        report_plan_errors(&mut err, &format!("the template `{name}`"), &errors);
        return Ok(Exit::BadInput);
    }
    print_document(look, &json)?;
    Ok(Exit::Done)
}
