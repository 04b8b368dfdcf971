//! Questions: what a user may ask next, or what is asked back.

use serde::Serialize;

use crate::grouping::Cluster;
use crate::intent::Intent;

/// A question with the query that answers it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Question {
    /// As a page shows it.
    pub(crate) text: String,
    /// What is searched for it.
    pub(crate) query: String,
}

/// Asks which of the close things is meant.
pub(crate) fn which_is_meant(question: &str, close: &[&Cluster], most: usize) -> Vec<Question> {
    let of_entities = close.iter().filter(|cluster| cluster.is_of_entity());
    let asked = of_entities.take(most).map(|cluster| Question {
        text: format!("Is {} meant?", cluster.name),
        query: format!("{} {}", question.trim_end_matches(['?', ' ']), cluster.name),
    });
    asked.collect()
}

/// What can be asked about the thing that was found.
pub(crate) fn follow_ups(intent: Intent, leader: Option<&Cluster>, most: usize) -> Vec<Question> {
    let Some(leader) = leader.filter(|cluster| cluster.is_of_entity()) else {
        return Vec::new();
    };
    let name = &leader.name;
    let templates: [(&str, String); 3] = match intent {
        Intent::Troubleshoot => [
            ("What fixed it?", format!("what fixed {name}?")),
            ("When was it last?", format!("when did {name} last trip?")),
            ("What is the procedure?", format!("procedure for {name}")),
        ],
        Intent::HowTo => [
            (
                "What went wrong before?",
                format!("what went wrong with {name}?"),
            ),
            ("When was it last done?", format!("latest {name}")),
            ("Who did it?", format!("who worked on {name}?")),
        ],
        _ => [
            ("What is the newest?", format!("latest {name}")),
            ("What went wrong?", format!("what went wrong with {name}?")),
            ("What is the procedure?", format!("procedure for {name}")),
        ],
    };
    let questions = templates.into_iter().take(most);
    questions
        .map(|(text, query)| Question {
            text: format!("{name}: {text}"),
            query,
        })
        .collect()
}
