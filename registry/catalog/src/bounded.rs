//! What a plugin says of itself, cut to the contract's limits. It is shown to
//! people and agents, and stands in logs and in errors.

use gannet_api::{Descriptor, InstanceDescription, ModelCard, ParameterDescriptor, limits};

/// A descriptor with texts of bounded lengths. A name that is cut is not a
/// valid one any more.
pub(crate) fn bounded_descriptor(mut descriptor: Descriptor) -> Descriptor {
    shorten(&mut descriptor.name, limits::NAME_BYTES);
    shorten(&mut descriptor.label, limits::NAME_BYTES);
    shorten(&mut descriptor.description, limits::MESSAGE_BYTES);
    if let Some(text) = &mut descriptor.tool_description {
        shorten(text, limits::MESSAGE_BYTES);
    }
    if let Some(writing) = &mut descriptor.writing {
        shorten(&mut writing.source_system, limits::NAME_BYTES);
    }
    let parameters = &mut descriptor.parameters;
    // Callers set parameters and options by these: cut, they are others.
    parameters.retain(|parameter| parameter.name.len() <= limits::NAME_BYTES);
    parameters.truncate(limits::PARAMETERS);
    parameters.iter_mut().for_each(shorten_parameter);
    for example in &mut descriptor.examples {
        shorten(&mut example.description, limits::MESSAGE_BYTES);
    }
    shorten_models(&mut descriptor.models);
    descriptor
}

fn shorten_models(models: &mut Vec<ModelCard>) {
    models.truncate(limits::MODELS);
    for model in models {
        model.trained_on.truncate(limits::MODELS);
        model.languages.truncate(limits::MODELS);
        let names = [&mut model.name, &mut model.license, &mut model.trained];
        let names = names.into_iter().chain(&mut model.languages);
        names.for_each(|text| shorten(text, limits::NAME_BYTES));
        for text in [
            &mut model.purpose,
            &mut model.source,
            &mut model.made_by,
            &mut model.machine,
        ] {
            shorten(text, limits::MESSAGE_BYTES);
        }
        for data in &mut model.trained_on {
            shorten(&mut data.name, limits::NAME_BYTES);
            shorten(&mut data.license, limits::NAME_BYTES);
            shorten(&mut data.what, limits::MESSAGE_BYTES);
        }
    }
}

fn shorten_parameter(parameter: &mut ParameterDescriptor) {
    shorten(&mut parameter.label, limits::NAME_BYTES);
    shorten(&mut parameter.section, limits::NAME_BYTES);
    shorten(&mut parameter.description, limits::MESSAGE_BYTES);
    if let Some(placeholder) = &mut parameter.placeholder {
        shorten(placeholder, limits::NAME_BYTES);
    }
    let is_address = |address: &String| address.len() <= limits::ID_BYTES;
    parameter.options_endpoint = parameter.options_endpoint.take().filter(is_address);
    let options = &mut parameter.options;
    options.retain(|option| option.value.len() <= limits::NAME_BYTES);
    options.truncate(limits::OPTIONS);
    for option in options {
        shorten(&mut option.label, limits::NAME_BYTES);
    }
}

/// What an instance says of itself, with texts of bounded lengths.
pub(crate) fn bounded_instance(mut said: InstanceDescription) -> InstanceDescription {
    if let Some(label) = &mut said.label {
        shorten(label, limits::NAME_BYTES);
    }
    if let Some(description) = &mut said.description {
        shorten(description, limits::MESSAGE_BYTES);
    }
    if let Some(writing) = &mut said.writing {
        shorten(&mut writing.source_system, limits::NAME_BYTES);
    }
    said.models.iter_mut().for_each(shorten_models);
    said
}

/// Cuts a text to so many bytes. What is cut ends with a marker of its own,
/// which says how long the text was.
pub fn shorten(text: &mut String, max_bytes: usize) {
    if text.len() <= max_bytes {
        return;
    }
    let whole = text.len();
    text.truncate(text.floor_char_boundary(max_bytes));
    // The rest of a long text is memory that nobody reads.
    text.shrink_to_fit();
    text.push_str(&format!("… (cut, {} of {whole} bytes shown)", text.len()));
}

#[cfg(test)]
mod tests {
    use gannet_api::{ParameterOption, ParameterType, TrainingData};

    use super::*;

