//! How long the artifacts take: grammar, schemas and tool files of each built-in profile, from nothing.
//!
//! The named peer in the same run is `schemars`, writing the normal form's schema: what a program without a grammar pays.

use askgbnf::ask::artifacts;
use askgbnf::ask::profiles;
use askgbnf::json_schema::Dialect;

fn main() {
    divan::main();
}

#[divan::bench(args = ["ask", "unchain", "dreb"])]
fn all_artifacts(id: &str) -> usize {
    let profile = profiles::by_id(id).expect("a built-in profile");
    artifacts::generate(&*profile, &Dialect::ALL).expect("a grammar").len()
}

#[divan::bench]
fn peer_schemars_normal_form() -> usize {
    artifacts::normal_form().text.len()
}
