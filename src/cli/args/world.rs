//! The arguments of `narratoria world …`.

use clap::{Args, Subcommand};

use super::options::CommonArgs;

#[derive(Debug, Args)]
pub(crate) struct WorldArgs {
    #[command(subcommand)]
    pub(crate) verb: WorldCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum WorldCommand {
    /// Show how sentences are read: words, names, steps, rows, actions
    ///
    /// The sentences are read as in play, by the world of a campaign as it begins or of a story as it is. Nothing is played and
    /// nothing changes.
    Read(WorldReadArgs),
    /// Look up words, classes of words and meanings of verbs, as wordings ask for them
    ///
    /// A word is shown with its plain form, its classes and the phrases of verbs that begin with it; a class with its words; a
    /// meaning with its phrases. They are the same in every campaign.
    Words(WorldWordsArgs),
}

#[derive(Debug, Args)]
pub(crate) struct WorldWordsArgs {
    /// Word or words, `@CLASS` or `#MEANING`, such as `took`, `@direction` and `#do-take`
    #[arg(value_name = "WORD|@CLASS|#MEANING", required = true)]
    pub(crate) names: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct WorldReadArgs {
    /// Sentence as a player types it; `-` reads stdin, a sentence a line
    #[arg(value_name = "SENTENCE", required = true)]
    pub(crate) sentences: Vec<String>,
    /// Campaign whose beginning is the world: a name that `campaign list` shows, or a folder
    #[arg(long, value_name = "NAME|FOLDER", conflicts_with = "story")]
    pub(crate) campaign: Option<String>,
    /// Story whose world it is [default: the one that was played last]
    #[arg(long, value_name = "NAME")]
    pub(crate) story: Option<String>,
    /// Place to read in, as if the player stood there [default: where the player is]
    #[arg(long, value_name = "PLACE")]
    pub(crate) at: Option<String>,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}
