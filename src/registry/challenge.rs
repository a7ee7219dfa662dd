//! `WWW-Authenticate`: what a registry wants to see before it answers. Pure.

/// What a registry asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum AuthChallenge {
    /// A name and a password with each request.
    Basic,
    /// A token, which another server gives out.
    Bearer { realm: String, service: Option<String> },
}

impl AuthChallenge {
    /// Reads the values of the header. A token is better than a password, which would go with each request.
    pub(crate) fn choose<'v>(values: impl Iterator<Item = &'v str>) -> Option<AuthChallenge> {
        let mut basic = None;
        for value in values {
            for scheme in schemes(value) {
                match scheme.name.to_ascii_lowercase().as_str() {
                    "bearer" => {
                        if let Some(realm) = scheme.field("realm") {
                            let service = scheme.field("service");
                            return Some(AuthChallenge::Bearer { realm, service });
                        }
                    }
                    "basic" => basic = Some(AuthChallenge::Basic),
                    _ => {}
                }
            }
        }
        basic
    }
}

/// One scheme with its fields, such as `Bearer realm="…",service="…"`.
struct AuthScheme {
    name: String,
    fields: Vec<(String, String)>,
}

impl AuthScheme {
    fn field(&self, name: &str) -> Option<String> {
        let found = self.fields.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.clone()).filter(|value| !value.is_empty())
    }
}

/// Reads a list that commas divide, in which each scheme stands before its first field. Skips what is neither.
fn schemes(header: &str) -> Vec<AuthScheme> {
    let mut found: Vec<AuthScheme> = Vec::new();
    for part in parts(header) {
        let (name, value) = match part.split_once('=') {
            // `Bearer realm="…"`; a blank behind the `=` belongs to the value.
            Some((name, value)) => (name.trim(), Some(value.trim())),
            None => (part.trim(), None),
        };
        let field = match (name.rsplit_once(char::is_whitespace), value) {
            (Some((scheme, field)), Some(_)) => {
                found.push(AuthScheme { name: scheme.trim().to_owned(), fields: Vec::new() });
                field
            }
            (None, Some(_)) => name,
            (_, None) => {
                found.push(AuthScheme { name: name.to_owned(), fields: Vec::new() });
                continue;
            }
        };
        if let (Some(scheme), Some(value)) = (found.last_mut(), value) {
            scheme.fields.push((field.to_owned(), unquoted(value)));
        }
    }
    found
}

/// The parts between commas. A comma in quotes divides nothing.
fn parts(header: &str) -> Vec<&str> {
    let (mut found, mut from, mut is_quoted, mut is_escaped) = (Vec::new(), 0, false, false);
    for (at, char) in header.char_indices() {
        match char {
            _ if is_escaped => is_escaped = false,
            '\\' if is_quoted => is_escaped = true,
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => {
                found.push(&header[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    found.push(&header[from..]);
    found.retain(|part| !part.trim().is_empty());
    found
}

fn unquoted(value: &str) -> String {
    let Some(inner) = value.strip_prefix('"') else { return value.to_owned() };
    let (mut text, mut is_escaped) = (String::new(), false);
    for char in inner.chars() {
        match char {
            _ if is_escaped => {
                is_escaped = false;
                text.push(char);
            }
            '\\' => is_escaped = true,
            '"' => break,
            char => text.push(char),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::AuthChallenge;

    fn choose(values: &[&str]) -> Option<AuthChallenge> {
        AuthChallenge::choose(values.iter().copied())
    }

    fn bearer(realm: &str, service: Option<&str>) -> Option<AuthChallenge> {
        let (realm, service) = (realm.to_owned(), service.map(str::to_owned));
        Some(AuthChallenge::Bearer { realm, service })
    }

    #[test]
    fn a_token_is_chosen_wherever_it_stands() {
        let realm = "https://auth.example/token";
        let with_service = bearer(realm, Some("registry.example"));
        for value in [
            r#"Bearer realm="https://auth.example/token",service="registry.example",scope="repository:a/b:pull,push""#,
            r#"bearer scope="a,b", service = "registry.example" , REALM="https://auth.example/token""#,
            r#"Basic realm="a, Bearer", Bearer realm="https://auth.example/token",service=registry.example"#,
            r#"Bearer realm="https://auth.ex\ample/token",service="registry.example""#,
        ] {
            assert_eq!(choose(&[value]), with_service, "{value}");
        }
        let two = [r#"Basic realm="x""#, r#"Bearer realm="https://auth.example/token""#];
        assert_eq!(choose(&two), bearer(realm, None));
    }

    #[test]
    fn what_is_no_challenge_is_none() {
        assert_eq!(choose(&[r#"Basic realm="x""#]), Some(AuthChallenge::Basic));
        assert_eq!(choose(&["Basic"]), Some(AuthChallenge::Basic));
        for value in
            ["", ",", "=", "\"", "Negotiate", "Bearer", r#"Bearer realm="""#, r#"realm="x""#]
        {
            assert_eq!(choose(&[value]), None, "{value}");
        }
    }
}
