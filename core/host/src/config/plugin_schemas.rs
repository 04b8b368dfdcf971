//! What the JSON Schema says of plugins: which there are, and their settings.

use std::collections::BTreeMap;

use gannet_api::{Category, Descriptor, PluginKind};
use gannet_registry::Registry;
use serde_json::{Map, Value, json};

use super::model::Config;

/// A section of the configuration that holds instances of plugins.
struct Section {
    /// The keys that lead to it.
    path: &'static [&'static str],
    /// The type of an instance, in `$defs`.
    instance: &'static str,
    kinds: &'static [PluginKind],
    /// Whether an instance is on where nothing is said.
    is_on: bool,
}

const SECTIONS: [Section; 5] = [
    Section {
        path: &["search_modules"],
        instance: "ModuleConfig",
        kinds: &[PluginKind::SearchModule],
        is_on: false,
    },
    Section {
        path: &["pipelines"],
        instance: "PipelineConfig",
        kinds: &[PluginKind::Pipeline],
        is_on: true,
    },
    Section {
        path: &["enhancement_modules"],
        instance: "ModuleConfig",
        kinds: &[PluginKind::Enhancer],
        is_on: false,
    },
    Section {
        path: &["ingestion", "adapters"],
        instance: "AdapterConfig",
        kinds: &[PluginKind::Adapter],
        is_on: true,
    },
    Section {
        path: &["providers"],
        instance: "ProviderConfig",
        kinds: &[
            PluginKind::Embedder,
            PluginKind::Reranker,
            PluginKind::Reader,
            PluginKind::ChatModel,
        ],
        is_on: true,
    },
];

/// Adds what is known of plugins to the schema of the types.
pub(super) fn add(root: &mut Map<String, Value>, registry: &Registry) {
    let mut definitions = Map::new();
    let mut strict = Value::Object(Map::new());
    for section in &SECTIONS {
        let plugins = section.plugins(registry);
        for (name, descriptors) in &plugins {
            definitions.insert(
                section.definition(name),
                section.settings(name, descriptors),
            );
        }
        section.write(root, &plugins);
        section.write_known(&mut strict, &plugins);
    }
    if let Some(Value::Object(known)) = root.get_mut("$defs") {
        known.extend(definitions);
    }
    // A dylib may bring plugins of any name.
    let lists_dylib = json!({
        "required": ["plugins"],
        "properties": { "plugins": {
            "type": "object",
            "required": ["load"],
            "properties": { "load": { "type": "array", "minItems": 1 } }
        } }
    });
    let rule = json!({ "if": lists_dylib, "else": strict });
    root.insert("allOf".to_owned(), json!([rule]));
}

/// A plugin's name, and what it is of each of its kinds.
type Plugins<'r> = BTreeMap<&'r str, Vec<&'r Descriptor>>;

