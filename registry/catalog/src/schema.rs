//! JSON Schemas, and what is wrong with a value, fault by fault.

use std::error::Error;
use std::fmt;

use boon::{Compiler, SchemaIndex, Schemas, UrlLoader, ValidationError};
pub use boon::{ErrorKind, Type, Types};
use serde_json::Value;

/// What a schema is called while it is compiled; nothing is looked up there.
const ADDRESS: &str = "https://schema.invalid/";

/// A schema, compiled once.
pub struct Schema {
    schemas: Schemas,
    root: SchemaIndex,
}

/// One thing that is wrong with a value. It is shown as a sentence.
#[derive(Debug)]
pub struct Fault<'a> {
    /// Where, as a JSON pointer: empty for the whole value, and for a bad name
    /// of a key.
    pub place: String,
    /// What stands there.
    pub found: &'a Value,
    /// What is wrong with it.
    pub kind: ErrorKind<'a, 'a>,
    /// Where a value may have several forms, why it has none of them.
    forms: Vec<Vec<Fault<'a>>>,
}

impl Schema {
    /// Compiles a schema, which refers to nothing outside of itself.
    ///
    /// # Errors
    /// What is wrong with the schema.
    pub fn new(schema: &Value) -> Result<Self, String> {
        let mut schemas = Schemas::new();
        let mut compiler = Compiler::new();
        compiler.use_loader(Box::new(NothingElse));
        let added = compiler.add_resource(ADDRESS, schema.clone());
        added.map_err(|error| error.to_string())?;
        let root = compiler.compile(ADDRESS, &mut schemas);
        let root = root.map_err(|error| error.to_string())?;
        Ok(Self { schemas, root })
    }

    /// Whether nothing is wrong with a value.
    pub fn allows(&self, value: &Value) -> bool {
        self.schemas.validate(value, self.root).is_ok()
    }

    /// All that is wrong with a value.
    pub fn faults<'a>(&'a self, value: &'a Value) -> Vec<Fault<'a>> {
        match self.schemas.validate(value, self.root) {
            Ok(()) => Vec::new(),
            Err(error) => faults_of(error, value),
        }
    }
}

/// A plugin's schema does not make the program read files.
struct NothingElse;

impl UrlLoader for NothingElse {
    fn load(&self, url: &str) -> Result<Value, Box<dyn Error>> {
        Err(format!("`{url}` is not in the schema itself").into())
    }
}

/// The errors that stand for themselves, without those that only group them.
fn faults_of<'a>(error: ValidationError<'a, 'a>, whole: &'a Value) -> Vec<Fault<'a>> {
    let causes = error
        .causes
        .into_iter()
        .map(|cause| faults_of(cause, whole));
    match error.kind {
        ErrorKind::Group
        | ErrorKind::Schema { .. }
        | ErrorKind::Reference { .. }
        | ErrorKind::AllOf => causes.flatten().collect(),
        kind => {
            let place = error.instance_location.to_string();
            let mut fault = Fault {
                found: whole.pointer(&place).unwrap_or(whole),
                place,
                kind,
                forms: causes.collect(),
            };
            // The place is that of what the sentence is about.
            let told = fault.of_the_first_form().map(|first| first.place.clone());
            if let Some(place) = told {
                fault.place = place;
            }
            vec![fault]
        }
    }
}

impl<'a> Fault<'a> {
    /// The keys that the schema does not know, each behind the place of the
    /// object that has it. Where a value may have several forms, those of the
    /// form that the fault is told of.
    pub fn unknown_keys(&self) -> Vec<(&str, &str)> {
        match &self.kind {
            ErrorKind::AdditionalProperties { got } => {
                let names = got.iter();
                names.map(|name| (self.place.as_str(), &**name)).collect()
            }
            _ => {
                let first = self.of_the_first_form();
                first.map(Fault::unknown_keys).unwrap_or_default()
            }
        }
    }

    /// What is wrong with the first of several forms, which is the one that is
    /// not null; `None` where all are constants.
    fn of_the_first_form(&self) -> Option<&Self> {
        let has_forms = matches!(self.kind, ErrorKind::AnyOf | ErrorKind::OneOf(None));
        let are_constants = self.forms.iter().all(|form| constants(form).is_some());
        let first = self.forms.iter().flatten().next();
        first.filter(|_| has_forms && !are_constants)
    }

    /// Where all forms are constants, which there are; else what is wrong with
    /// the first form, which is the one that is not null.
    fn of_the_forms(&self) -> String {
        if let Some(first) = self.of_the_first_form() {
            return first.to_string();
        }
        let constants = self.forms.iter().filter_map(|form| constants(form));
        match listed(constants.flatten()).as_str() {
            "" => format!("{} has none of the forms that are allowed", self.found),
            known => format!("must be one of {known}, found {}", self.found),
        }
    }
}

