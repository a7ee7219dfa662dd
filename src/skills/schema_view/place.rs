//! All schema objects that judge one value: references followed, `allOf` merged, `anyOf` and `oneOf` kept as
//! choices.

use serde_json::Value;

use super::SchemaKeywords;

/// Most references that are followed for one value. A longer chain, or a schema that refers to itself, would
/// never end.
const PLACE_REFERENCES_MAX: usize = 32;

/// Most schema objects that judge one value, references followed. Hand-written schemas have a dozen.
pub(super) const PLACE_SCHEMAS_MAX: usize = 512;

/// Most distinct ways to make all choices of one place. A place with more accepts any value.
pub(super) const ALTERNATIVES_MAX: usize = 64;

/// Most choices that are made on the way to the alternatives: branches that accept nothing leave no alternative
/// and cost time all the same.
const CHOICES_MADE_MAX: usize = 512;

/// A choice that is still to be made: a value meets one of these branches.
#[derive(Debug, Clone, Copy)]
pub struct SchemaChoice<'s> {
    pub branches: &'s [Value],
    /// True if a value may meet no more than one branch (`oneOf`).
    pub is_exclusive: bool,
}

/// Something at a place that was not read. The schema may forbid more than the objects of the place say.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SchemaGap {
    /// `false`. Nothing is unknown here: no value fits.
    #[error("accepts no value")]
    AcceptsNothing,
    /// A part with an `$id` is a document of its own: its references mean something else.
    #[error("has an `$id` of its own")]
    OwnId,
    #[error("refers to {reference}, which is no place of the same schema")]
    UnknownReference { reference: String },
    /// The reference was followed before on the way to this place.
    #[error("refers to itself")]
    SelfReference,
    #[error("chains more than {PLACE_REFERENCES_MAX} references")]
    TooManyReferences,
    #[error("has more than {PLACE_SCHEMAS_MAX} schemas in one place")]
    TooManySchemas,
}

/// Everything that a document says about one value.
///
/// A value that meets the schemas which the place was made from meets every object in [`objects`] and, of each
/// choice, at least one branch. The other way round holds only for a place without gaps, and only as far as the
/// caller reads every keyword of the objects: the place itself reads `$ref`, `$id`, `allOf`, `anyOf` and `oneOf`.
///
/// [`objects`]: SchemaPlace::objects
#[derive(Debug, Clone)]
pub struct SchemaPlace<'s> {
    document: &'s Value,
    objects: Vec<SchemaKeywords<'s>>,
    choices: Vec<SchemaChoice<'s>>,
    gaps: Vec<SchemaGap>,
    /// Targets of the references that lead here.
    followed: Vec<&'s Value>,
}

