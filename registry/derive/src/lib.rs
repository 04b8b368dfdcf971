//! The attribute with which a plugin declares its settings.
//!
//! Authors use it as `gannet_plugin::settings`; what it does stands there.

mod field;
mod options;
mod structure;

use proc_macro::TokenStream;
use syn::{ItemStruct, parse_macro_input};

/// Declares the settings of a plugin: what the configuration can set, and what
/// of it a call can set.
///
/// Each field is a setting. Its documentation comment is its description, and
/// `#[setting(…)]` says the rest:
///
/// | written | means |
/// |---|---|
/// | `default = 500` | the value when it is not set; `Default::default()` without it |
/// | `required` | the configuration has to set it |
/// | `min = 1`, `max = 1_000` | bounds, both included; a `min` above `max`, or above a default that is written as a number, does not compile |
/// | `parameter` | every caller can set it for one call: web form, command line, REST |
/// | `agent` | the same, and agents can |
/// | `call_min = …`, `call_max = …` | narrower bounds for callers than for the configuration |
/// | `label = "…"`, `section = "…"` | its name and heading in forms; from its own name and `General` without them |
/// | `step = 0.05`, `placeholder = "…"` | by how much a form steps; what an empty field shows |
/// | `input = "text"` | the type of a form's field, where the field's own type does not tell: `float`, `int`, `bool`, `select`, `date`, `text` or `dynamic_select` |
///
/// The structure gets `Debug`, `Clone`, `Deserialize`, `JsonSchema` and
/// `Settings`, and `Default` unless a setting is required. A key that it does
/// not have is refused.
#[proc_macro_attribute]
pub fn settings(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let item = parse_macro_input!(item as ItemStruct);
    structure::expand(arguments.into(), item)
        .unwrap_or_else(|error| error.to_compile_error())
        .into()
}