impl fmt::Display for Fault<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let found = self.found;
        match &self.kind {
            ErrorKind::AnyOf | ErrorKind::OneOf(None) => f.write_str(&self.of_the_forms()),
            ErrorKind::Type { want, .. } => write!(f, "must be {}, found {found}", types(*want)),
            ErrorKind::Enum { want } => {
                write!(f, "must be one of {}, found {found}", listed(want.iter()))
            }
            ErrorKind::Const { want } => write!(f, "must be {want}, found {found}"),
            ErrorKind::AdditionalProperties { got } => {
                write!(f, "unknown key {}", quoted(got.iter().map(AsRef::as_ref)))
            }
            ErrorKind::PropertyName { prop } => write!(f, "`{prop}` cannot be a key"),
            ErrorKind::Required { want } => {
                write!(f, "{} is missing", quoted(want.iter().copied()))
            }
            ErrorKind::Minimum { got, want } => write!(f, "must be at least {want}, found {got}"),
            ErrorKind::Maximum { got, want } => write!(f, "must be at most {want}, found {got}"),
            ErrorKind::ExclusiveMinimum { got, want } => {
                write!(f, "must be more than {want}, found {got}")
            }
            ErrorKind::ExclusiveMaximum { got, want } => {
                write!(f, "must be less than {want}, found {got}")
            }
            other => write!(f, "{other}"),
        }
    }
}

/// The constants of a form that asks for nothing else.
fn constants<'a>(form: &[Fault<'a>]) -> Option<Vec<&'a Value>> {
    match form {
        [only] => match only.kind {
            ErrorKind::Const { want } => Some(vec![want]),
            ErrorKind::Enum { want } => Some(want.iter().collect()),
            _ => None,
        },
        _ => None,
    }
}

fn listed<'a>(values: impl Iterator<Item = &'a Value>) -> String {
    values.map(Value::to_string).collect::<Vec<_>>().join(", ")
}

fn quoted<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names = names.map(|name| format!("`{name}`"));
    names.collect::<Vec<_>>().join(", ")
}

/// Whoever writes a value has no use for hearing that it may be null.
fn types(types: Types) -> String {
    let name = |one| match one {
        Type::Null => "null",
        Type::Boolean => "`true` or `false`",
        Type::Number => "a number",
        Type::Integer => "a whole number",
        Type::String => "a string",
        Type::Array => "a list",
        Type::Object => "an object",
    };
    let wanted = types
        .iter()
        .filter(|one| *one != Type::Null || types.iter().count() == 1);
    wanted.map(name).collect::<Vec<_>>().join(" or ")
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use serde_json::json;

    fn told(schema: Value, value: Value) -> Vec<String> {
        let schema = Schema::new(&schema).unwrap();
        let faults = schema.faults(&value);
        let told = faults
            .iter()
            .map(|fault| format!("{} {fault}", fault.place));
        told.collect()
    }

    #[test]
    fn every_fault_is_told_with_its_place() {
        let schema = json!({
            "$ref": "#/$defs/Settings",
            "$defs": {"Settings": {
                "type": "object",
                "properties": {
                    "k": {"type": "integer", "minimum": 1},
                    "zone": {"type": ["string", "null"]},
                },
                "required": ["path"],
                "additionalProperties": false,
            }},
        });
        let faults = told(schema, json!({"k": 0, "zone": 5, "kk": 1}));
        for fault in [
            "/k must be at least 1, found 0",
            "/zone must be a string, found 5",
            " unknown key `kk`",
            " `path` is missing",
        ] {
            assert!(faults.contains(&fault.to_owned()), "{fault}: {faults:?}");
        }
        assert_eq!(faults.len(), 4, "{faults:?}");
    }

    #[test]
    fn of_several_forms_constants_are_listed_and_else_the_first_is_meant() {
        let one_of = json!({"oneOf": [{"enum": ["a", "b"]}, {"type": "string", "const": "c"}]});
        assert_eq!(
            told(one_of, json!("d")),
            [r#" must be one of "a", "b", "c", found "d""#]
        );
        let optional = json!({"anyOf": [{"type": "number"}, {"type": "null"}]});
        assert_eq!(
            told(optional, json!("high")),
            [r#" must be a number, found "high""#]
        );
    }

    #[test]
    fn a_fault_in_an_optional_object_is_told_with_its_own_place() {
        let object = json!({"type": "object", "properties": {"k": {"minimum": 1}}});
        let optional = json!({"properties": {"rerank": {"anyOf": [object, {"type": "null"}]}}});
        assert_eq!(
            told(optional, json!({"rerank": {"k": -3}})),
            ["/rerank/k must be at least 1, found -3"]
        );
    }

    #[test]
    fn a_schema_that_is_none_is_refused_and_reads_no_file() {
        assert!(Schema::new(&json!({"type": "text"})).is_err());
        let elsewhere = Schema::new(&json!({"$ref": "file:///etc/hostname"}));
        let reason = elsewhere.err().unwrap();
        assert!(reason.contains("/etc/hostname"), "{reason}");
    }
}
