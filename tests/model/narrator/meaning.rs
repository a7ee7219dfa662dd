//! Memories that are found by their meaning: with a model whose words of one group mean the same, and, measured, with a
//! real one.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

use jiff::Timestamp;
use narratoria_model::llm::EmbeddingModel;
use narratoria_protocol::{EntityId, EntityKind, Memory, MemoryQuery, TextEmbedder};
use narratoria_story::{StoreRow, Story, StoryName, TurnOutcome, TurnRecord};
use narratoria_vectors::EmbedderLoader;

use crate::memory_dataset::dataset;

/// Facts and questions that share no word that tells.
const PARAPHRASES: &[(&str, &str)] = &[
    (
        "The ferryman's boy went through the ice two winters ago.",
        "How did the old boatman lose his son?",
    ),
    (
        "Oda hides her savings under the third step of the cellar.",
        "Where is the money kept secretly?",
    ),
    (
        "The baker refuses to sell anything to the mill people.",
        "Which shopkeeper will not serve those from the mill?",
    ),
    ("A grey mare was foaled in the chapel during the storm.", "Where did the horse give birth?"),
    ("Father Anselm has been drinking the altar wine.", "Which priest has a problem with alcohol?"),
    (
        "The well behind the school tastes of iron since spring.",
        "Why can nobody use the water near the classroom?",
    ),
    (
        "Captain Ruk cannot read, and pretends that his eyes are bad.",
        "What is the officer's secret about letters?",
    ),
    (
        "The twins swapped beds on the night of the burglary.",
        "What did the two siblings do when the thieves came?",
    ),
    (
        "A blue lantern in the tower means that smugglers are expected.",
        "What is the signal for illegal goods arriving by night?",
    ),
    ("Fenna sold her hair to pay for the doctor.", "How was the physician's bill settled?"),
    (
        "The mayor's speech was written by his daughter.",
        "Who really composes what the head of the town says?",
    ),
    (
        "Nobody has rung the bell since the rope hanged a man.",
        "Why is the church silent on Sundays?",
    ),
    ("The orchard belongs to three brothers who do not speak.", "Who owns the apple trees?"),
    (
        "Petra knows the way through the marsh blindfolded.",
        "Which guide could cross the swamp in the dark?",
    ),
    ("The schoolmistress keeps a loaded pistol in her desk.", "Does the teacher have a weapon?"),
    ("It was the cook who put the sleeping powder in the soup.", "Who drugged the dinner?"),
    ("Yorick won his house in a game of cards.", "How did he come to his home by gambling?"),
    (
        "The statue in the square has lost its head three times.",
        "Which monument keeps being damaged?",
    ),
    ("Sable cannot swim and will not say so.", "Who is afraid of drowning but hides it?"),
    ("The treaty was signed on the back of a menu.", "On what was the peace agreement put down?"),
    (
        "Every Thursday a parcel without a sender arrives at the inn.",
        "What mysterious mail comes each week?",
    ),
    ("The glassblower is deaf in his left ear.", "Which craftsman has trouble hearing?"),
    ("Gideon proposed to Ilse on the burning bridge.", "When did he ask her to marry him?"),
    (
        "The old maps leave out the island on purpose.",
        "What piece of land was kept off the charts?",
    ),
    ("Wolves have been seen inside the city wall.", "Which wild animals came into town?"),
    ("The judge's wig is made of goat.", "What does the magistrate wear on his head?"),
    (
        "Leopold snores so loudly that the guards moved his cell.",
        "Why was the prisoner put somewhere else?",
    ),
    ("The midwife delivered both kings.", "Who helped the two monarchs into the world?"),
    (
        "A crack runs through the dam, and the keeper plugs it with wax.",
        "What is wrong with the wall that holds the lake?",
    ),
    (
        "Hanno paints portraits of people who are not there.",
        "What does the artist make pictures of?",
    ),
];

/// The loader of a model file.
fn loader(path: &Path) -> EmbedderLoader {
    let path = path.to_owned();
    Box::new(move || {
        let model = EmbeddingModel::load(&path).map_err(|error| error.to_string())?;
        Ok(Arc::new(model) as Arc<dyn TextEmbedder>)
    })
}

fn open(root: &Path) -> Story {
    let name = StoryName::parse("quest").unwrap();
    Story::open(root, &name, Timestamp::UNIX_EPOCH, 1).unwrap()
}

/// A turn that remembers these from this number on.
fn remember(story: &mut Story, summaries: &[&str], from: u64) {
    let rows = (from..).zip(summaries).map(|(number, summary)| {
        let memory = Memory { summary: (*summary).to_owned(), turn: 1, ..Memory::default() };
        StoreRow::entity(EntityId::new(EntityKind::Memory, number), &memory)
    });
    let record = TurnRecord {
        prompt: "go".to_owned(),
        narration: "You go.".to_owned(),
        outcome: TurnOutcome::Narrated,
        choices: vec![],
        patches: vec![],
        plans: vec![],
        assets: vec![],
        store_writes: rows.collect(),
        seed: 7,
        started_at: Timestamp::UNIX_EPOCH,
        finished_at: Timestamp::UNIX_EPOCH,
    };
    story.commit(&record).unwrap();
}

