//! `narratoria campaign list`: the campaigns that can be played.

use narratoria_engine::TurnError;
use serde_json::{Value, json};

use super::source::{self, CampaignCard, FoundCampaign};
use crate::{
    args::{CampaignListArgs, CommonArgs, Format},
    exit::Exit,
    print_document, print_text,
    settings::CliSettings,
};
use narratoria_ui::render_table;

/// The campaigns that can be played, as a document.
pub(crate) fn campaigns_document(settings: &CliSettings) -> Value {
    let rows: Vec<Value> = source::all(settings).iter().map(document).collect();
    json!({"campaigns": rows})
}

pub(super) fn list(args: &CampaignListArgs) -> Result<Exit, TurnError> {
    let settings = CliSettings::check(CommonArgs { skills: Vec::new(), format: args.format })?;
    let look = settings.terminal.look;
    match args.format {
        Format::Json => print_document(look, &campaigns_document(&settings))?,
        Format::Plain => {
            let rows: Vec<[String; 6]> = source::all(&settings).iter().map(row).collect();
            let heading = ["NAME", "TITLE", "GENRE", "TIME", "FROM", "AUTHOR"];
            print_text(look, &render_table(heading, &rows, look.width))?;
        }
    }
    Ok(Exit::Done)
}

fn row(campaign: &FoundCampaign) -> [String; 6] {
    let card = campaign.card();
    let (genre, author) = (card.genre.clone(), card.author.clone());
    [
        campaign.name.clone(),
        card.title.clone(),
        genre.unwrap_or_default(),
        playtime(&card),
        campaign.origin().to_owned(),
        author.unwrap_or_default(),
    ]
}

/// `2–3 h` would be better than `2.5 h`, but the manifest has one number.
pub(crate) fn playtime(card: &CampaignCard) -> String {
    match card.playtime_hours {
        Some(hours) if hours > 0.0 && hours < 1.0 => format!("{:.0} min", hours * 60.0),
        Some(hours) if (1.0..1_000.0).contains(&hours) => format!("{hours} h"),
        _ => String::new(),
    }
}

fn document(campaign: &FoundCampaign) -> Value {
    let card = campaign.card();
    json!({
        "name": campaign.name,
        "title": card.title,
        "version": card.version,
        "author": card.author,
        "description": card.description,
        "genre": card.genre,
        "playtimeHours": card.playtime_hours,
        "cover": card.cover,
        "origin": campaign.origin(),
    })
}

#[cfg(test)]
mod tests {
    use super::{CampaignCard, playtime};

    #[test]
    fn a_playtime_is_told_in_minutes_or_hours() {
        let told =
            |hours| playtime(&CampaignCard { playtime_hours: hours, ..CampaignCard::default() });
        let all = [Some(0.5), Some(1.0), Some(2.5), Some(-1.0), Some(f64::MAX), None];
        assert_eq!(all.map(told), ["30 min", "1 h", "2.5 h", "", "", ""]);
    }
}
