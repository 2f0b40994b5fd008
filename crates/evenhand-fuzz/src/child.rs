//! The process that runs inputs: panics are caught, the clock is watched, and where it dies `parent` knows at which input.

use std::collections::{BTreeMap, HashSet};
use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use arbitrary::Unstructured;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::ground::Ground;
use crate::targets::{Checked, Target, named};

/// So much processor time an input may take, in seconds.
const LONGEST: f64 = 20.0;

/// Random bytes an input is made of.
const ENTROPY: usize = 2048;

/// How many inputs have begun: the clock tells by it whether one goes on for too long.
static BEGUN: AtomicU64 = AtomicU64::new(0);

/// Where the last panic was, and what it said.
static PANIC: Mutex<String> = Mutex::new(String::new());

/// What a target has taken so far.
#[derive(Default)]
struct Count {
    inputs: u64,
    accepted: u64,
    seconds: f64,
    longest: f64,
}

/// Runs inputs of these targets, for so many seconds and turns at most. Whether nothing was found.
pub(crate) fn run([seed, seconds, turns]: [&str; 3], folder: &str, targets: &[&str]) -> Result<bool, String> {
    let seed: u64 = seed.parse().map_err(|_| "a seed is a number")?;
    // Runs from seeds that are close to each other have no inputs in common.
    let seed = ChaCha8Rng::seed_from_u64(seed).next_u64();
    let seconds: f64 = seconds.parse().map_err(|_| "seconds are a number")?;
    let turns: u64 = turns.parse().map_err(|_| "turns are a number")?;
    let targets: Vec<&Target> = targets.iter().map(|name| named(name)).collect::<Result<_, _>>()?;
    let folder = PathBuf::from(folder);
    let mut current = File::create(folder.join("current")).map_err(|error| error.to_string())?;
    let ground = Ground::new()?;
    watch_panics();
    watch_clock();
    let mut finder = Finder { folder, known: HashSet::new(), found: 0 };
    for (name, input) in ground.corpus.iter().filter(|(name, _)| targets.iter().any(|target| target.name == name)) {
        let _ = current.seek(SeekFrom::Start(0)).and_then(|_| current.write_all(b"corpus                    "));
        finder.put(&ground, named(name)?, 0, input);
    }
    let (begun, mut counts, mut turn) = (Instant::now(), BTreeMap::<&str, Count>::new(), 0_u64);
    while turn < turns && begun.elapsed().as_secs_f64() < seconds {
        for target in &targets {
            let count = counts.entry(target.name).or_default();
            let start = Instant::now();
            for number in 0..target.turn {
                let one = seed.wrapping_add(turn << 32).wrapping_add(number);
                let line = format!("{:<10}{one:<20}", target.name);
                let _ = current.seek(SeekFrom::Start(0)).and_then(|_| current.write_all(line.as_bytes()));
                let input = make(&ground, target, one);
                let before = Instant::now();
                count.accepted += u64::from(finder.put(&ground, target, one, &input));
                count.longest = count.longest.max(before.elapsed().as_secs_f64());
            }
            count.inputs += target.turn;
            count.seconds += start.elapsed().as_secs_f64();
        }
        turn += 1;
    }
    for (name, count) in counts {
        println!("count {name} {} {} {:.1} {:.3}", count.inputs, count.accepted, count.seconds, count.longest);
    }
    println!("peak {}", status("VmHWM:"));
    Ok(finder.found == 0)
}

/// Puts files, or the input of a seed, to a target.
pub(crate) fn replay(target: &str, inputs: &[&str]) -> Result<bool, String> {
    // Panics are told as always, with RUST_BACKTRACE if it is set.
    let (target, ground) = (named(target)?, Ground::new()?);
    let mut fine = true;
    for name in inputs {
        let (path, input) = match name.parse::<u64>() {
            Ok(seed) => {
                let input = make(&ground, target, seed);
                let path = keep(Path::new("."), target, seed, &input)?;
                (path, input)
            }
            Err(_) => (PathBuf::from(name), std::fs::read(name).map_err(|error| format!("{name}: {error}"))?),
        };
        let (begun, checked) = (Instant::now(), put(&ground, target, &input));
        fine &= checked.is_ok();
        println!("{}: {checked:?} in {:.3} s", path.display(), begun.elapsed().as_secs_f64());
    }
    Ok(fine)
}

