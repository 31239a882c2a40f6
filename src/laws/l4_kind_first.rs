//! L4: the first key of a question that depends on the kind decides it, and the kinds part at one character.
//!
//! Decided on the grammar's rules (`gbnf/pushdown.rs`), for every text:
//!
//! - Before the last key that tells the kind ([`Profile::kind_keys`](crate::ask::profiles::Profile::kind_keys)) a question
//!   holds only keys that questions of every kind have ([`Profile::common_keys`](crate::ask::profiles::Profile::common_keys)).
//!   So what a question has before depends on nothing, and a question that has another key first, or ends, is without the
//!   kind's for good: that is free text where `options` decides.
//! - The words that a kind's key may have differ in their first character. (That the grammar writes no other word is L2b.)
//!   Where `options` decides, JSON itself parts `[]` from an array of options at the character behind the bracket.
//!
//! That the common keys are common is tested: the same question as free text and as a choice is written alike up to there.

use serde_json::Value;

use super::l6_no_placeholder::steps;
use super::{Law, LawResult, Status, Subject, decide};
use crate::ask::artifacts;
use crate::gbnf::pushdown::Verdict;
use crate::json_schema::Dialect;
use crate::json_schema::nodes::{Nodes, Step};
use crate::language::{Dfa, Expr};

pub(super) const LAW: Law = Law {
    id: "L4",
    name: "kind first",
    statement: "the first key of a question that depends on the kind decides it, and the kinds part at one character",
};

pub(super) fn check(subject: &Subject<'_>) -> Vec<LawResult> {
    let profile = subject.profile;
    let place = steps(profile.places().questions);
    let schema = artifacts::schema(profile, Dialect::Canonical);
    let question = place.iter().try_fold(&schema, |schema, step| match step {
        Step::Key(key) => schema.get("properties")?.get(key),
        Step::Items => schema.get("items"),
    });
    let kinds: Vec<&Value> = match question {
        Some(schema) => {
            let ways = schema.get("anyOf").or_else(|| schema.get("oneOf")).and_then(Value::as_array);
            ways.map_or(vec![schema], |ways| ways.iter().collect())
        }
        None => Vec::new(),
    };
    let properties = || kinds.iter().filter_map(|kind| kind.get("properties")?.as_object()).flatten();
    let told = profile.kind_keys();
    let mut dependent: Vec<&str> = properties().map(|(key, _)| key.as_str()).collect();
    dependent.retain(|key| !told.contains(key) && !profile.common_keys().contains(key));
    dependent.sort_unstable();
    dependent.dedup();

    if told.iter().any(|key| !properties().any(|(name, _)| name == key)) {
        let why = Some(format!("the schema has no question with each of {}", told.join(", ")));
        return vec![LawResult { why, ..subject.result(&LAW, "L4", Status::Failed, 0) }];
    }

    let ordered = Nodes::keys_in_order(&place, told, &dependent, &decide::BUDGET);
    let verdict = match decide::all_taken(&subject.grammar, ordered) {
        Verdict::Yes { instances } => instances,
        other => {
            let why = |_: &str| format!("a key of the kind ({}) comes behind one that depends on it", told.join(", "));
            return vec![decide::result(subject, &LAW, "L4", other, why)];
        }
    };
    for key in told {
        let mut words: Vec<&str> =
            properties().filter(|(name, _)| name == key).flat_map(|(_, schema)| words(schema)).collect();
        words.sort_unstable();
        words.dedup();
        let alike = words.windows(2).find_map(|pair| match pair {
            [one, other] if one.chars().next() == other.chars().next() => Some(*other),
            _ => None,
        });
        if let Some(word) = alike {
            // The shortest text with that word shows it.
            let path: Vec<Step<'_>> = place.iter().copied().chain([Step::Key(key)]).collect();
            let nodes = Dfa::from_expr(&Expr::literal(word).not(), &decide::BUDGET)
                .map_err(Into::into)
                .and_then(|others| Nodes::strings_at(&[(path.as_slice(), &others)], &decide::BUDGET));
            let why = |_: &str| format!("`{key}` has two words that begin alike, {word:?} among them");
            return vec![decide::result(subject, &LAW, "L4", decide::all_taken(&subject.grammar, nodes), why)];
        }
    }
    vec![decide::result(subject, &LAW, "L4", Verdict::Yes { instances: verdict }, str::to_owned)]
}

