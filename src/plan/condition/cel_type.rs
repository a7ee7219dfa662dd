//! The JSON values that a part of a condition may give, as far as schemas tell before anything runs.

use narratoria_protocol::nearest::nearest;
use narratoria_skills::schema_view::{SchemaKeywords, TypeSet};
use serde_json::Value;

use super::known_names::{KnownNames, Ladder};
use narratoria_conditions::CelOperator;

/// The types of a value, and for lists and objects their content if it is known.
#[derive(Debug, Clone)]
pub(crate) struct CelType<'s> {
    pub(super) types: TypeSet,
    content: CelContent<'s>,
}

#[derive(Debug, Clone)]
enum CelContent<'s> {
    Unknown,
    Schema(SchemaKeywords<'s>),
    /// The items of a list that has no schema of its own.
    Items(Box<CelType<'s>>),
    /// A text that is a rung of this ladder.
    Rung(&'s Ladder),
    /// A text that is one of these names.
    Name(&'s KnownNames),
    /// An object with whole numbers under these names.
    Numbers(&'s KnownNames),
}

/// Keywords that extend or restrict `properties` and `items`. A condition follows none of them: beside one, it knows
/// only the types.
const COMBINING_KEYWORDS: [&str; 8] =
    ["$ref", "$dynamicRef", "anyOf", "oneOf", "allOf", "not", "if", "dependentSchemas"];

impl<'s> CelType<'s> {
    pub(crate) const UNKNOWN: CelType<'static> = CelType::of_types(TypeSet::ANY);

    pub(super) const fn of_types(types: TypeSet) -> CelType<'s> {
        CelType { types, content: CelContent::Unknown }
    }

    pub(crate) fn list_of(items: CelType<'s>) -> CelType<'s> {
        CelType { types: TypeSet::LIST, content: CelContent::Items(Box::new(items)) }
    }

    pub(super) fn rung(ladder: &'s Ladder) -> CelType<'s> {
        CelType { types: TypeSet::STRING, content: CelContent::Rung(ladder) }
    }

    pub(super) fn name(names: &'s KnownNames) -> CelType<'s> {
        CelType { types: TypeSet::STRING, content: CelContent::Name(names) }
    }

    pub(super) fn numbers(names: &'s KnownNames) -> CelType<'s> {
        CelType { types: TypeSet::OBJECT, content: CelContent::Numbers(names) }
    }

    /// Returns the ladder of which the text is a rung.
    pub(super) fn ladder(&self) -> Option<&'s Ladder> {
        match &self.content {
            CelContent::Rung(ladder) => Some(ladder),
            _ => None,
        }
    }

    /// Returns the names of which the text is one.
    pub(super) fn names(&self) -> Option<&'s KnownNames> {
        match &self.content {
            CelContent::Name(names) => Some(names),
            _ => None,
        }
    }

    /// Returns the names among the items of the list, or among the keys of the object.
    pub(super) fn member_names(&self) -> Option<&'s KnownNames> {
        match &self.content {
            CelContent::Items(items) => items.names(),
            CelContent::Numbers(names) => Some(names),
            _ => None,
        }
    }

    /// Returns the names under which the object has whole numbers.
    pub(super) fn number_names(&self) -> Option<&'s KnownNames> {
        match &self.content {
            CelContent::Numbers(names) => Some(names),
            _ => None,
        }
    }

    pub(crate) fn of_schema(schema: &'s Value) -> CelType<'s> {
        let Some(keywords) = SchemaKeywords::of(schema) else { return CelType::UNKNOWN };
        let types = keywords.allowed_types();
        if types.is_empty() {
            return CelType::UNKNOWN;
        }
        match keywords.first_of(&COMBINING_KEYWORDS) {
            Some(_) => CelType::of_types(types),
            None => CelType { types, content: CelContent::Schema(keywords) },
        }
    }

    pub(super) fn or_null(mut self) -> CelType<'s> {
        self.types = self.types | TypeSet::NULL;
        self
    }

    /// Returns the type of the field `name` of this value, which messages call `label`.
    pub(super) fn field(&self, name: &str, label: &str) -> Result<CelType<'s>, String> {
        if !self.types.intersects(TypeSet::OBJECT) {
            return Err(format!(
                "`{label}` is {} and has no field `{name}`",
                cel_words(self.types)
            ));
        }
        let CelContent::Schema(schema) = self.content else { return Ok(CelType::UNKNOWN) };
        if let Some(property) = schema.property(name) {
            return Ok(CelType::of_schema(property));
        }
        let lists_all_fields = schema.has("properties")
            && !schema.has("patternProperties")
            && matches!(schema.get("additionalProperties"), None | Some(Value::Bool(false)));
        if !lists_all_fields {
            return Ok(CelType::UNKNOWN);
        }
        let fields: Vec<&str> = schema.properties().map(|(field, _)| field).collect();
        let help = match nearest(name, &fields) {
            Some(near) => format!("did you mean `{near}`?"),
            None if fields.is_empty() => "it has no fields".to_owned(),
            None => {
                let shown = &fields[..fields.len().min(FIELDS_SHOWN_MAX)];
                format!("it has `{}`", shown.join("`, `"))
            }
        };
        Err(format!("`{label}` has no field `{name}`; {help}"))
    }

    /// Returns the type of the values that a loop over this value visits: items of a list, keys of an object.
    pub(super) fn item(&self) -> CelType<'s> {
        match (self.types.intersects(TypeSet::LIST), self.types.intersects(TypeSet::OBJECT)) {
            (true, false) => self.list_item(),
            (false, true) => match &self.content {
                CelContent::Numbers(names) => CelType::name(names),
                _ => CelType::of_types(TypeSet::STRING),
            },
            _ => CelType::UNKNOWN,
        }
    }

    fn list_item(&self) -> CelType<'s> {
        match &self.content {
            CelContent::Items(items) => (**items).clone(),
            CelContent::Schema(schema) if !schema.has("prefixItems") => {
                schema.get("items").map_or(CelType::UNKNOWN, CelType::of_schema)
            }
            _ => CelType::UNKNOWN,
        }
    }
}