/// The input of a seed: the same in every run, as long as targets and corpus stay the same.
fn make(ground: &Ground, target: &Target, seed: u64) -> Vec<u8> {
    let mut bytes = vec![0; ENTROPY];
    ChaCha8Rng::seed_from_u64(seed).fill_bytes(&mut bytes);
    (target.make)(ground, &mut Unstructured::new(&bytes)).unwrap_or_default()
}

/// Runs one input; a panic is something found.
fn put(ground: &Ground, target: &Target, input: &[u8]) -> Checked {
    BEGUN.fetch_add(1, Ordering::Relaxed);
    catch_unwind(AssertUnwindSafe(|| (target.check)(ground, input))).unwrap_or_else(|_| {
        let said = PANIC.lock().map(|said| said.clone()).unwrap_or_default();
        Err(format!("panicked {said}"))
    })
}

/// Tells what is found, once for each thing.
struct Finder {
    folder: PathBuf,
    known: HashSet<String>,
    found: usize,
}

impl Finder {
    /// Whether an input was accepted.
    fn put(&mut self, ground: &Ground, target: &Target, seed: u64, input: &[u8]) -> bool {
        match put(ground, target, input) {
            Ok(accepted) => accepted,
            Err(problem) => {
                self.found += 1;
                // Numbers differ from input to input.
                let kind: String =
                    problem.chars().filter(|c| c.is_alphabetic() || c.is_whitespace()).take(60).collect();
                if self.known.insert(format!("{}{kind}", target.name)) {
                    let place = keep(&self.folder, target, seed, input).unwrap_or_default();
                    let problem: String = problem.replace(['\n', '\r'], " / ").chars().take(600).collect();
                    println!("found {} {seed} {} {problem}", target.name, place.display());
                }
                false
            }
        }
    }
}

fn keep(folder: &Path, target: &Target, seed: u64, input: &[u8]) -> Result<PathBuf, String> {
    let path = folder.join(format!("{}-{seed}", target.name));
    std::fs::write(&path, input).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(path)
}

fn watch_panics() {
    std::panic::set_hook(Box::new(|panic| {
        if let Ok(mut said) = PANIC.lock() {
            *said = panic.to_string();
        }
    }));
}

/// Ends the process where one input takes too much processor time; `parent` knows which one it was.
fn watch_clock() {
    std::thread::spawn(|| {
        let (mut seen, mut since) = (0, 0.0);
        loop {
            std::thread::sleep(Duration::from_secs(1));
            let (begun, now) = (BEGUN.load(Ordering::Relaxed), processor_seconds());
            if begun != seen {
                (seen, since) = (begun, now);
            } else if begun > 0 && now - since > LONGEST {
                println!("slow");
                std::process::exit(3);
            }
        }
    });
}

/// What the process has computed so far: other processes do not count.
fn processor_seconds() -> f64 {
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    let read = || -> Option<f64> {
        let text = std::fs::read_to_string("/proc/self/stat").ok()?;
        let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
        // User and system time, in hundredths of a second.
        Some((fields.get(11)?.parse::<f64>().ok()? + fields.get(12)?.parse::<f64>().ok()?) / 100.0)
    };
    read().unwrap_or_else(|| START.get_or_init(Instant::now).elapsed().as_secs_f64())
}

/// A line about this process, in kB.
fn status(key: &str) -> String {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(key));
    line.and_then(|line| line.split_whitespace().next()).unwrap_or("0").to_owned()
}
