//! What `#[setting(…)]` says of a field.

use syn::meta::ParseNestedMeta;
use syn::{Attribute, Expr, LitStr, Result};

/// Values of a form's field: the names of `ParameterType`.
const INPUTS: [&str; 7] = [
    "float",
    "int",
    "bool",
    "select",
    "date",
    "text",
    "dynamic_select",
];

const KNOWN: &str = "known are default, required, min, max, call_min, call_max, step, parameter, \
     agent, label, section, placeholder, options_endpoint and input";

/// Who may set it beside the configuration.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Exposure {
    #[default]
    Configuration,
    Caller,
    Agent,
}

/// What the attributes of a field say.
#[derive(Default)]
pub(crate) struct Options {
    pub(crate) default: Option<Expr>,
    pub(crate) is_required: bool,
    pub(crate) min: Option<Expr>,
    pub(crate) max: Option<Expr>,
    pub(crate) call_min: Option<Expr>,
    pub(crate) call_max: Option<Expr>,
    pub(crate) step: Option<Expr>,
    pub(crate) exposure: Exposure,
    pub(crate) label: Option<LitStr>,
    pub(crate) section: Option<LitStr>,
    pub(crate) placeholder: Option<LitStr>,
    pub(crate) options_endpoint: Option<LitStr>,
    pub(crate) input: Option<LitStr>,
}

impl Options {
    /// Reads `#[setting(…)]` and takes it off the field.
    pub(crate) fn take(attributes: &mut Vec<Attribute>) -> Result<Self> {
        let mut options = Self::default();
        for attribute in attributes
            .iter()
            .filter(|one| one.path().is_ident("setting"))
        {
            attribute.parse_nested_meta(|meta| options.read(&meta))?;
        }
        if let Some(last) = attributes
            .iter()
            .rfind(|one| one.path().is_ident("setting"))
        {
            options.check(last)?;
        }
        attributes.retain(|one| !one.path().is_ident("setting"));
        Ok(options)
    }

    fn read(&mut self, meta: &ParseNestedMeta) -> Result<()> {
        let name = meta.path.get_ident().map(ToString::to_string);
        match name.as_deref() {
            Some("default") => self.default = Some(meta.value()?.parse()?),
            Some("required") => self.is_required = true,
            Some("min") => self.min = Some(meta.value()?.parse()?),
            Some("max") => self.max = Some(meta.value()?.parse()?),
            Some("call_min") => self.call_min = Some(meta.value()?.parse()?),
            Some("call_max") => self.call_max = Some(meta.value()?.parse()?),
            Some("step") => self.step = Some(meta.value()?.parse()?),
            Some("parameter") => self.exposure = Exposure::Caller,
            Some("agent") => self.exposure = Exposure::Agent,
            Some("label") => self.label = Some(meta.value()?.parse()?),
            Some("section") => self.section = Some(meta.value()?.parse()?),
            Some("placeholder") => self.placeholder = Some(meta.value()?.parse()?),
            Some("options_endpoint") => self.options_endpoint = Some(meta.value()?.parse()?),
            Some("input") => self.input = Some(known_input(meta.value()?.parse()?)?),
            _ => return Err(meta.error(format!("unknown option of a setting; {KNOWN}"))),
        }
        Ok(())
    }

    fn check(&self, attribute: &Attribute) -> Result<()> {
        if self.is_required && self.default.is_some() {
            let message = "a required setting has no default";
            return Err(syn::Error::new_spanned(attribute, message));
        }
        let of_forms = [
            &self.label,
            &self.section,
            &self.placeholder,
            &self.options_endpoint,
            &self.input,
        ];
        let numbers = [&self.step, &self.call_min, &self.call_max];
        let is_in_forms =
            numbers.iter().any(|one| one.is_some()) || of_forms.iter().any(|one| one.is_some());
        if is_in_forms && self.exposure == Exposure::Configuration {
            let message = "this is about what callers set: add `parameter` or `agent`";
            return Err(syn::Error::new_spanned(attribute, message));
        }
        Ok(())
    }
}

fn known_input(input: LitStr) -> Result<LitStr> {
    match INPUTS.contains(&input.value().as_str()) {
        true => Ok(input),
        false => {
            let message = format!("`input` is one of {}", INPUTS.join(", "));
            Err(syn::Error::new_spanned(input, message))
        }
    }
}
