//! What differs between two layouts, in a few words.
//!
//! The checker's own text begins with both types as a whole and has 100,000
//! characters; what an author looks for is the type and the field.

use abi_stable::abi_stability::abi_checking::{
    AbiInstability, AbiInstabilityError, AbiInstabilityErrors, ExpectedFound,
};
use abi_stable::type_layout::TLFieldOrFunction;

/// How many differences are told.
const MOST: usize = 6;

/// The differences, innermost first: where a field differs, every type around
/// it does too. `<this>` of the checker is the host.
pub(super) fn differences(errors: &AbiInstabilityErrors) -> String {
    let mut places: Vec<&AbiInstabilityError> = errors.errors.iter().collect();
    places.sort_by_key(|place| std::cmp::Reverse(place.stack_trace.len()));
    let mut told: Vec<String> = Vec::new();
    for place in places {
        for error in &place.errs {
            let text = format!("{} {}", whole(place), difference(error));
            if !told.contains(&text) {
                told.push(text);
            }
        }
    }
    let more = told.len().saturating_sub(MOST);
    told.truncate(MOST);
    match more {
        0 => told.join("; "),
        more => format!("{}; and {more} more", told.join("; ")),
    }
}

/// The type or the function that differs.
fn whole(place: &AbiInstabilityError) -> String {
    match place.stack_trace.last().map(|step| &step.expected) {
        Some(TLFieldOrFunction::Field(field)) => format!("`{}`", field.layout().name()),
        Some(TLFieldOrFunction::Function(function)) => format!("method `{}`", function.name),
        None => "its root".to_owned(),
    }
}

fn difference(error: &AbiInstability) -> String {
    match error {
        AbiInstability::UnexpectedField(fields) => {
            let (here, there) = (fields.expected.name(), fields.found.name());
            format!("has `{here}` here where it has `{there}` there")
        }
        AbiInstability::FieldCountMismatch(count) => both("fields", count),
        AbiInstability::Size(bytes) => both("bytes", bytes),
        AbiInstability::Alignment(bytes) => both("bytes of alignment", bytes),
        AbiInstability::TooManyVariants(count) => both("variants", count),
        AbiInstability::UnexpectedVariant(variants) => both("as a variant", variants),
        AbiInstability::MismatchedPrefixSize(count) => both("fields from the first version", count),
        AbiInstability::Name(names) => {
            format!("is {} here and {} there", names.expected, names.found)
        }
        AbiInstability::Package(names) => both("as its crate", names),
        AbiInstability::PackageVersion(versions) => both("as its crate's version", versions),
        _ => "is of another sort there".to_owned(),
    }
}

fn both(what: &str, values: &ExpectedFound<impl std::fmt::Display>) -> String {
    format!(
        "has {} {what} here and {} there",
        values.expected, values.found
    )
}

#[cfg(test)]
mod tests {
    #![allow(non_local_definitions, clippy::unwrap_used, missing_docs)]

    use abi_stable::StableAbi;
    use abi_stable::abi_stability::abi_checking::check_layout_compatibility;
    use abi_stable::std_types::RString;

    use super::differences;

    #[repr(C)]
    #[derive(StableAbi)]
    struct Outer {
        inner: Inner,
    }

    #[repr(C)]
    #[derive(StableAbi)]
    struct Inner {
        query: RString,
        limit: u32,
    }

    /// The same types as another version has them.
    mod changed {
        use super::{RString, StableAbi};

        #[repr(C)]
        #[derive(StableAbi)]
        pub struct Outer {
            inner: Inner,
        }

        #[repr(C)]
        #[derive(StableAbi)]
        struct Inner {
            question: RString,
            limit: u32,
            offset: u64,
        }
    }

    #[test]
    fn the_innermost_type_and_its_fields_are_told_first() {
        let (here, there) = (Outer::LAYOUT, changed::Outer::LAYOUT);
        let errors = check_layout_compatibility(here, there).unwrap_err();
        let text = differences(&errors);
        assert!(text.starts_with("`Inner` has "), "{text}");
        assert!(
            text.contains("`query` here where it has `question` there"),
            "{text}"
        );
        assert!(
            text.contains("`Inner` has 2 fields here and 3 there"),
            "{text}"
        );
        assert!(text.len() < 500, "{text}");
    }
}
