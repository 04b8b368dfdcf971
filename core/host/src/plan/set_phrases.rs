//! Questions about several entries that no word says to be for a list or a
//! number: phrases such as "sea turtles at Surry", and nouns that are counted.

use gannet_api::query::is_stop_word;
use gannet_api::{Intent, Precision};

use super::sets::{Roles, SetReader};

/// Words of a topic that entries are counted by, at most, where nothing else
/// limits them.
const WORDS_OF_A_TOPIC: usize = 4;
/// The same beside conditions: more words are those of a title.
const WORDS_BESIDE_CONDITIONS: usize = 3;

impl SetReader<'_> {
    /// Leaves out of the topic what says that something is wrong with the rest of
    /// it: entries about "youtube trouble" seldom have the word.
    pub(super) fn take_trouble(&self, roles: &mut Roles) {
        let is_trouble = |at: &usize| self.language.sets.trouble.covers(self.words, *at);
        let (trouble, rest): (Vec<usize>, Vec<usize>) =
            roles.topic.iter().partition(|at| is_trouble(at));
        if !trouble.is_empty() && !rest.is_empty() {
            roles.topic = rest;
            roles.has_trouble = true;
        }
    }

    /// Whether a question without conditions asks for what one entry states, and
    /// not for entries: it is long, or asks something of the first or the last
    /// one. "Who was the first director?"
    pub(super) fn asks_for_a_statement(
        &self,
        topic: usize,
        conditions: usize,
        is_end: bool,
    ) -> bool {
        let asks_of_end = is_end && topic > 0 && self.has_asking_word();
        conditions == 0 && (topic > WORDS_OF_A_TOPIC || asks_of_end)
    }

    /// A question without a word for a list is one where it names nothing but
    /// conditions, and is not about one day or one thing. Beside conditions it
    /// may name things in the plural.
    pub(super) fn is_list(&self, roles: &Roles, conditions: usize) -> bool {
        let topic = &roles.topic;
        let mut times = self.plan.soft_times();
        let is_long = times.all(|time| time.precision >= Precision::Month);
        if topic.is_empty() {
            return self.names_entry() || (conditions > 1 && is_long);
        }
        let is_phrase = self.is_phrase();
        // "reports about leaks", and not "cannot log in"
        if conditions == 0 {
            let names_several = self.names_entries() || self.says_more_of_several();
            return names_several && topic.len() <= WORDS_OF_A_TOPIC && is_phrase;
        }
        let is_short = topic.len() <= WORDS_BESIDE_CONDITIONS;
        let names_several =
            roles.has_trouble || self.names_entries() || topic.iter().any(|at| self.is_plural(*at));
        let is_asked = (is_phrase && self.begins_with_noun()) || self.asks_which_there_were(topic);
        is_long && is_short && names_several && is_asked
    }

    /// Whether the question is a phrase such as "sea turtles at Surry": one with
    /// "what" or "how" asks for what an entry states.
    fn is_phrase(&self) -> bool {
        self.plan.intent == Intent::Find && !self.has_asking_word()
    }

    fn has_asking_word(&self) -> bool {
        let sets = &self.language.sets;
        let asks = |place: usize| {
            sets.asking.contains(&self.words[place].folded) && !self.is_relative(place)
        };
        (0..self.words.len()).any(asks)
    }

    /// Whether a word is the "who" of "people who died": one that says more of
    /// several things before it.
    fn is_relative(&self, place: usize) -> bool {
        let before = place.checked_sub(1);
        let sets = &self.language.sets;
        let is_pronoun = sets.relative.contains(&self.words[place].folded);
        is_pronoun && before.is_some_and(|at| self.is_plural(at) && !self.words[at].ends_clause)
    }

    /// Whether the question begins with several things and says more of them:
    /// "guards who fell asleep", "vehicles hit by lightning".
    fn says_more_of_several(&self) -> bool {
        let is_more = |place: usize| {
            let sets = &self.language.sets;
            let is_agent = sets.agents.contains(&self.words[place].folded);
            self.is_relative(place) || (is_agent && (0..place - 1).any(|at| self.is_plural(at)))
        };
        self.begins_with_noun() && (1..self.words.len()).any(is_more)
    }

    /// Whether the question is "which pump trips were there" with conditions: it
    /// asks for nothing else of them.
    fn asks_which_there_were(&self, topic: &[usize]) -> bool {
        let sets = &self.language.sets;
        let (Some(first), Some(last)) = (topic.first(), topic.last()) else {
            return false;
        };
        let begins = sets
            .which
            .at(self.words, 0)
            .is_some_and(|(_, at)| at == *first);
        let there_were = sets.there_were.at(self.words, last + 1).is_some();
        begins && self.stand_together(topic) && there_were && self.is_plural(*last)
    }

    /// Whether nothing but values and times stands between the words of a topic:
    /// "relay vacuum trips" where `vacuum` is a value.
    fn stand_together(&self, topic: &[usize]) -> bool {
        let (Some(first), Some(last)) = (topic.first(), topic.last()) else {
            return true;
        };
        let mut places = *first..*last;
        places.all(|place| topic.contains(&place) || self.is_read(&self.words[place]))
    }

    /// A question that begins with a verb or a preposition is about an event.
    fn begins_with_noun(&self) -> bool {
        let first = self.words.first();
        first.is_some_and(|word| !is_stop_word(&word.folded))
    }

    /// Whether a word has the form of a plural.
    pub(super) fn is_plural(&self, place: usize) -> bool {
        let word = &self.words[place].folded;
        let forms = self.language.plurals.other_forms(word);
        self.language.sets.irregular_plurals.contains(word)
            || forms.iter().any(|form| form.len() < word.len())
    }

    /// Whether the number asked for is one of entries: "how many pumps failed"
    /// asks for one that an entry states, and "how many jellyfish events" or "how
    /// many leaks at Surry" for one of entries. Of the latter all other words
    /// follow what asks, values aside, the last of them in the plural.
    pub(super) fn counts_entries(&self, roles: &Roles, is_grouped: bool) -> bool {
        let topic = roles.topic.as_slice();
        let (Some(first), Some(last)) = (topic.first(), topic.last()) else {
            return true;
        };
        let follows_asking = self.follows_asking(*first);
        let is_together = self.stand_together(topic);
        let is_amount = self.language.is_unit(&self.words[*last].folded);
        is_grouped
            || self.names_entry()
            || roles.has_flag
            || self.has(&self.language.sets.times)
            || (follows_asking && is_together && self.is_plural(*last) && !is_amount)
    }
}