impl Section {
    fn plugins<'r>(&self, registry: &'r Registry) -> Plugins<'r> {
        let mut plugins = Plugins::new();
        for plugin in registry.iter() {
            let descriptor = &plugin.descriptor;
            if self.kinds.contains(&descriptor.kind) && plugin.origin.file.is_none() {
                plugins
                    .entry(&descriptor.name)
                    .or_default()
                    .push(descriptor);
            }
        }
        plugins
    }

    /// The name of a plugin's settings in `$defs`.
    fn definition(&self, plugin: &str) -> String {
        format!("{}.{plugin}", self.path.join("."))
    }

    /// A plugin's settings. Those of a plugin of several kinds suit each.
    fn settings(&self, name: &str, descriptors: &[&Descriptor]) -> Value {
        let mut forms: Vec<Value> = Vec::new();
        for descriptor in descriptors {
            let mut form = descriptor.settings_schema.clone();
            rebase(&mut form, &format!("#/$defs/{}", self.definition(name)));
            if !forms.contains(&form) {
                forms.push(form);
            }
        }
        match forms.len() {
            1 => forms.remove(0),
            _ => json!({ "allOf": forms }),
        }
    }

    /// Puts the plugins' settings into the schema of the section.
    fn write(&self, root: &mut Map<String, Value>, plugins: &Plugins<'_>) {
        let Some(section) = self.node(root) else {
            return;
        };
        let by_plugin: Vec<Value> = plugins
            .keys()
            .map(|plugin| {
                let is_named = json!({
                    "required": ["plugin"],
                    "properties": { "plugin": { "const": plugin } }
                });
                self.when(is_named, self.is_on, plugin, &plugins[plugin])
            })
            .collect();
        let instance = self.path.join(".") + ".instance";
        let rules = |more: Option<Value>| {
            let own = json!({ "$ref": format!("#/$defs/{instance}") });
            let all: Vec<Value> = [own].into_iter().chain(more).collect();
            json!({ "anyOf": [{ "allOf": all }, { "type": "null" }] })
        };
        let by_name: Map<String, Value> = plugins
            .iter()
            .map(|(name, descriptors)| {
                let is_own = json!({ "properties": { "plugin": { "type": "null" } } });
                let is_on = self.is_on_here(name);
                let own = self.when(is_own, is_on, name, descriptors);
                ((*name).to_owned(), rules(Some(own)))
            })
            .collect();
        section.insert("properties".to_owned(), Value::Object(by_name));
        section.insert("additionalProperties".to_owned(), rules(None));
        let of_type = json!({ "$ref": format!("#/$defs/{}", self.instance) });
        let all: Vec<Value> = [of_type].into_iter().chain(by_plugin).collect();
        if let Some(Value::Object(definitions)) = root.get_mut("$defs") {
            definitions.insert(instance, json!({ "allOf": all }));
        }
    }

    /// What holds of an instance when it is one of this plugin.
    fn when(
        &self,
        mut condition: Value,
        is_on: bool,
        name: &str,
        descriptors: &[&Descriptor],
    ) -> Value {
        let settings = json!({ "$ref": format!("#/$defs/{}", self.definition(name)) });
        let mut rules = json!({
            "properties": { "settings": { "anyOf": [settings, { "type": "null" }] } }
        });
        let must_be_set = |descriptor: &&Descriptor| {
            let required = descriptor.settings_schema.get("required");
            required
                .and_then(Value::as_array)
                .is_some_and(|keys| !keys.is_empty())
        };
        if descriptors.iter().any(must_be_set) {
            rules["required"] = json!(["settings"]);
        }
        // The settings of what is off are not looked at.
        let on = match is_on {
            true => json!({ "properties": { "enabled": { "not": { "const": false } } } }),
            false => json!({
                "required": ["enabled"],
                "properties": { "enabled": { "const": true } }
            }),
        };
        let mut all = vec![json!({ "if": on, "then": rules })];
        if !descriptors
            .iter()
            .any(|descriptor| asks_a_model(descriptor))
        {
            all.push(json!({
                "properties": { "provider": { "type": "null" }, "model": { "type": "null" } }
            }));
        }
        condition["type"] = json!("object");
        json!({ "if": condition, "then": { "allOf": all } })
    }

    /// Whether an instance of this name is on in the built-in configuration,
    /// or else by itself.
    fn is_on_here(&self, name: &str) -> bool {
        let config = Config::default();
        let modules = match self.path {
            ["search_modules"] => &config.search_modules,
            ["enhancement_modules"] => &config.enhancement_modules,
            _ => return self.is_on,
        };
        modules
            .get(name)
            .map_or(self.is_on, |module| module.enabled)
    }

    /// That an instance is one of a plugin that there is.
    fn write_known(&self, strict: &mut Value, plugins: &Plugins<'_>) {
        let names: Vec<&str> = plugins.keys().copied().collect();
        let or_null: Vec<Value> = names
            .iter()
            .map(|name| json!(name))
            .chain([Value::Null])
            .collect();
        let by_name: Map<String, Value> = names
            .iter()
            .map(|name| {
                let rule = json!({ "properties": { "plugin": { "enum": or_null } } });
                ((*name).to_owned(), rule)
            })
            .collect();
        let other = json!({ "anyOf": [{ "type": "null" }, {
            "type": "object",
            "required": ["plugin"],
            "properties": { "plugin": { "enum": names } }
        }] });
        let rule = json!({ "properties": by_name, "additionalProperties": other });
        let mut node = strict;
        for key in self.path {
            node = &mut node["properties"][*key];
        }
        *node = rule;
    }

    /// The schema of the section.
    fn node<'r>(&self, root: &'r mut Map<String, Value>) -> Option<&'r mut Map<String, Value>> {
        let node = match self.path {
            [section] => root.get_mut("properties")?.get_mut(*section)?,
            _ => root
                .get_mut("$defs")?
                .pointer_mut("/IngestionConfig/properties/adapters")?,
        };
        node.as_object_mut()
    }
}

/// Whether anything reads `provider` and `model` of an instance. A provider
/// has no such keys.
fn asks_a_model(descriptor: &Descriptor) -> bool {
    match descriptor.kind {
        PluginKind::SearchModule | PluginKind::Enhancer => {
            descriptor.needs.embedder || descriptor.needs.chat
        }
        PluginKind::Pipeline => descriptor.category == Category::Llm || descriptor.needs.chat,
        _ => true,
    }
}

/// References within a plugin's schema, from the root of the whole.
fn rebase(node: &mut Value, root: &str) {
    match node {
        Value::Object(members) => {
            members.shift_remove("$schema");
            if let Some(Value::String(reference)) = members.get_mut("$ref")
                && let Some(rest) = reference.strip_prefix('#')
            {
                *reference = format!("{root}{rest}");
            }
            members.values_mut().for_each(|member| rebase(member, root));
        }
        Value::Array(members) => members.iter_mut().for_each(|member| rebase(member, root)),
        _ => {}
    }
}
