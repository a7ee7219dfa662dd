//! Has a model write words for the world of a new story: the words that its campaign lacks, or all that are made from
//! its premise. After a few seconds, play begins with the words that are there.

use std::time::Duration;

use narratoria_campaign::{
    CampaignWording, campaign_of_premise, campaign_with_made, compile, made_files,
};
use narratoria_engine::TurnError;
use narratoria_narrator::llama::ModelSlot;
use narratoria_story::Story;

use super::premises::premise_to_tell;
use crate::{
    campaign::{
        source::ReadCampaign,
        word_writer::WordWriter,
        words::{WordingTime, write_words},
    },
    interrupt::Interrupts,
    premise::Premise,
    settings::CliSettings,
};
use narratoria_ui::{Out, Tone, note};

/// The name of the campaign that is made from a premise to get the words of a model.
const PREMISE_CAMPAIGN: &str = "premise";

/// The model, and the longest time for which it may write.
pub(super) struct WorldWriter<'w> {
    pub(super) model: ModelSlot,
    pub(super) time: Duration,
    pub(super) interrupts: &'w Interrupts,
}

impl WorldWriter<'_> {
    /// Returns the campaign of a new story with the words of the model. Returns `None` if the story has begun or its
    /// world is made without a model, and if it has no world.
    pub(super) async fn campaign_of(
        self,
        story: &Story,
        campaign: Option<ReadCampaign>,
        premise: &Premise,
        settings: &CliSettings,
        err: &mut Out,
    ) -> Result<Option<ReadCampaign>, TurnError> {
        if self.time.is_zero() {
            return Ok(campaign);
        }
        let is_given = campaign.is_some();
        let campaign = match campaign {
            Some(campaign) => Some(campaign),
            None if story.turns_ever()? > 0 || story.campaign_heading()?.is_some() => None,
            None => premise_to_tell(premise, story.seed(), settings.plays_on_terminal())
                .and_then(|premise| of_premise(&premise, story.seed())),
        };
        let Some(mut campaign) = campaign else { return Ok(None) };
        if made_files(&campaign.parts, &|_| false).is_empty() {
            return Ok(Some(campaign));
        }
        let written = self.write(&mut campaign, settings, err).await;
        Ok((is_given || written > 0).then_some(campaign))
    }

    /// Writes the words. Returns the number of texts and names that the model wrote.
    async fn write(
        self,
        campaign: &mut ReadCampaign,
        settings: &CliSettings,
        err: &mut Out,
    ) -> usize {
        let look = settings.terminal.look;
        let time = WordingTime::from_now(self.time);
        let leave = self.interrupts.exit_token();
        let model = tokio::select! {
            biased;
            () = leave.cancelled() => return 0,
            model = tokio::time::timeout(self.time, self.model.wait()) => model,
        };
        let model = match model {
            Ok(Ok(model)) => model,
            // The loader reports why there is no model.
            Ok(Err(_)) => return 0,
            Err(_) => {
                let text = "the model was not ready in time; the texts and names of this world are by the building blocks";
                note(err, Tone::Notice, "note", text);
                return 0;
            }
        };
        let mut writer = WordWriter::Model(Box::new(model));
        let ReadCampaign { source, seed, parts, .. } = &*campaign;
        let mut wording = CampaignWording::begin(source, *seed, parts.clone());
        // A player who stops the model plays with the words that are there.
        let _ = write_words(&mut wording, &mut writer, time, self.interrupts, look).await;
        let name = writer.name();
        let (parts, tally) = wording.finish(&name);
        let whole = campaign_with_made(source, &parts);
        let Some(compiled) = compile(&whole, &campaign.name, *seed).campaign else { return 0 };
        campaign.compiled = compiled;
        let written = tally.written;
        let text = format!(
            "{written} of {} texts and names of this world are by `{name}`, the others by the building blocks",
            tally.asked
        );
        note(err, Tone::Notice, "note", &text);
        written
    }
}

/// Compiles the campaign that is made from a premise.
fn of_premise(premise: &str, seed: u64) -> Option<ReadCampaign> {
    let source = campaign_of_premise(premise, seed);
    let result = compile(&source, PREMISE_CAMPAIGN, Some(seed));
    Some(ReadCampaign {
        name: PREMISE_CAMPAIGN.to_owned(),
        seed: Some(seed),
        parts: result.parts?,
        compiled: result.campaign?,
        source,
    })
}
