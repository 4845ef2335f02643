//! Prints every digest of this platform: `NAME HEX`, one a line.

fn main() {
    for case in enliven_digest::CASES {
        println!("{} {:016x}", case.name, (case.run)());
    }
}