/// The strings that a schema allows, where it lists them.
fn words(schema: &Value) -> Vec<&str> {
    let listed = schema.get("enum").and_then(Value::as_array).into_iter().flatten();
    listed.chain(schema.get("const")).filter_map(Value::as_str).collect()
}

#[cfg(test)]
pub(super) mod pairs {
    //! The same question written as free text and as a choice: where do the two part?

    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::SeedableRng;

    use crate::ask::{Call, Choices, Form, FreeText, Kind, Question};
    use crate::gbnf::Verdict;
    use crate::laws::Subject;
    use crate::testing;

    /// Draws for one pair at most: about every second question can be written both ways.
    const DRAWS_PER_PAIR: usize = 8;

    /// How many pairs part where the law says, or the first that does not.
    pub(in crate::laws) fn part_at_the_kind(subject: &mut Subject<'_>) -> Result<usize, (String, String)> {
        let wanted = subject.options.samples as usize;
        let sampler = testing::CallSampler::new(subject.profile);
        let mut rng = ChaCha8Rng::seed_from_u64(subject.options.seed);
        let mut count = 0;
        for _ in 0..wanted * DRAWS_PER_PAIR {
            if count == wanted {
                break;
            }
            // One question is enough: where the kinds part, those before and behind it are the same.
            let call = sampler.sample(&mut rng);
            let Some(question) = call.questions().first() else { continue };
            let Some(choices) = question.choices().cloned() else { continue };
            let Some((text, choice)) = pair(subject, &call, question, choices) else { continue };
            count += 1;
            part(subject, &text, &choice).map_err(|why| (why, choice))?;
        }
        Ok(count)
    }

    /// The same question as free text and as a choice, on the wire; nothing where the wire cannot express one of them.
    fn pair(subject: &Subject<'_>, call: &Call, question: &Question, choices: Choices) -> Option<(String, String)> {
        let write = |form: Form| {
            let mut copy = Question::new(question.text.clone(), form);
            copy.title.clone_from(&question.title);
            let call = Call::new(call.title().cloned(), vec![copy], None).ok()?;
            let wire = subject.profile.render(&call).ok()?;
            Some(wire.to_string())
        };
        let as_choice = match question.kind() {
            Kind::Multi => question.form().clone(),
            _ => Form::Single(choices),
        };
        Some((write(Form::Text(FreeText::default()))?, write(as_choice)?))
    }

    /// Checks that the two texts part at a key of the kind.
    fn part(subject: &mut Subject<'_>, text: &str, choice: &str) -> Result<(), String> {
        let at = text.bytes().zip(choice.bytes()).take_while(|(a, b)| a == b).count();
        let keys = subject.profile.kind_keys();
        let parts_at = |key: &&str| {
            let key = format!("\"{key}\":");
            // From the comma before the key to the first character inside the value (past one quote or bracket).
            choice.find(&key).is_some_and(|start| (start.saturating_sub(1)..=start + key.len() + 1).contains(&at))
        };
        if !keys.iter().any(parts_at) {
            return Err(format!("the kinds part at byte {at}, not at a key of the kind ({})", keys.join(", ")));
        }
        // One character further, each text is on its own way, and the two ways differ by that character alone.
        for (name, own) in [("free text", text), ("choice", choice)] {
            let Some(next) = own.get(at..).and_then(|rest| rest.chars().next()) else {
                return Err(format!("the {name} ends where the other goes on"));
            };
            let upto = &own[..at + next.len_utf8()];
            match subject.matcher.run(upto) {
                Ok(Verdict::Match | Verdict::Prefix) => {}
                Ok(Verdict::Reject(_)) => return Err(format!("the {name} is not in the grammar up to byte {at}")),
                Err(error) => return Err(error.to_string()),
            }
        }
        Ok(())
    }
}
