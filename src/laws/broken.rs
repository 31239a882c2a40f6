//! Wires as models break them: a valid wire with a few structural changes. Deterministic for a seed.

use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};

use crate::testing::below;

/// A copy of `wire` with up to `changes` changes: a key dropped or renamed, a value of another type, an array cut to one
/// or emptied, an item listed twice, a text blanked or marked.
pub(super) fn broken_wire(wire: &Value, rng: &mut ChaCha8Rng, changes: usize) -> Value {
    let mut value = wire.clone();
    for _ in 0..changes {
        let nodes = count(&value);
        let mut target = below(rng, nodes);
        change(&mut value, &mut target, rng);
    }
    value
}

fn count(value: &Value) -> usize {
    1 + match value {
        Value::Array(items) => items.iter().map(count).sum(),
        Value::Object(map) => map.values().map(count).sum(),
        _ => 0,
    }
}

/// Walks to the `target`-th node and changes it; true once done.
fn change(value: &mut Value, target: &mut usize, rng: &mut ChaCha8Rng) -> bool {
    if *target == 0 {
        *value = changed(value, rng);
        return true;
    }
    *target -= 1;
    match value {
        Value::Array(items) => items.iter_mut().any(|item| change(item, target, rng)),
        Value::Object(map) => map.values_mut().any(|item| change(item, target, rng)),
        _ => false,
    }
}

fn changed(value: &Value, rng: &mut ChaCha8Rng) -> Value {
    let pick = below(rng, 6);
    match value {
        Value::Array(items) if !items.is_empty() => {
            let mut items = items.clone();
            match pick {
                0 => items.truncate(1),
                1 => items.clear(),
                2 => items.push(items[0].clone()),
                3 => return Value::from(Value::Array(items).to_string()),
                4 => return items.swap_remove(0),
                _ => items.reverse(),
            }
            Value::Array(items)
        }
        Value::Object(map) if !map.is_empty() => {
            let mut map = map.clone();
            let at = below(rng, map.len());
            let key = map.keys().nth(at).cloned().unwrap_or_default();
            let old = map.shift_remove(&key).unwrap_or_default();
            match pick {
                0 | 1 => {}
                2 => drop(map.insert(format!("{key}_text"), old)),
                3 => drop(map.insert(key, Value::Null)),
                4 => drop(map.insert(key, json!({ "value": old }))),
                _ => drop(map.insert("answers".into(), old)),
            }
            Value::Object(map)
        }
        Value::String(text) => match pick {
            0 => Value::from(" \n"),
            1 => Value::from(format!("{text} (Recommended)")),
            2 => Value::from(format!("1. {text}")),
            3 => Value::from(format!("\u{202E}{text}\u{0}  x")),
            4 => json!({ "label": text }),
            _ => Value::from("Please choose a folder"),
        },
        Value::Bool(b) => match pick {
            0 | 1 => Value::from(!b),
            2 | 3 => Value::from(b.to_string()),
            _ => Value::Null,
        },
        Value::Number(n) => match pick {
            0 => Value::from(0),
            1 => Value::from(n.to_string()),
            2 => Value::from(-1),
            3 => Value::from(99),
            _ => Value::from(1.5),
        },
        _ => Value::from(pick),
    }
}
