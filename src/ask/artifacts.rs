//! The files that `askgbnf generate` writes for a profile: its grammar, its schemas, its tool definitions.
//!
//! Same input, same bytes, everywhere: nothing here depends on the machine, the time or the features of the build.

use serde_json::{Value, json};

use crate::ask::Call;
use crate::ask::profiles::Profile;
use crate::gbnf::{self, Grammar, ShapeError};
use crate::json_schema::{self, Dialect};

/// One file to write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Artifact {
    /// Its path below the output directory, with `/`.
    pub path: String,
    /// What it is, as `--artifact` names it.
    pub kind: ArtifactKind,
    /// The target it is for, where it is for one.
    pub target: Option<Dialect>,
    /// Its text.
    pub text: String,
}

/// What a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ArtifactKind {
    /// The grammar of the bare arguments.
    Gbnf,
    /// The arguments' schema.
    Schema,
    /// The tool in its provider's envelope.
    Tool,
}

/// The grammar of a profile's arguments, with its header.
///
/// # Errors
/// [`ShapeError`] if the profile's shape has no grammar; never for a built-in profile with valid limits.
pub fn grammar(profile: &dyn Profile) -> Result<Grammar, ShapeError> {
    Ok(gbnf::from_shape(&profile.shape())?.with_header(header(profile)))
}

fn header(profile: &dyn Profile) -> Vec<String> {
    let limits = profile.limits();
    vec![
        format!(
            "askgbnf {}: the arguments of {} (profile {})",
            env!("CARGO_PKG_VERSION"),
            profile.tool_name(),
            profile.id()
        ),
        format!(
            "limits: questions {}-{}, options {}-{}; code points: question {}, header {}, label {}, description {}, hint {}, value {}",
            limits.questions.min,
            limits.questions.max,
            limits.options.min,
            limits.options.max,
            limits.question,
            limits.header,
            limits.label,
            limits.description,
            limits.hint,
            limits.value,
        ),
        format!("configuration {:016x}", configuration_hash(profile)),
    ]
}

/// FNV-1a (64 bit) of the profile's configuration as JSON: tells two grammars of one profile apart, no more.
fn configuration_hash(profile: &dyn Profile) -> u64 {
    let mut configuration = json!({ "profile": profile.id(), "limits": profile.limits() });
    let changes = profile.lexicon().changes();
    if !changes.is_empty() {
        configuration["lexicon"] = json!(changes);
    }
    let text = configuration.to_string();
    text.bytes().fold(0xCBF2_9CE4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3))
}

/// The schema of a profile's arguments.
#[must_use]
pub fn schema(profile: &dyn Profile, target: Dialect) -> Value {
    json_schema::write(&profile.shape(), target)
}

/// The tool as the target's requests carry it: MCP's form for `canonical`, the form of OpenAI's chat completions (which
/// llama-server and Ollama read) for the others.
#[must_use]
pub fn tool(profile: &dyn Profile, target: Dialect) -> Value {
    let schema = schema(profile, target);
    match target {
        Dialect::Canonical => json!({
            "name": profile.tool_name(),
            "description": profile.description(),
            "inputSchema": schema,
        }),
        _ => json!({
            "type": "function",
            "function": {
                "name": profile.tool_name(),
                "description": profile.description(),
                "parameters": schema,
            }
        }),
    }
}

/// All the files of one profile for these targets.
///
/// # Errors
/// As [`grammar`].
pub fn generate(profile: &dyn Profile, targets: &[Dialect]) -> Result<Vec<Artifact>, ShapeError> {
    let id = profile.id();
    let mut out = vec![Artifact {
        path: format!("{id}/{id}.gbnf"),
        kind: ArtifactKind::Gbnf,
        target: None,
        text: grammar(profile)?.to_string(),
    }];
    for &target in targets {
        for (kind, name, value) in [
            (ArtifactKind::Schema, "schema", schema(profile, target)),
            (ArtifactKind::Tool, "tool", tool(profile, target)),
        ] {
            let path = format!("{id}/{id}.{}.{name}.json", target.id());
            out.push(Artifact { path, kind, target: Some(target), text: pretty(&value) });
        }
    }
    Ok(out)
}

/// The schema of the normal form, which every command prints and reads.
#[must_use]
pub fn normal_form() -> Artifact {
    let schema = schemars::schema_for!(Call);
    Artifact {
        path: "normal-form.schema.json".into(),
        kind: ArtifactKind::Schema,
        target: None,
        text: pretty(schema.as_value()),
    }
}

fn pretty(value: &Value) -> String {
    // Two spaces, keys in order: `Value`'s alternate form is serde_json's pretty printer.
    format!("{value:#}\n")
}
