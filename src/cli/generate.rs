//! `askgbnf generate`: writes each profile's grammar, schemas and tool definitions, or compares them with what is there.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use serde_json::json;

use super::output::{Out, visible};
use super::problem::{Problem, Stop};
use super::{Common, Exit, Format, select};
use crate::ask::artifacts::{self, Artifact, ArtifactKind};
use crate::ask::profiles::Profile;
use crate::json_schema::Dialect;

/// Where artifacts go by default.
pub(super) const DIRECTORY: &str = "grammars";

/// Write grammars, schemas and tool definitions.
///
/// Same input, same bytes, everywhere. A file that is already right is left alone.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// A tool; may be repeated. Default: all.
    #[arg(long, value_name = "P")]
    profile: Vec<String>,
    /// What will read the schemas: canonical, llama-cpp or portable; may be repeated. Default: all three.
    #[arg(long, value_name = "T")]
    target: Vec<Dialect>,
    /// The directory to write into.
    #[arg(long, value_name = "DIR", default_value = DIRECTORY)]
    out: PathBuf,
    /// Write nothing; exit 1 and name the files that differ, are missing, or are there without a reason.
    #[arg(long, conflicts_with = "stdout")]
    check: bool,
    /// Print one artifact instead of writing files.
    #[arg(long)]
    stdout: bool,
    /// Which one. A schema or tool is for the canonical target unless --target says otherwise.
    #[arg(long, value_enum, requires = "stdout")]
    artifact: Option<Wanted>,
}

/// What `--artifact` can name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Wanted {
    /// The grammar of the bare arguments.
    Gbnf,
    /// The schema of the arguments.
    Schema,
    /// The tool definition.
    Tool,
}

/// How a file stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// It was written now.
    Written,
    /// It is as it should be.
    Same,
    /// Its bytes are others.
    Differs,
    /// It is not there.
    Missing,
    /// It looks like an artifact, and nothing makes it.
    Extra,
}

impl State {
    pub(super) fn word(self) -> &'static str {
        match self {
            State::Written => "written",
            State::Same => "same",
            State::Differs => "differs",
            State::Missing => "missing",
            State::Extra => "extra",
        }
    }

    /// True if the file is not what it should be.
    pub(super) fn is_finding(self) -> bool {
        matches!(self, State::Differs | State::Missing | State::Extra)
    }
}

pub(super) fn run(args: &Args, common: &Common, out: &mut Out) -> Result<Exit, Stop> {
    let profiles = select::profiles(&common.config()?, &args.profile)?;
    if args.stdout {
        return print_one(args, &profiles, out);
    }
    let targets = if args.target.is_empty() { Dialect::ALL.to_vec() } else { args.target.clone() };
    let artifacts = make(&profiles, &targets, args.profile.is_empty())?;
    let mut files = Vec::new();
    for artifact in &artifacts {
        let path = args.out.join(&artifact.path);
        let state = if args.check { compare(&path, artifact)? } else { bring_up_to_date(&path, artifact)? };
        files.push((path, state));
    }
    // With only some of the targets, the files of the others have their reason.
    if args.check && args.target.is_empty() {
        let folders = if args.profile.is_empty() { vec![args.out.clone()] } else { homes(&args.out, &profiles) };
        for path in extra(&folders, &args.out, &artifacts)? {
            files.push((path, State::Extra));
        }
    }
    report(&files, args, common.format, out)
}

/// All artifacts; the normal form's schema among them if no profile was named.
fn make(profiles: &[Box<dyn Profile>], targets: &[Dialect], all: bool) -> Result<Vec<Artifact>, Problem> {
    let mut made = Vec::new();
    for profile in profiles {
        let files = artifacts::generate(profile.as_ref(), targets)
            .map_err(|error| Problem::new(format!("profile {}: {error}", profile.id())))?;
        made.extend(files);
    }
    if all {
        made.push(artifacts::normal_form());
    }
    Ok(made)
}

/// Compares the artifacts of the profiles that have a directory in `directory`, and with `all` and any of them the normal
/// form's schema. For the release gate.
pub(super) fn stale(
    directory: &Path,
    profiles: &[Box<dyn Profile>],
    all: bool,
) -> Result<Vec<(PathBuf, State)>, Problem> {
    let mut files = Vec::new();
    for profile in profiles {
        let home = directory.join(profile.id());
        if !home.is_dir() {
            continue;
        }
        let made = artifacts::generate(profile.as_ref(), &Dialect::ALL)
            .map_err(|error| Problem::new(format!("profile {}: {error}", profile.id())))?;
        for artifact in &made {
            let path = directory.join(&artifact.path);
            let state = compare(&path, artifact)?;
            files.push((path, state));
        }
        for path in extra(&[home], directory, &made)? {
            files.push((path, State::Extra));
        }
    }
    if all && !files.is_empty() {
        let artifact = artifacts::normal_form();
        let path = directory.join(&artifact.path);
        let state = compare(&path, &artifact)?;
        files.push((path, state));
    }
    Ok(files)
}

fn homes(directory: &Path, profiles: &[Box<dyn Profile>]) -> Vec<PathBuf> {
    profiles.iter().map(|profile| directory.join(profile.id())).collect()
}

