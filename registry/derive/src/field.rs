//! One setting: its attributes for serde and schemars, its default, and how a
//! call sets it.

use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::{Expr, Field, Ident, Lit, LitStr, Result, Type, UnOp, parse_quote};

use crate::options::{Exposure, Options};

pub(crate) struct Setting {
    pub(crate) name: Ident,
    pub(crate) ty: Type,
    pub(crate) options: Options,
}

impl Setting {
    /// Reads a field, and gives it what serde and schemars have to know.
    pub(crate) fn of(field: &mut Field, structure: &Ident) -> Result<Self> {
        let Some(name) = field.ident.clone() else {
            let message = "settings have names: write a structure with named fields";
            return Err(syn::Error::new_spanned(field, message));
        };
        let options = Options::take(&mut field.attrs)?;
        let setting = Self {
            name,
            ty: field.ty.clone(),
            options,
        };
        if !setting.options.is_required {
            let function = setting.default_function();
            let path = LitStr::new(&format!("{structure}::{function}"), setting.name.span());
            field.attrs.push(parse_quote!(#[serde(default = #path)]));
        }
        setting.describe(field);
        Ok(setting)
    }

    /// What the schema says of it beyond its type.
    fn describe(&self, field: &mut Field) {
        let options = &self.options;
        let bounds = [("min", &options.min), ("max", &options.max)];
        let bounds = bounds.into_iter().filter_map(|(name, bound)| {
            let (name, bound) = (format_ident!("{name}"), bound.as_ref()?);
            Some(quote!(#name = #bound))
        });
        let bounds: Vec<TokenStream> = bounds.collect();
        if !bounds.is_empty() {
            field
                .attrs
                .push(parse_quote!(#[schemars(range(#(#bounds),*))]));
        }
        if let Some(parameter) = self.parameter() {
            field
                .attrs
                .push(parse_quote!(#[schemars(extend("x-parameter" = #parameter))]));
        }
    }

    /// How forms and agents see it, as JSON; nothing for what only the
    /// configuration sets.
    fn parameter(&self) -> Option<TokenStream> {
        let exposure = match self.options.exposure {
            Exposure::Configuration => return None,
            Exposure::Caller => "api",
            Exposure::Agent => "agent",
        };
        let texts = [
            ("label", &self.options.label),
            ("section", &self.options.section),
            ("placeholder", &self.options.placeholder),
            ("options_endpoint", &self.options.options_endpoint),
            ("type", &self.options.input),
        ];
        let texts = texts
            .into_iter()
            .filter_map(|(name, text)| text.as_ref().map(|text| quote!(#name: #text,)));
        let numbers = [
            ("step", &self.options.step),
            ("min", &self.options.call_min),
            ("max", &self.options.call_max),
        ];
        let numbers = numbers.into_iter().filter_map(|(name, number)| {
            let number = number.as_ref()?;
            Some(quote!(#name: #number,))
        });
        Some(quote! {
            ::gannet_plugin::serde_json::json!({
                #(#texts)* #(#numbers)* "exposure": #exposure
            })
        })
    }

    /// The name of the function that gives the default.
    fn default_function(&self) -> Ident {
        format_ident!("default_of_{}", self.name)
    }

    /// That function; none for a required setting.
    pub(crate) fn default(&self) -> Option<TokenStream> {
        if self.options.is_required {
            return None;
        }
        let (function, ty) = (self.default_function(), &self.ty);
        let value = match &self.options.default {
            Some(value) => default_value(value, ty),
            None => quote!(::core::default::Default::default()),
        };
        Some(quote! {
            fn #function() -> #ty { #value }
        })
    }

    /// Its part of `impl Default`.
    pub(crate) fn initialised(&self) -> TokenStream {
        let (name, function) = (&self.name, self.default_function());
        quote!(#name: Self::#function(),)
    }

    /// How a call sets it; nothing for what only the configuration sets.
    pub(crate) fn set_by_call(&self) -> Option<TokenStream> {
        if self.options.exposure == Exposure::Configuration {
            return None;
        }
        let (name, text) = (&self.name, self.name.to_string());
        let checked = self.bounds().map(|(least, most)| {
            quote! {
                if let ::core::option::Option::Some(wrong) =
                    ::gannet_plugin::api::out_of_bounds(&value, #least, #most)
                {
                    return ::core::result::Result::Err(::gannet_plugin::api::Error::invalid_input(
                        ::std::format!("parameter `{}`: {wrong}", #text),
                    ));
                }
            }
        });
        let ty = &self.ty;
        Some(quote! {
            if let ::core::option::Option::Some(value) =
                ::gannet_plugin::api::param::<#ty>(params, #text)?
            {
                #checked
                settings.#name = value;
            }
        })
    }

    /// How the configuration's value is checked; nothing without bounds.
    pub(crate) fn checked(&self) -> Option<TokenStream> {
        let (least, most) = self.bounds()?;
        let (name, text) = (&self.name, self.name.to_string());
        Some(quote! {
            if let ::core::option::Option::Some(wrong) =
                ::gannet_plugin::api::out_of_bounds(&self.#name, #least, #most)
            {
                return ::core::result::Result::Err(::gannet_plugin::api::Error::setting(#text, wrong));
            }
        })
    }

    /// That bounds and the default fit together, checked where the plugin is
    /// compiled. A default that is not a number is the type's to check.
    pub(crate) fn asserted(&self) -> TokenStream {
        let Options { min, max, .. } = &self.options;
        let (call_min, call_max) = (&self.options.call_min, &self.options.call_max);
        let number = self
            .options
            .default
            .as_ref()
            .filter(|value| is_number(value));
        let default = number.cloned();
        let pairs = [
            ("min", min, "max", max),
            ("call_min", call_min, "call_max", call_max),
            ("min", min, "call_max", call_max),
            ("call_min", call_min, "max", max),
            ("min", min, "default", &default),
            ("default", &default, "max", max),
        ];
        let asserted = pairs.into_iter().filter_map(|(less, least, more, most)| {
            let (least, most) = (least.as_ref()?, most.as_ref()?);
            let message = format!("setting `{}`: `{less}` is more than `{more}`", self.name);
            Some(quote_spanned! { self.name.span() =>
                #[allow(clippy::all, reason = "bounds are numbers of any type, also `f64`")]
                const _: () = ::core::assert!((#least) as f64 <= (#most) as f64, #message);
            })
        });
        asserted.collect()
    }

    /// The bounds as two options. The narrower ones of callers are the host's
    /// to check: it knows who calls.
    fn bounds(&self) -> Option<(TokenStream, TokenStream)> {
        let (least, most) = (self.options.min.as_ref(), self.options.max.as_ref());
        let bound = |bound: Option<&Expr>| match bound {
            Some(bound) => quote!(::core::option::Option::Some((#bound) as f64)),
            None => quote!(::core::option::Option::None),
        };
        (least.is_some() || most.is_some()).then(|| (bound(least), bound(most)))
    }
}

/// A text is written as it is, also as a constant, and so is a list of texts.
fn default_value(value: &Expr, ty: &Type) -> TokenStream {
    match value {
        Expr::Array(array) if array.elems.iter().all(is_text) => {
            quote!(#value.into_iter().map(::core::convert::Into::into).collect())
        }
        _ if is_text(value) || is_string(ty) => quote!(::core::convert::Into::into(#value)),
        _ => quote!(#value),
    }
}

fn is_text(value: &Expr) -> bool {
    matches!(value, Expr::Lit(literal) if matches!(literal.lit, Lit::Str(_)))
}

fn is_number(value: &Expr) -> bool {
    match value {
        Expr::Lit(literal) => matches!(literal.lit, Lit::Int(_) | Lit::Float(_)),
        Expr::Unary(negated) => matches!(negated.op, UnOp::Neg(_)) && is_number(&negated.expr),
        _ => false,
    }
}

fn is_string(ty: &Type) -> bool {
    match ty {
        Type::Path(path) => path
            .path
            .segments
            .last()
            .is_some_and(|segment| segment.ident == "String"),
        _ => false,
    }
}
