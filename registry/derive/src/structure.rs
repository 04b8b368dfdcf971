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

        impl ::gannet_plugin::Settings for #name {
            fn check(&self) -> ::gannet_plugin::Result<()> {
                #(#checked)*
                ::core::result::Result::Ok(())
            }

            fn for_call(
                &self,
                params: &::gannet_plugin::serde_json::Map<
                    ::std::string::String,
                    ::gannet_plugin::serde_json::Value,
                >,
            ) -> ::gannet_plugin::Result<Self> {
                #[allow(unused_mut, reason = "there may be no parameter")]
                let mut settings = ::core::clone::Clone::clone(self);
                #(#set)*
                let _ = params;
                ::core::result::Result::Ok(settings)
            }
        }
    })
}
