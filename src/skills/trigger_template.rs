//! The template language of a trigger's `input`: `{sentence}`, `{group}`, `{group|default}`, and `{{` and `}}` for
//! braces. Pure.

/// The placeholder that every trigger may use.
pub const SENTENCE_PLACEHOLDER: &str = "sentence";

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TriggerTemplatePart {
    Text(String),
    /// The value of a named group.
    Placeholder {
        group: String,
        /// Stands in if the group matched nothing.
        default: Option<String>,
    },
}

/// Why a string is not a template.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TriggerTemplateError {
    #[error("`{{` is never closed; `{{{{` stands for a brace")]
    Unclosed,
    #[error("`}}` closes nothing; `}}}}` stands for a brace")]
    Unopened,
    #[error("`{{{name}}}` names no group: a name has letters, digits and underscores")]
    BadName { name: String },
}

/// Parses one string of a trigger's `input`.
pub fn parse_trigger_template(
    text: &str,
) -> Result<Vec<TriggerTemplatePart>, TriggerTemplateError> {
    let mut parts = Vec::new();
    let mut plain = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['{', '}']) {
        plain.push_str(&rest[..at]);
        let (brace, after) = rest[at..].split_at(1);
        if let Some(after) = after.strip_prefix(brace) {
            plain.push_str(brace);
            rest = after;
            continue;
        }
        if brace == "}" {
            return Err(TriggerTemplateError::Unopened);
        }
        let (inside, after) = after.split_once('}').ok_or(TriggerTemplateError::Unclosed)?;
        if !plain.is_empty() {
            parts.push(TriggerTemplatePart::Text(std::mem::take(&mut plain)));
        }
        parts.push(placeholder(inside)?);
        rest = after;
    }
    plain.push_str(rest);
    if !plain.is_empty() {
        parts.push(TriggerTemplatePart::Text(plain));
    }
    Ok(parts)
}

fn placeholder(inside: &str) -> Result<TriggerTemplatePart, TriggerTemplateError> {
    let (group, default) = match inside.split_once('|') {
        Some((group, default)) => (group, Some(default.to_owned())),
        None => (inside, None),
    };
    let first_fits = group.starts_with(|letter: char| letter.is_ascii_alphabetic());
    if !first_fits || !group.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_') {
        return Err(TriggerTemplateError::BadName { name: group.to_owned() });
    }
    Ok(TriggerTemplatePart::Placeholder { group: group.to_owned(), default })
}

#[cfg(test)]
mod tests {
    use super::{TriggerTemplatePart, parse_trigger_template};

    fn show(text: &str) -> String {
        match parse_trigger_template(text) {
            Ok(parts) => parts
                .iter()
                .map(|part| match part {
                    TriggerTemplatePart::Text(text) => format!("'{text}'"),
                    TriggerTemplatePart::Placeholder { group, default: None } => {
                        format!("<{group}>")
                    }
                    TriggerTemplatePart::Placeholder { group, default: Some(it) } => {
                        format!("<{group} or '{it}'>")
                    }
                })
                .collect::<Vec<_>>()
                .join(" "),
            Err(error) => format!("error: {error}"),
        }
    }

    #[test]
    fn a_template_is_text_and_placeholders() {
        let cases = [
            "plain",
            "",
            "{sentence}",
            "{count|1}d{sides|20}",
            "{skill|}",
            "{{not a group}} {x}",
            "{never",
            "stray }",
            "{}",
            "{two words}",
            "{é}",
        ];
        let table: Vec<String> =
            cases.iter().map(|case| format!("{case} => {}", show(case))).collect();
        insta::assert_snapshot!(table.join("\n"), @"
        plain => 'plain'
         => 
        {sentence} => <sentence>
        {count|1}d{sides|20} => <count or '1'> 'd' <sides or '20'>
        {skill|} => <skill or ''>
        {{not a group}} {x} => '{not a group} ' <x>
        {never => error: `{` is never closed; `{{` stands for a brace
        stray } => error: `}` closes nothing; `}}` stands for a brace
        {} => error: `{}` names no group: a name has letters, digits and underscores
        {two words} => error: `{two words}` names no group: a name has letters, digits and underscores
        {é} => error: `{é}` names no group: a name has letters, digits and underscores
        ");
    }
}
