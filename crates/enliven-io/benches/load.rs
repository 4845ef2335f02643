//! What it takes to make a character of a file's bytes.
//!
//! `cargo bench -p enliven-io --bench load -- FILE …` prints, for each file, the fastest of many rounds
//! in microseconds: read as it is, read without the checks of rules, and the bytes. For instruction
//! counts the same program runs one unit under callgrind: `load FILE checked|unchecked ROUNDS`; the
//! difference of two runs with different ROUNDS is the count, free of set-up.
#![allow(clippy::print_stdout)] // Printing is what it is for.

use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

use enliven_io::{Bytes, NoFiles, Options, import};

/// Time that each unit is tried for.
const TRIED: Duration = Duration::from_millis(1500);

fn load(bytes: &Bytes, unchecked: bool) -> usize {
    let options = Options { unchecked, ..Options::default() };
    match import(bytes.clone(), &mut NoFiles, &options) {
        Ok(import) => import.character.meshes.len(),
        Err(error) => {
            eprintln!("{error}");
            0
        }
    }
}

fn fastest(bytes: &Bytes, unchecked: bool) -> Duration {
    let (start, mut best) = (Instant::now(), Duration::MAX);
    while start.elapsed() < TRIED {
        let round = Instant::now();
        black_box(load(black_box(bytes), unchecked));
        best = best.min(round.elapsed());
    }
    best
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    let read = |path: &str| std::fs::read(path).map(Bytes::from);
    if let [file, unit @ ("checked" | "unchecked"), rounds] =
        arguments.iter().map(String::as_str).collect::<Vec<_>>()[..]
    {
        let Ok(bytes) = read(file) else { return eprintln!("cannot read {file}") };
        for _ in 0..rounds.parse().unwrap_or(1) {
            black_box(load(&bytes, unit == "unchecked"));
        }
        return;
    }
    for file in &arguments {
        let Ok(bytes) = read(file) else {
            eprintln!("cannot read {file}");
            continue;
        };
        let name = Path::new(file).file_name().unwrap_or_default().to_string_lossy();
        let (checked, plain) = (fastest(&bytes, false), fastest(&bytes, true));
        let us = |d: Duration| d.as_secs_f64() * 1e6;
        println!("{name:<28} {:>9.0} {:>9.0} {:>9}", us(checked), us(plain), bytes.len());
    }
}
