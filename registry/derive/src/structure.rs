//! The whole structure of settings.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Fields, ItemStruct, Result};

use crate::field::Setting;

pub(crate) fn expand(arguments: TokenStream, mut item: ItemStruct) -> Result<TokenStream> {
    if !arguments.is_empty() {
        let message = "`settings` takes nothing; options stand at the fields, in `#[setting(…)]`";
        return Err(syn::Error::new_spanned(arguments, message));
    }
    if !item.generics.params.is_empty() {
        let message = "settings have no type parameters: each plugin has settings of one type";
        return Err(syn::Error::new_spanned(&item.generics, message));
    }
    let name = item.ident.clone();
    let Fields::Named(fields) = &mut item.fields else {
        let message = "settings have names: write a structure with named fields";
        return Err(syn::Error::new_spanned(&item, message));
    };
    let settings = fields.named.iter_mut();
    let settings: Vec<Setting> = settings
        .map(|field| Setting::of(field, &name))
        .collect::<Result<_>>()?;

    let defaults = settings.iter().filter_map(Setting::default);
    let asserted = settings.iter().map(Setting::asserted);
    let checked = settings.iter().filter_map(Setting::checked);
    let set = settings.iter().filter_map(Setting::set_by_call);
    let default = (!settings.iter().any(|setting| setting.options.is_required)).then(|| {
        let fields = settings.iter().map(Setting::initialised);
        quote! {
            impl ::core::default::Default for #name {
                fn default() -> Self {
                    Self { #(#fields)* }
                }
            }
        }
    });
    Ok(quote! {
        #[derive(
            Debug,
            Clone,
            ::gannet_plugin::serde::Deserialize,
            ::gannet_plugin::schemars::JsonSchema,
        )]
        #[serde(crate = "::gannet_plugin::serde", deny_unknown_fields)]
        #[schemars(crate = "::gannet_plugin::schemars")]
        #item

        impl #name {
            #(#defaults)*
        }

        #default

        #(#asserted)*

        impl ::gannet_plugin::api::Settings for #name {
            fn check(&self) -> ::gannet_plugin::api::Result<()> {
                #(#checked)*
                ::core::result::Result::Ok(())
            }

            fn for_call(
                &self,
                params: &::gannet_plugin::serde_json::Map<
                    ::std::string::String,
                    ::gannet_plugin::serde_json::Value,
                >,
            ) -> ::gannet_plugin::api::Result<Self> {
                #[allow(unused_mut, reason = "there may be no parameter")]
                let mut settings = ::core::clone::Clone::clone(self);
                #(#set)*
                let _ = params;
                ::core::result::Result::Ok(settings)
            }
        }
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use syn::{Item, parse_quote};

    use super::*;

    fn expanded(arguments: TokenStream, item: TokenStream) -> Result<TokenStream> {
        expand(arguments, syn::parse2(item).unwrap())
    }

    #[test]
    fn what_cannot_be_meant_is_an_error_that_says_what_is_right() {
        for (item, part) in [
            (
                quote!(
                    struct S {
                        #[setting(minimum = 1)]
                        a: u32,
                    }
                ),
                "unknown option of a setting; known are default",
            ),
            (
                quote!(
                    struct S {
                        #[setting(required, default = 1)]
                        a: u32,
                    }
                ),
                "a required setting has no default",
            ),
            (
                quote!(
                    struct S {
                        #[setting(label = "A")]
                        a: u32,
                    }
                ),
                "add `parameter` or `agent`",
            ),
            (
                quote!(
                    struct S {
                        #[setting(step = 2)]
                        a: u32,
                    }
                ),
                "add `parameter` or `agent`",
            ),
            (
                quote!(
                    struct S {
                        #[setting(parameter, input = "slider")]
                        a: u32,
                    }
                ),
                "`input` is one of float, int",
            ),
            (
                quote!(
                    struct S {
                        #[setting(min)]
                        a: u32,
                    }
                ),
                "expected `=`",
            ),
            (
                quote!(
                    struct S(u32);
                ),
                "named fields",
            ),
            (
                quote!(
                    struct S<T> {
                        a: T,
                    }
                ),
                "no type parameters",
            ),
        ] {
            let error = expanded(TokenStream::new(), item.clone()).unwrap_err();
            assert!(error.to_string().contains(part), "{item}: {error}");
        }
        let error = expanded(
            quote!(strict),
            quote!(
                struct S {}
            ),
        )
        .unwrap_err();
        assert!(error.to_string().contains("takes nothing"), "{error}");
    }

    #[test]
    fn bounds_are_compared_where_the_plugin_is_compiled() {
        let item = quote!(
            struct S {
                #[setting(default = 5, min = 1, max = 9, parameter, call_max = 7)]
                a: u32,
                #[setting(default = "x")]
                b: String,
            }
        );
        let expanded = expanded(TokenStream::new(), item).unwrap();
        let file: syn::File = parse_quote!(#expanded);
        let constants = file
            .items
            .iter()
            .filter(|item| matches!(item, Item::Const(_)));
        // min and max, min and call_max, and the default with both.
        assert_eq!(constants.count(), 4);
    }
}