    /// Of 2,000,000 bytes.
    fn long() -> String {
        "é".repeat(1_000_000)
    }

    fn parameter(name: &str) -> ParameterDescriptor {
        let text = long();
        let mut parameter =
            ParameterDescriptor::new(name, &text, &text, ParameterType::Select, "a").section(&text);
        parameter.placeholder = Some(long());
        parameter.options_endpoint = Some(long());
        parameter.options = vec![
            ParameterOption::new("a", long()),
            ParameterOption::new(long(), "too long to be set"),
        ];
        parameter
    }

    #[track_caller]
    fn assert_cut(text: &str, most: usize) {
        assert!(text.len() < most + 64, "{} bytes", text.len());
        assert!(text.ends_with("of 2000000 bytes shown)"), "{text}");
    }

    #[test]
    fn the_texts_of_a_descriptor_are_cut_and_say_how_long_they_were() {
        let descriptor = Descriptor::search_module(&"a".repeat(2_000_000), &long(), &long())
            .for_agents(&long())
            .with_parameters(vec![parameter("mode"), parameter(&long())]);
        let bounded = bounded_descriptor(descriptor);
        assert_cut(&bounded.name, limits::NAME_BYTES);
        assert!(!Descriptor::is_name(&bounded.name));
        assert_cut(&bounded.label, limits::NAME_BYTES);
        assert_cut(&bounded.description, limits::MESSAGE_BYTES);
        let for_agents = bounded.tool_description.unwrap_or_default();
        assert_cut(&for_agents, limits::MESSAGE_BYTES);

        assert_eq!(bounded.parameters.len(), 1, "a name is not cut");
        let mode = &bounded.parameters[0];
        assert_eq!(mode.name, "mode");
        assert_cut(&mode.label, limits::NAME_BYTES);
        assert_cut(&mode.section, limits::NAME_BYTES);
        assert_cut(&mode.description, limits::MESSAGE_BYTES);
        let placeholder = mode.placeholder.as_deref().unwrap_or_default();
        assert_cut(placeholder, limits::NAME_BYTES);
        assert_eq!(mode.options_endpoint, None);
        assert_eq!(mode.options.len(), 1, "a value is not cut");
        assert_cut(&mode.options[0].label, limits::NAME_BYTES);
    }

    #[test]
    fn a_descriptor_within_the_limits_is_as_the_plugin_says() {
        let label = "é".repeat(limits::NAME_BYTES / 2);
        let mode = ParameterDescriptor::new("mode", &label, "How.", ParameterType::Select, "a")
            .section("Search");
        let descriptor = Descriptor::pipeline("answers", &label, "Answers questions.")
            .with_parameters(vec![mode]);
        assert_eq!(bounded_descriptor(descriptor.clone()), descriptor);
    }

    #[test]
    fn the_texts_of_models_are_cut() {
        let mut data = vec![TrainingData::new("", "", ""); limits::MODELS + 1];
        data[0] = TrainingData::new(long(), long(), long());
        let mut models = vec![ModelCard::new(""); limits::MODELS + 1];
        models[0] = ModelCard::new(long())
            .with_source(long())
            .with_trained(long())
            .with_machine(long())
            .with_trained_on(data);
        let said = InstanceDescription::default().with_models(models);
        let models = bounded_instance(said).models.unwrap_or_default();
        assert_eq!(models.len(), limits::MODELS);
        assert_cut(&models[0].name, limits::NAME_BYTES);
        assert_cut(&models[0].source, limits::MESSAGE_BYTES);
        assert_cut(&models[0].trained, limits::NAME_BYTES);
        assert_cut(&models[0].machine, limits::MESSAGE_BYTES);
        assert_eq!(models[0].trained_on.len(), limits::MODELS);
        assert_cut(&models[0].trained_on[0].license, limits::NAME_BYTES);
    }

    #[test]
    fn of_too_many_parameters_the_first_are_kept() {
        let mode = ParameterDescriptor::new("mode", "Mode", "How.", ParameterType::Text, "");
        let many = vec![mode; limits::PARAMETERS + 1];
        let descriptor = Descriptor::pipeline("answers", "Answers", "Answers questions.");
        let bounded = bounded_descriptor(descriptor.with_parameters(many));
        assert_eq!(bounded.parameters.len(), limits::PARAMETERS);
    }
}
