//! The outcome as the JSON that `askgbnf normalize` prints.

use serde_json::{Map, Value, json};

use super::{Normalized, Outcome, Rejection};

/// The one JSON object that says what became of raw arguments: `outcome`, then the call's fields, `extra` and `repairs`,
/// or the `error`. Fields without a value are left out.
#[must_use]
pub fn report(outcome: &Result<Normalized, Rejection>) -> Value {
    let mut out = Map::new();
    match outcome {
        Ok(read) => {
            out.insert("outcome".into(), json!(read.outcome()));
            if let Value::Object(call) = json!(read.call) {
                out.extend(call);
            }
            if !read.extra.is_empty() {
                out.insert("extra".into(), json!(read.extra));
            }
            if !read.repairs.is_empty() {
                out.insert("repairs".into(), json!(read.repairs));
            }
        }
        Err(error) => {
            out.insert("outcome".into(), json!(Outcome::Reject));
            out.insert("error".into(), json!(error));
        }
    }
    Value::Object(out)
}
