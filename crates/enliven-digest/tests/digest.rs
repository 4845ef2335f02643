//! The same bits every time, on any number of threads, and on every platform.

use enliven_digest::{CASES, fox_body, fox_clips, rabbit, rabbit_body};

/// What has been caught so: nothing yet. When a digest changes because the motion was meant to
/// change, run `cargo run -p enliven-digest` and put the new number into `CASES`.
#[test]
fn digests_are_the_golden_ones() {
    for case in CASES {
        let got = (case.run)();
        assert_eq!(got, case.golden, "{}: {got:#018x}", case.name);
    }
}

#[test]
fn one_thread_and_many_give_the_same() {
    let body = rabbit_body();
    let fox = fox_body().expect("the fox is read");
    let seeds: Vec<u64> = (0..12).collect();
    let run = |seed: &u64| [rabbit(&body, *seed), fox_clips(&fox, *seed)];
    let alone: Vec<[u64; 2]> = seeds.iter().map(run).collect();
    for threads in [2, 5] {
        let mut together = vec![[0; 2]; seeds.len()];
        let share = seeds.len().div_ceil(threads);
        std::thread::scope(|scope| {
            for (seeds, out) in seeds.chunks(share).zip(together.chunks_mut(share)) {
                scope.spawn(move || {
                    for (seed, out) in seeds.iter().zip(out) {
                        *out = run(seed);
                    }
                });
            }
        });
        assert_eq!(together, alone, "{threads} threads");
    }
    let mut rabbits: Vec<u64> = alone.iter().map(|d| d[0]).collect();
    rabbits.sort_unstable();
    rabbits.dedup();
    assert_eq!(rabbits.len(), seeds.len(), "seeds differ");
}