fn print_one(args: &Args, profiles: &[Box<dyn Profile>], out: &mut Out) -> Result<Exit, Stop> {
    let one_only = |flag: &str, found: usize| {
        Problem::new("--stdout prints one artifact")
            .found(format!("{found} to choose from"))
            .help(format!("name one with {flag}"))
    };
    let [profile] = profiles else {
        return Err(one_only("--profile", profiles.len()).into());
    };
    let target = match args.target.as_slice() {
        [] => Dialect::Canonical,
        [target] => *target,
        several => return Err(one_only("--target", several.len()).into()),
    };
    let wanted = match args.artifact.unwrap_or(Wanted::Gbnf) {
        Wanted::Gbnf => ArtifactKind::Gbnf,
        Wanted::Schema => ArtifactKind::Schema,
        Wanted::Tool => ArtifactKind::Tool,
    };
    let made = artifacts::generate(profile.as_ref(), &[target])
        .map_err(|error| Problem::new(format!("profile {}: {error}", profile.id())))?;
    match made.iter().find(|artifact| artifact.kind == wanted) {
        Some(artifact) => out.raw(artifact.text.as_bytes())?,
        None => return Err(Problem::new(format!("profile {} has no such artifact", profile.id())).into()),
    }
    Ok(Exit::Good)
}

fn compare(path: &Path, artifact: &Artifact) -> Result<State, Problem> {
    match fs::read(path) {
        Ok(bytes) if bytes == artifact.text.as_bytes() => Ok(State::Same),
        Ok(_) => Ok(State::Differs),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(State::Missing),
        Err(error) => Err(Problem::file("read", path, &error)),
    }
}

fn bring_up_to_date(path: &Path, artifact: &Artifact) -> Result<State, Problem> {
    if compare(path, artifact)? == State::Same {
        return Ok(State::Same);
    }
    write_whole(path, artifact.text.as_bytes()).map_err(|error| Problem::file("write", path, &error))?;
    Ok(State::Written)
}

/// Writes a file so that a reader sees the old bytes or the new ones, never a part: into a new file beside it, which then takes
/// its name.
pub(super) fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let beside = folder.join(format!(".{name}.{}.tmp", std::process::id()));
    let written = fill(&beside, bytes).and_then(|()| fs::rename(&beside, path));
    if written.is_err() {
        // The first error is the one to tell; what is left behind is at most one file with a name that says so.
        drop(fs::remove_file(&beside));
    }
    written
}

fn fill(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file: File = OpenOptions::new().write(true).create_new(true).open(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// Files below the folders that are named like artifacts and are none of these. The output directory itself and one level below
/// it are looked at: that is where artifacts go.
fn extra(folders: &[PathBuf], directory: &Path, artifacts: &[Artifact]) -> Result<BTreeSet<PathBuf>, Problem> {
    let known: BTreeSet<PathBuf> = artifacts.iter().map(|artifact| directory.join(&artifact.path)).collect();
    let mut found = BTreeSet::new();
    for folder in folders {
        for path in entries(folder)? {
            if path.is_dir() && folder == directory {
                found.extend(entries(&path)?);
            } else {
                found.insert(path);
            }
        }
    }
    Ok(found.into_iter().filter(|path| looks_made(path) && !known.contains(path)).collect())
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, Problem> {
    let failed = |error: io::Error| Problem::file("read", folder, &error);
    match fs::read_dir(folder) {
        Ok(list) => list.map(|entry| entry.map(|e| e.path()).map_err(failed)).collect(),
        // Then everything is missing, which has been said.
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(failed(error)),
    }
}

fn looks_made(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    [".gbnf", ".schema.json", ".tool.json"].iter().any(|ending| name.ends_with(ending))
}

fn report(files: &[(PathBuf, State)], args: &Args, format: Format, out: &mut Out) -> Result<Exit, Stop> {
    let findings = files.iter().filter(|(_, state)| state.is_finding()).count();
    match format {
        Format::Json => {
            let list: Vec<_> = files
                .iter()
                .map(|(path, state)| json!({ "path": path.to_string_lossy(), "state": state.word() }))
                .collect();
            out.json(&json!({ "ok": findings == 0, "files": list }))?;
        }
        Format::Human => {
            for (path, state) in files {
                if *state != State::Same {
                    out.line(format_args!("{:<8} {}", state.word(), visible(&path.to_string_lossy())))?;
                }
            }
            let same = files.iter().filter(|(_, state)| *state == State::Same).count();
            if args.check {
                out.line(format_args!("{same} files as they should be, {findings} not"))?;
            } else {
                out.line(format_args!("{} files written, {same} already right", files.len() - same))?;
            }
        }
    }
    Ok(if findings == 0 { Exit::Good } else { Exit::Findings })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_whole_and_nothing_is_left_beside_it() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a/b.gbnf");
        write_whole(&path, b"one").unwrap();
        write_whole(&path, b"two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(entries(path.parent().unwrap()).unwrap(), [path]);
    }

    #[test]
    fn a_failed_write_leaves_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("b.gbnf");
        fs::create_dir(&path).unwrap();
        assert!(write_whole(&path, b"one").is_err());
        assert_eq!(entries(dir.path()).unwrap(), [path]);
    }
}
