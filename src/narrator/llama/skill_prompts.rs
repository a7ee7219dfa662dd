//! The skills' own prompts within the prompt of a plan (S0 FR-004): each keeps a guaranteed share. Pure.

use super::{
    quote::block_quote,
    token_budget::{TokenCounter, fair_shares, shorten},
};
use narratoria_skills::{PROMPT_CHARS_MAX, Skill, prompt_paragraphs};

/// More than the lines that [`PROMPT_CHARS_MAX`] characters can have.
pub(super) const PROMPT_LINES_MAX: usize = PROMPT_CHARS_MAX;

/// A line cut to fewer tokens says nothing.
const CUT_TOKENS_MIN: usize = 8;

/// A skill's prompt that did not fit whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptCut {
    pub skill: String,
    /// Its paragraphs, list items and rows.
    pub lines: usize,
    /// The lines that the model reads.
    pub kept: usize,
}

/// A skill's prompt, quoted line by line.
#[derive(Debug)]
pub(super) struct SkillPrompt {
    /// The lines that no other part of the prompt can push out.
    pub(super) guaranteed: Vec<String>,
    /// The lines that the prompt contains if they fit.
    pub(super) others: Vec<String>,
    /// True if a guaranteed line is not whole, or if the prompt is longer than a planner reads.
    pub(super) is_cut: bool,
    /// The lines of the whole prompt.
    pub(super) lines_all: usize,
}

impl SkillPrompt {
    pub(super) fn lines(&self) -> usize {
        self.guaranteed.len() + self.others.len()
    }
}

/// The prompts of these skills. All guaranteed lines together have at most `tokens_max` tokens; each skill gets as much
/// of them as any other, and more where another needs less.
pub(super) fn skill_prompts(
    skills: &[&Skill],
    tokens_max: usize,
    count: TokenCounter<'_>,
) -> Vec<SkillPrompt> {
    let prompts: Vec<SkillPrompt> = skills.iter().map(|skill| SkillPrompt::of(skill)).collect();
    let size = |prompt: &SkillPrompt| prompt.others.iter().map(|line| count(line)).sum();
    let needs: Vec<usize> = prompts.iter().map(size).collect();
    let shares = fair_shares(&needs, tokens_max);
    prompts.into_iter().zip(shares).map(|(prompt, share)| prompt.guarantee(share, count)).collect()
}

impl SkillPrompt {
    /// The paragraphs and list items, without headings and blank lines. Nothing is guaranteed yet.
    fn of(skill: &Skill) -> SkillPrompt {
        let paragraphs = prompt_paragraphs(&skill.prompt);
        let read: String = paragraphs.chars().take(PROMPT_CHARS_MAX).collect();
        let others = block_quote(&read, PROMPT_LINES_MAX, PROMPT_CHARS_MAX);
        let lines_all = paragraphs.lines().filter(|line| !line.trim().is_empty()).count();
        let is_cut = read.len() < paragraphs.len();
        SkillPrompt { guaranteed: Vec::new(), others, is_cut, lines_all }
    }

    /// The first lines within the share are guaranteed. If not even the first fits whole, it is cut.
    fn guarantee(mut self, share: usize, count: TokenCounter<'_>) -> SkillPrompt {
        let mut left = share;
        let fitting = self.others.iter().take_while(|line| {
            let size = count(line);
            let fits = size <= left;
            left -= if fits { size } else { 0 };
            fits
        });
        let fitting = fitting.count();
        self.guaranteed = self.others.drain(..fitting).collect();
        if fitting == 0 && left >= CUT_TOKENS_MIN && !self.others.is_empty() {
            let first = self.others.remove(0);
            // A token for the end of the line.
            let cut = shorten(first.trim_end(), left.saturating_sub(1), count);
            self.guaranteed.push(cut + "\n");
            self.is_cut = true;
        }
        self
    }
}