/// Most fields that a message lists.
const FIELDS_SHOWN_MAX: usize = 12;

/// Returns types in the words of conditions, such as `a whole number or null`.
pub(super) fn cel_words(types: TypeSet) -> String {
    if types == TypeSet::ANY {
        return "anything".to_owned();
    }
    let number = match types & TypeSet::NUMBER {
        TypeSet::NUMBER => Some("a number"),
        TypeSet::INTEGER => Some("a whole number"),
        TypeSet::FRACTION => Some("a fractional number"),
        _ => None,
    };
    let others = [
        (TypeSet::BOOLEAN, "true or false"),
        (TypeSet::STRING, "text"),
        (TypeSet::LIST, "a list"),
        (TypeSet::OBJECT, "an object"),
        (TypeSet::NULL, "null"),
    ];
    let others = others.into_iter().filter(|(one, _)| types.intersects(*one)).map(|(_, name)| name);
    number.into_iter().chain(others).collect::<Vec<_>>().join(" or ")
}

/// Returns the types of the result for operands of these types; `None` if there can be no result.
pub(super) fn result_types(
    operator: CelOperator,
    left: TypeSet,
    right: TypeSet,
) -> Option<TypeSet> {
    let shared = left.with_all_numbers() & right.with_all_numbers();
    let some = |types: TypeSet| (!types.is_empty()).then_some(types);
    match operator {
        // Every step may be null, so any value may be compared with null.
        CelOperator::Equal | CelOperator::NotEqual => {
            let is_comparable = !shared.is_empty() || (left | right).intersects(TypeSet::NULL);
            is_comparable.then_some(TypeSet::BOOLEAN)
        }
        CelOperator::Less
        | CelOperator::LessOrEqual
        | CelOperator::Greater
        | CelOperator::GreaterOrEqual => {
            let ordered = TypeSet::NUMBER | TypeSet::STRING | TypeSet::BOOLEAN;
            shared.intersects(ordered).then_some(TypeSet::BOOLEAN)
        }
        CelOperator::Add => {
            let others = shared & (TypeSet::STRING | TypeSet::LIST);
            some(others | number_result_types(left, right))
        }
        CelOperator::Subtract | CelOperator::Multiply | CelOperator::Divide => {
            some(number_result_types(left, right))
        }
        CelOperator::Modulo => (left.intersects(TypeSet::INTEGER)
            && right.intersects(TypeSet::INTEGER))
        .then_some(TypeSet::INTEGER),
        CelOperator::In => {
            let in_map = left.intersects(TypeSet::STRING) && right.intersects(TypeSet::OBJECT);
            (in_map || right.intersects(TypeSet::LIST)).then_some(TypeSet::BOOLEAN)
        }
    }
}

/// Returns the types of a number. The result is whole only if both operands are.
fn number_result_types(left: TypeSet, right: TypeSet) -> TypeSet {
    if !left.intersects(TypeSet::NUMBER) || !right.intersects(TypeSet::NUMBER) {
        return TypeSet::NONE;
    }
    let whole = if left.intersects(TypeSet::INTEGER) && right.intersects(TypeSet::INTEGER) {
        TypeSet::INTEGER
    } else {
        TypeSet::NONE
    };
    let fractional = if (left | right).intersects(TypeSet::FRACTION) {
        TypeSet::FRACTION
    } else {
        TypeSet::NONE
    };
    whole | fractional
}
