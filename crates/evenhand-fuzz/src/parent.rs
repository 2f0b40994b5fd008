//! Watches over `child`: starts it with a limit on memory, starts it again where it dies, and sums up.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use crate::targets::{ALL, named};

/// Address space of the child, in kB: two gigabytes for inputs, and what it has without any.
const MOST_MEMORY: u64 = (2 << 20) + (384 << 10);

/// After this many deaths something is known to be wrong.
const MOST_DEATHS: usize = 20;

/// What the command line asks for.
pub(crate) struct Asked {
    minutes: f64,
    /// So many turns at most.
    turns: u64,
    seed: u64,
    targets: Vec<String>,
}

impl Asked {
    pub(crate) fn read(words: &[&str]) -> Result<Self, String> {
        let clock = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        let mut asked = Self { minutes: 2.0, turns: u64::MAX, seed: clock << 8, targets: Vec::new() };
        let mut words = words.iter();
        while let Some(&word) = words.next() {
            match word {
                "--minutes" => asked.minutes = number(word, words.next())?,
                "--turns" => asked.turns = number(word, words.next())?,
                "--seed" => asked.seed = number(word, words.next())?,
                name => asked.targets.push(named(name)?.name.to_owned()),
            }
        }
        if asked.targets.is_empty() {
            asked.targets = ALL.iter().map(|target| target.name.to_owned()).collect();
        }
        Ok(asked)
    }
}

fn number<T: std::str::FromStr>(option: &str, text: Option<&&str>) -> Result<T, String> {
    text.and_then(|text| text.parse().ok()).ok_or_else(|| format!("{option} needs a number"))
}

/// What all children together have done.
#[derive(Default)]
struct Sum {
    /// Inputs, accepted ones, seconds, and the longest input, by target.
    counts: BTreeMap<String, [f64; 4]>,
    found: Vec<String>,
    peak: u64,
}

/// Looks on. Whether nothing was found.
pub(crate) fn run(asked: &Asked) -> Result<bool, String> {
    let folder = PathBuf::from(std::env::var_os("CARGO_TARGET_DIR").unwrap_or("target".into())).join("fuzz");
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    println!("{} for {} minutes at most from seed {}", asked.targets.join(", "), asked.minutes, asked.seed);
    let (begun, mut sum) = (Instant::now(), Sum::default());
    for death in 0..=MOST_DEATHS as u64 {
        let left = asked.minutes * 60.0 - begun.elapsed().as_secs_f64();
        if left <= 0.0 && death > 0 {
            break;
        }
        if child(asked, asked.seed.wrapping_add(death << 24), left, &folder, &mut sum)? {
            break;
        }
    }
    sum.tell();
    Ok(sum.found.is_empty())
}

/// Runs one child to its end. Whether that was its own.
fn child(asked: &Asked, seed: u64, seconds: f64, folder: &Path, sum: &mut Sum) -> Result<bool, String> {
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut process = Command::new("sh")
        .args(["-c", &format!("ulimit -v {MOST_MEMORY}; exec \"$0\" \"$@\"")])
        .arg(own)
        .arg("child")
        .args([seed.to_string(), seconds.to_string(), asked.turns.to_string()])
        .arg(folder)
        .args(&asked.targets)
        // One thread: no result depends on their number, and the machine may be needed.
        .env("RAYON_NUM_THREADS", "1")
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| error.to_string())?;
    let mut slow = false;
    for line in BufReader::new(process.stdout.take().ok_or("no output")?).lines().map_while(Result::ok) {
        slow |= line == "slow";
        sum.take(&line);
    }
    let status = process.wait().map_err(|error| error.to_string())?;
    if matches!(status.code(), Some(0 | 1)) {
        return Ok(true);
    }
    let at = std::fs::read_to_string(folder.join("current")).unwrap_or_default();
    let what = match status.signal() {
        Some(signal) => format!("ended by signal {signal}: out of memory, or an abort"),
        None if slow => "takes more than 20 seconds".to_owned(),
        None => return Err(format!("the child ended with {status} at {at}")),
    };
    sum.add(format!("{} {what}", at.trim()));
    Ok(false)
}

impl Sum {
    fn take(&mut self, line: &str) {
        let fields: Vec<&str> = line.split(' ').collect();
        match fields.as_slice() {
            ["count", target, numbers @ ..] => {
                let sums = self.counts.entry((*target).to_owned()).or_default();
                let numbers: Vec<f64> = numbers.iter().filter_map(|number| number.parse().ok()).collect();
                for (sum, number) in sums[..3].iter_mut().zip(&numbers) {
                    *sum += number;
                }
                sums[3] = sums[3].max(numbers.get(3).copied().unwrap_or(0.0));
            }
            ["peak", number] => self.peak = self.peak.max(number.parse().unwrap_or(0)),
            ["found", ..] => self.add(line.trim_start_matches("found ").to_owned()),
            _ => {}
        }
    }

    fn add(&mut self, found: String) {
        println!("FOUND {found}");
        self.found.push(found);
    }

    fn tell(&self) {
        println!("{:<10}{:>12}{:>12}{:>10}{:>14}", "target", "inputs", "accepted", "seconds", "longest (s)");
        let mut total = 0.0;
        for (target, [inputs, accepted, seconds, longest]) in &self.counts {
            total += inputs;
            println!("{target:<10}{inputs:>12}{accepted:>12}{seconds:>10.0}{longest:>14.3}");
        }
        println!("{total} inputs, {} found; {} MB of memory at most", self.found.len(), self.peak >> 10);
        if !self.found.is_empty() {
            println!("Again: fuzz replay TARGET SEED, or with the file that stands beside the seed.");
        }
    }
}