fn found(story: &Story, words: &str, limit: usize) -> Vec<String> {
    let query = MemoryQuery { words: words.to_owned(), limit, ..MemoryQuery::default() };
    story.search_memories(&query).unwrap().into_iter().map(|hit| hit.memory.summary).collect()
}

fn model_of_meanings(folder: &Path) -> PathBuf {
    let path = folder.join("meanings.gguf");
    let groups: &[&[&str]] = &[
        &["boat", "ship", "vessel"],
        &["hid", "concealed", "secret"],
        &["cake", "pastry"],
        &["lighthouse", "tower"],
    ];
    narratoria_models::embedding(&path, groups, 1).unwrap();
    path
}

#[test]
fn a_question_without_a_word_of_the_memory_finds_it_by_its_meaning() {
    let root = tempfile::tempdir().unwrap();
    let path = model_of_meanings(root.path());
    let mut story = open(root.path());
    remember(&mut story, &["Mira hid the boat.", "Tolk ate the cake."], 1);
    assert_eq!(found(&story, "a concealed vessel", 3), Vec::<String>::new());
    story.search_by_meaning(loader(&path), None);
    assert_eq!(found(&story, "a concealed vessel", 3), ["Mira hid the boat."]);
    assert_eq!(found(&story, "pastry", 1), ["Tolk ate the cake."]);
    // What has the words and the meaning comes before what has one of them.
    remember(&mut story, &["The vessel is at sea."], 3);
    assert_eq!(found(&story, "vessel", 2), ["The vessel is at sea.", "Mira hid the boat."]);
}

#[test]
fn a_memory_that_is_undone_is_not_found_and_its_number_means_the_next_one() {
    let root = tempfile::tempdir().unwrap();
    let path = model_of_meanings(root.path());
    let mut story = open(root.path());
    story.search_by_meaning(loader(&path), Some(&root.path().join("vectors")));
    remember(&mut story, &["Tolk ate the cake."], 1);
    remember(&mut story, &["Mira hid the boat."], 2);
    assert_eq!(found(&story, "ship", 3), ["Mira hid the boat."]);
    story.undo(1).unwrap();
    assert_eq!(found(&story, "ship", 3), Vec::<String>::new());
    remember(&mut story, &["The tower is dark."], 2);
    assert_eq!(found(&story, "lighthouse", 3), ["The tower is dark."]);
    assert_eq!(found(&story, "ship", 3), Vec::<String>::new());
}

#[test]
fn without_its_model_a_story_is_searched_by_words() {
    let root = tempfile::tempdir().unwrap();
    let mut story = open(root.path());
    story.search_by_meaning(loader(&root.path().join("none.gguf")), None);
    remember(&mut story, &["Mira hid the boat."], 1);
    assert_eq!(found(&story, "boat", 3), ["Mira hid the boat."]);
    assert_eq!(found(&story, "ship", 3), Vec::<String>::new());
}

/// `make recall`
#[test]
#[ignore = "it needs a real model, in NARRATORIA_EMBEDDING_MODEL, and measures"]
fn recall_of_ten_thousand_memories_by_words_and_by_meaning() {
    let model = std::env::var_os("NARRATORIA_EMBEDDING_MODEL").unwrap();
    let (mut questions, mut all) = dataset(10_000 - PARAPHRASES.len());
    let plain = questions.len();
    for (fact, question) in PARAPHRASES {
        questions.push(((*question).to_owned(), (*fact).to_owned()));
        all.push((*fact).to_owned());
    }
    let root = tempfile::tempdir().unwrap();
    let mut story = open(root.path());
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    remember(&mut story, &all, 1);
    report("words", &story, &questions, plain);
    story.search_by_meaning(loader(Path::new(&model)), Some(&root.path().join("vectors")));
    let started = Instant::now();
    let mut searches = 0;
    while story.memories_without_vector().unwrap() > 0 {
        found(&story, "the lighthouse", 1);
        searches += 1;
    }
    eprintln!("all vectors after {searches} searches, {:?}", started.elapsed());
    let right = report("words and meaning", &story, &questions, plain);
    assert!(right * 100 >= questions.len() * 90, "{right} of {}", questions.len());
}

#[expect(clippy::print_stderr, reason = "it measures")]
fn report(by: &str, story: &Story, questions: &[(String, String)], plain: usize) -> usize {
    let mut took: Vec<Duration> = Vec::new();
    let right: Vec<bool> = questions
        .iter()
        .map(|(question, fact)| {
            let started = Instant::now();
            let found = found(story, question, 3);
            took.push(started.elapsed());
            found.contains(fact)
        })
        .collect();
    took.sort();
    let count = |of: &[bool]| of.iter().filter(|is_right| **is_right).count();
    eprintln!(
        "{by}: {} of {plain} with words in common, {} of {} without; p50 {:?}, p95 {:?}",
        count(&right[..plain]),
        count(&right[plain..]),
        questions.len() - plain,
        took[took.len() / 2],
        took[took.len() * 95 / 100]
    );
    count(&right)
}
