//! The Skills extension: installed skills as entries with the digests of their files (`io.modelcontextprotocol/skills`). What a
//! skill says is untrusted text; a client shows it to its player before it follows it.

use narratoria_skills::SkillGuide;
use rmcp::model::{Skill, SkillFrontmatter, SkillResource, SkillResources};

use crate::addresses::{SKILL_MD, skill_file_uri};

/// Time that a client may keep an entry: a package may be installed at any time.
pub(crate) const FRESH_MS: u64 = 10_000;

/// Returns the entry of a skill, unless its name is one that the extension does not take.
fn entry(guide: &SkillGuide) -> Option<Skill> {
    let front_matter: SkillFrontmatter = serde_json::from_value(guide.front_matter.clone()).ok()?;
    let files = guide.files.iter().map(|file| {
        let digest = format!("sha256:{}", file.sha256);
        SkillResource::new(skill_file_uri(&guide.name, &file.path), digest, file.bytes)
    });
    let files = SkillResources::Files(files.collect());
    let skill = Skill::new(skill_file_uri(&guide.name, SKILL_MD), front_matter, files);
    skill.validate().is_ok().then_some(skill)
}

/// The entries of all skills.
pub(crate) fn entries(guides: &[SkillGuide]) -> Vec<Skill> {
    guides.iter().filter_map(entry).collect()
}

#[cfg(test)]
mod tests {
    use narratoria_skills::{GuideFile, SkillGuide};
    use serde_json::json;

    use super::entries;

    #[test]
    fn an_entry_has_the_front_matter_and_every_file_with_its_digest() {
        let file =
            |path: &str| GuideFile { path: path.to_owned(), bytes: 3, sha256: "ab".repeat(32) };
        let front_matter = json!({"name": "glück", "description": "Luck.", "x": [1]});
        let guide = SkillGuide {
            name: "glück".to_owned(),
            front_matter: front_matter.clone(),
            files: vec![file("SKILL.md"), file("assets/a b.txt")],
        };
        let odd = SkillGuide {
            name: "Odd".to_owned(),
            front_matter: json!({"name": "Odd", "description": "A name of another form."}),
            files: vec![file("SKILL.md")],
        };
        let digest = format!("sha256:{}", "ab".repeat(32));
        let entry = json!({
            "uri": "skill://gl%C3%BCck/SKILL.md",
            "frontmatter": front_matter,
            "resources": [
                {"uri": "skill://gl%C3%BCck/SKILL.md", "digest": digest, "size": 3},
                {"uri": "skill://gl%C3%BCck/assets/a%20b.txt", "digest": digest, "size": 3},
            ],
        });
        assert_eq!(json!(entries(&[guide, odd])), json!([entry]));
    }
}
