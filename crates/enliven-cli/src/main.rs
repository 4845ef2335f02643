//! The `enliven` command.
fn main() {}
