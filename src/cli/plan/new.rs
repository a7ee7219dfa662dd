//! `narratoria plan new`: a plan of a sentence, or of a template.

use std::collections::BTreeMap;

use narratoria::{
    engine::{ErrorKind, TurnError},
    plan::{BuildOptions, Plan},
    protocol::Object,
};

use super::{check::tell, templates};
use crate::{
    cli::{
        args::{PeopleArgs, PlanNewArgs},
        exit::Exit,
        narrator::{self, Narrator},
        print_document,
        settings::Settings,
        setup, world,
    },
    ui::Out,
};

pub(super) async fn new(args: PlanNewArgs) -> Result<Exit, TurnError> {
    match &args.template {
        Some(name) => {
            let name = name.clone();
            of_template(args, &name)
        }
        None => of_sentence(args).await,
    }
}

async fn of_sentence(args: PlanNewArgs) -> Result<Exit, TurnError> {
    let settings = Settings::check(args.common)?;
    let look = settings.terminal.look;
    let mut err = Out::stderr(look);
    let Narrator { mut planner, text, .. } = narrator::at_once(&settings, &args.planner, &mut err)?;
    let kit = setup::kit(&settings, None, text, &mut err)?;
    kit.warn(&mut err);
    let chosen = args.planner.seed.seed;
    let seed = chosen.unwrap_or_else(setup::draw_seed);
    let options = setup::options(&settings, PeopleArgs::default());
    let (bare, state) = (kit.without_story(options).repeatable(chosen), Object::new());
    let sentence = args.words.join(" ");
    let json = bare.stage().propose_plan(&mut *planner, &state, &sentence, seed).await?;
    print_document(look, &json)?;
    Ok(Exit::Done)
}

fn of_template(args: PlanNewArgs, name: &str) -> Result<Exit, TurnError> {
    let settings = Settings::check(args.common)?;
    let look = settings.terminal.look;
    let mut err = Out::stderr(look);
    let template = templates::load(&settings, name)?;
    let mut values = BTreeMap::new();
    for word in &args.words {
        let (key, value) = word.split_once('=').ok_or_else(|| {
            TurnError::new(ErrorKind::BadInput, format!("`{word}` has no `=`"))
                .hint(format!("a template takes KEY=VALUE: {}", templates::example(&template)))
        })?;
        if values.insert(key.to_owned(), value.to_owned()).is_some() {
            let error = format!("the parameter `{key}` is given twice");
            return Err(TurnError::new(ErrorKind::BadInput, error));
        }
    }
    let world = args.planner.seed.seed.map_or_else(world::real, |seed| world::seeded(seed, ""));
    let id = (world.ids)().to_string();
    let json = template.fill(&values, id).map_err(templates::template_error)?;
    let kit = setup::kit_without_model(&settings, None, &mut err)?;
    kit.warn(&mut err);
    if let Err(errors) = Plan::build(json.clone(), &kit.catalog, &BuildOptions::default()) {
        tell(&mut err, &format!("the template `{name}`"), &errors);
        return Ok(Exit::BadInput);
    }
    print_document(look, &json)?;
    Ok(Exit::Done)
}