impl<'s> SchemaPlace<'s> {
    /// The place of the whole value.
    pub fn root(document: &'s Value) -> SchemaPlace<'s> {
        let mut place = SchemaPlace::empty(document);
        place.followed.push(document);
        place.require(document);
        place
    }

    /// The place of a value that all of these parts of the document judge. It does not know how the caller came to
    /// them, so it follows a reference to a schema that surrounds them.
    pub fn all_of(document: &'s Value, schemas: &[&'s Value]) -> SchemaPlace<'s> {
        let mut place = SchemaPlace::empty(document);
        schemas.iter().for_each(|schema| place.require(schema));
        place
    }

    fn empty(document: &'s Value) -> SchemaPlace<'s> {
        let (objects, choices, gaps, followed) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        SchemaPlace { document, objects, choices, gaps, followed }
    }

    /// The place of a field or an item that these schemas judge, for a caller that descends to the end of every
    /// value: a reference that already led here is a gap, so that the descent ends.
    pub fn inner(&self, schemas: &[&'s Value]) -> SchemaPlace<'s> {
        let followed = self.followed.clone();
        let mut place = SchemaPlace { followed, ..SchemaPlace::empty(self.document) };
        schemas.iter().for_each(|schema| place.require(schema));
        place
    }

    /// The place with a branch of one of its choices.
    pub fn with_branch(&self, branch: &'s Value) -> SchemaPlace<'s> {
        let mut place = self.clone();
        place.require(branch);
        place
    }

    /// The last choice that is still to be made. The caller makes it, in the ways it needs, with
    /// [`SchemaPlace::with_branch`].
    pub fn take_choice(&mut self) -> Option<SchemaChoice<'s>> {
        self.choices.pop()
    }

    pub fn choices(&self) -> &[SchemaChoice<'s>] {
        &self.choices
    }

    /// The objects that judge the value, outer ones before those that they lead to.
    pub fn objects(&self) -> &[SchemaKeywords<'s>] {
        &self.objects
    }

    /// The parts that were not read, in the order of the text.
    pub fn gaps(&self) -> &[SchemaGap] {
        &self.gaps
    }

    pub(super) fn document(&self) -> &'s Value {
        self.document
    }

    fn accepts_nothing(&self) -> bool {
        self.gaps.contains(&SchemaGap::AcceptsNothing)
    }

    /// Adds a schema that the value must meet too.
    fn require(&mut self, schema: &'s Value) {
        let keywords = match SchemaKeywords::of(schema) {
            Some(keywords) => keywords,
            None if *schema == Value::Bool(false) => {
                return self.gaps.push(SchemaGap::AcceptsNothing);
            }
            None => return,
        };
        if keywords.has("$id") && !std::ptr::eq(schema, self.document) {
            return self.gaps.push(SchemaGap::OwnId);
        }
        if self.objects.len() >= PLACE_SCHEMAS_MAX {
            return self.gaps.push(SchemaGap::TooManySchemas);
        }
        self.objects.push(keywords);
        if let Some(reference) = keywords.get("$ref") {
            self.follow(reference);
        }
        keywords.array("allOf").iter().for_each(|part| self.require(part));
        for (keyword, is_exclusive) in [("anyOf", false), ("oneOf", true)] {
            if keywords.has(keyword) {
                self.choices.push(SchemaChoice { branches: keywords.array(keyword), is_exclusive });
            }
        }
    }

    fn follow(&mut self, reference: &Value) {
        let Some(target) = resolve(self.document, reference) else {
            return self
                .gaps
                .push(SchemaGap::UnknownReference { reference: reference.to_string() });
        };
        if self.followed.iter().any(|followed| std::ptr::eq(*followed, target)) {
            return self.gaps.push(SchemaGap::SelfReference);
        }
        if self.followed.len() > PLACE_REFERENCES_MAX {
            return self.gaps.push(SchemaGap::TooManyReferences);
        }
        self.followed.push(target);
        self.require(target);
    }

    /// Returns every way to make all choices, without those that accept nothing. A value that meets the place meets at
    /// least one of them. Returns `None` if there are too many.
    pub(super) fn alternatives(self) -> Option<Vec<SchemaPlace<'s>>> {
        let (mut open, mut decided, mut choices_made) = (vec![self], Vec::new(), 0);
        while let Some(mut place) = open.pop() {
            let Some(choice) = place.take_choice() else {
                decided.push(place);
                continue;
            };
            choices_made += 1;
            let alternatives = open.len() + decided.len() + choice.branches.len();
            if choices_made > CHOICES_MADE_MAX || alternatives > ALTERNATIVES_MAX {
                return None;
            }
            open.extend(choice.branches.iter().rev().map(|branch| place.with_branch(branch)));
            open.retain(|place| !place.accepts_nothing());
        }
        decided.retain(|place| !place.accepts_nothing());
        Some(decided)
    }

    /// The objects of this place and of every branch of its choices. This is neither more nor less than the
    /// schema accepts: it is for a guess at what the author had in mind, which the validator then judges.
    pub fn objects_of_all_branches(mut self) -> Vec<SchemaKeywords<'s>> {
        while !self.choices.is_empty() {
            let choice = self.choices.remove(0);
            choice.branches.iter().for_each(|branch| self.require(branch));
        }
        self.objects
    }
}

/// The part of the document that `$ref` names. Only JSON pointers whose base is the document itself are read.
pub fn resolve<'s>(document: &'s Value, reference: &Value) -> Option<&'s Value> {
    // Percent signs encode letters; hand-written references do without.
    let pointer = reference.as_str()?.strip_prefix('#').filter(|text| !text.contains('%'))?;
    if !pointer.is_empty() && !pointer.starts_with('/') {
        return None;
    }
    let mut part = document;
    for token in pointer.split('/').skip(1) {
        if part.get("$id").is_some() && !std::ptr::eq(part, document) {
            return None;
        }
        part = part.pointer(&format!("/{token}"))?;
    }
    Some(part)
}
