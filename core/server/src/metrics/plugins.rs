//! What plugins count and time. The label of an instance is `plugin`:
//! `instance` is the host for Prometheus.

use gannet_core::InstanceMetrics;

use super::Page;

impl Page {
    pub(super) fn plugins(&mut self, instances: &[InstanceMetrics]) {
        let kinds: Vec<String> = instances
            .iter()
            .map(|one| one.kind.label().replace(' ', "_"))
            .collect();
        let instances: Vec<([(&str, &str); 2], &InstanceMetrics)> = instances
            .iter()
            .zip(&kinds)
            .map(|(one, kind)| ([("kind", kind.as_str()), ("plugin", &one.name)], one))
            .collect();
        let name = "gannet_plugin_events_total";
        self.head(name, "counter", "What instances of plugins count.");
        for (labels, one) in &instances {
            for (what, count) in &one.counts {
                self.value(name, &[&labels[..], &[("name", what)]].concat(), count);
            }
        }
        let name = "gannet_plugin_duration_seconds";
        self.head(name, "histogram", "What instances of plugins time.");
        for (labels, one) in &instances {
            for (what, times) in &one.times {
                self.histogram(name, &[&labels[..], &[("name", what)]].concat(), times);
            }
        }
        let name = "gannet_plugin_metrics_refused_total";
        let help = "Counts and times of plugins with a name that is not allowed, or one too many.";
        self.head(name, "counter", help);
        for (labels, one) in &instances {
            self.value(name, labels, one.refused);
        }
    }
}
