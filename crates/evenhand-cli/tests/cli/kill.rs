//! Commands that write, killed at random moments: every file is old or complete, a signal that can be handled leaves nothing
//! temporary, and after the next start nothing is left of a kill that cannot.
//!
//! `EVENHAND_KILLS=500 cargo test -p evenhand-cli --test cli kill -- --nocapture` does more of them and prints what happened;
//! bench/kill/RESULTS.md has such a run.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Child, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use evenhand::{Model, ReadOptions, Table};
use rustix::process::{Pid, Signal, kill_process};

use crate::learner::SHARES;
use crate::support::{CliTest, RandomNumbers, data_folder, loans};

/// How many kills, unless the environment says otherwise.
const FEW: usize = 30;

const SIGNALS: [(&str, Signal); 3] = [("KILL", Signal::KILL), ("INT", Signal::INT), ("TERM", Signal::TERM)];

const TRAIN: &str = "loans.csv --label approved --ignore id --group sex --notion demographic-parity";

/// A command, and the files that it writes.
struct Case {
    name: &'static str,
    command: String,
    files: Vec<String>,
}

fn cases(data: Option<&str>) -> Vec<Case> {
    let case = |name, command: String, files: &[&str]| Case {
        name,
        command,
        files: files.iter().map(|&file| file.to_owned()).collect(),
    };
    let mut cases = vec![
        case(
            "fit",
            format!("fit {TRAIN} --model model.json --weights weights.csv --trace trace.csv --report fit.html"),
            &["model.json", "weights.csv", "trace.csv", "fit.html"],
        ),
        case(
            "fit --learner",
            format!(
                "fit {TRAIN} --ignore income --ignore age --max-fits 6 --learner 'sh shares.sh' --model shares.json"
            ),
            &["shares.json"],
        ),
        case("fit, many rows", format!("fit {TRAIN} --sample-rows 500 --memory 1kB --model many.json"), &["many.json"]),
        case("frontier", format!("frontier {TRAIN} --points 4 --out f.csv --report f.txt"), &["f.csv", "f.txt"]),
        case("sweep", format!("sweep {TRAIN} --steps 4 --out s.parquet --figure s.svg"), &["s.parquet", "s.svg"]),
        case("predict", "predict given.json loans.csv --out scored.csv".into(), &["scored.csv"]),
        case("predict, typed", "predict given.json loans.csv --out scored.parquet".into(), &["scored.parquet"]),
        case(
            "inject",
            "inject loans.csv --label approved --group sex --flip sex=female=0.3 --out biased.arrow".into(),
            &["biased.arrow"],
        ),
        case("audit", "audit loans.csv --label approved --group sex --report audit.md".into(), &["audit.md"]),
        case(
            "identify",
            "identify loans.csv --label approved --ignore id --group sex --report bias.html".into(),
            &["bias.html"],
        ),
        case("demo", "demo --rows 4000 --write demo.csv".into(), &["demo.csv"]),
    ];
    if let Some(data) = data {
        // Which files a folder has, gzipped or not, is seen when they were got.
        cases.push(case("data get", format!("data get bank german --from {data} --into ."), &[]));
        let paper = "paper --dataset german --notion demographic-parity --method unconstrained --method default";
        let files = &["paper/table.md", "paper/table.csv", "paper/table.json", "paper/sweep-german-default.svg"];
        cases.push(case("paper", format!("{paper} --data {data} --out paper"), files));
    }
    cases
}

/// What came of the kills of one command.
#[derive(Default)]
struct Tally {
    kills: usize,
    /// Something temporary was there when the signal was sent.
    amid: usize,
    /// The command had ended before.
    late: usize,
    /// Files were left by a kill that cannot be handled, and gone after the next start.
    swept: usize,
}

#[test]
fn kills_leave_every_file_old_or_complete_and_nothing_temporary() {
    let kills = std::env::var("EVENHAND_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(FEW);
    let room = Room::new();
    let data = data_folder();
    let mut cases = cases(data.as_deref());
    let mut rng = RandomNumbers::new(kills as u64);
    let mut tallies: Vec<Tally> = cases.iter().map(|_| Tally::default()).collect();
    let whole: Vec<Whole> = cases.iter_mut().map(|case| room.whole(case)).collect();
    for at in 0..kills {
        let place = at % cases.len();
        let (case, whole, tally) = (&cases[place], &whole[place], &mut tallies[place]);
        let (name, signal) = SIGNALS[usize::try_from(rng.below(3)).unwrap()];
        let context = format!("kill {at}: {}, SIG{name}", case.name);
        room.age(case);
        let mut child = room.start(&case.command);
        // Half of the moments are uniform over the run, half are when something is being written.
        let is_amid = if (at / cases.len()).is_multiple_of(2) {
            sleep(whole.takes.mul_f64(rng.below(1000) as f64 / 1000.0));
            !room.temporary().is_empty()
        } else {
            // Whether a place can be written to is tried first: each output has a temporary file twice.
            let which = 1 + usize::try_from(rng.below(2 * case.files.len() as u64)).unwrap();
            let is_amid = room.wait_for_temporary(&mut child, which);
            sleep(Duration::from_micros(u64::try_from(rng.below(3000)).unwrap()));
            is_amid
        };
        let ended = room.kill(&mut child, signal);
        tally.kills += 1;
        tally.amid += usize::from(is_amid);
        tally.late += usize::from(ended.code().is_some());
        whole.check(&room, case, &context);
        let left = room.temporary();
        if name == "KILL" {
            tally.swept += usize::from(!left.is_empty());
        } else {
            assert!(left.is_empty(), "{context} left {left:?}");
        }
        let next = room.start(&case.command).wait().unwrap();
        assert!(next.code() < Some(2), "{context}: the next start ended with {next}");
        assert_eq!(room.temporary(), [""; 0], "{context}, after the next start");
        whole.check(&room, case, &context);
    }
    if kills > FEW {
        let _ = std::io::stderr().write_all(table(&cases, &tallies).as_bytes());
    }
}

fn table(cases: &[Case], tallies: &[Tally]) -> String {
    let mut text = "\n| command | kills | amid a write | had ended | left by SIGKILL, then swept |\n".to_owned();
    text.push_str("| --- | ---: | ---: | ---: | ---: |\n");
    for (case, Tally { kills, amid, late, swept }) in cases.iter().zip(tallies) {
        writeln!(text, "| {} | {kills} | {amid} | {late} | {swept} |", case.name).unwrap();
    }
    text
}

/// A folder with all that commands need, and one for what is temporary elsewhere.
struct Room {
    test: CliTest,
}

/// What a command leaves when nothing disturbs it.
struct Whole {
    takes: Duration,
    contents: Vec<Vec<u8>>,
}

impl Room {
    fn new() -> Self {
        let test = CliTest::new();
        test.write("loans.csv", &loans(3000));
        test.write("shares.sh", SHARES);
        fs::create_dir(test.path("tmp")).unwrap();
        test.expect(0, &format!("fit {TRAIN} --model given.json --max-fits 3"));
        Self { test }
    }

    fn start(&self, command: &str) -> Child {
        self.test
            .command(command)
            .env("TMPDIR", self.test.path("tmp"))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
    }

    fn whole(&self, case: &mut Case) -> Whole {
        let start = Instant::now();
        let ended = self.start(&case.command).wait().unwrap();
        assert!(ended.code() < Some(2), "{}: {ended}", case.command);
        let takes = start.elapsed();
        if case.name == "data get" {
            case.files = ["bank", "german"].into_iter().flat_map(|folder| self.files(folder)).collect();
        }
        Whole { takes, contents: case.files.iter().map(|file| fs::read(self.test.path(file)).unwrap()).collect() }
    }

    fn files(&self, folder: &str) -> Vec<String> {
        let names = fs::read_dir(self.test.path(folder)).unwrap().map(|entry| entry.unwrap().file_name());
        names.map(|name| format!("{folder}/{}", name.to_str().unwrap())).collect()
    }

    /// Makes the files of a command those of long ago; what `data get` verifies goes, since a wrong one would be replaced.
    fn age(&self, case: &Case) {
        for file in &case.files {
            let path = self.test.path(file);
            if case.name == "data get" { fs::remove_file(path).unwrap() } else { fs::write(path, OLD).unwrap() }
        }
    }

    /// Sends a signal and waits for the end.
    #[track_caller]
    fn kill(&self, child: &mut Child, signal: Signal) -> ExitStatus {
        // One that has ended is not there to be killed.
        let _ = kill_process(Pid::from_child(child), signal);
        let deadline = Instant::now() + Duration::from_secs(60);
        loop {
            match child.try_wait().unwrap() {
                Some(ended) => return ended,
                None if Instant::now() > deadline => {
                    child.kill().unwrap();
                    panic!("it went on for a minute after {signal:?}; in {}", self.test.path(".").display());
                }
                None => sleep(Duration::from_millis(1)),
            }
        }
    }

    /// What is temporary, in all folders.
    fn temporary(&self) -> Vec<String> {
        let folders = [".", "tmp", "bank", "german", "paper"].map(|folder| self.test.path(folder));
        let entries = folders.iter().filter_map(|folder| fs::read_dir(folder).ok()).flatten();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        // Scratch files have no name: any other in the folder for temporary files would be one that was left.
        names
            .filter(|name| name.starts_with(".evenhand-") || name.starts_with("evenhand-") || name.starts_with(".tmp"))
            .collect()
    }

    /// Whether so many temporary files came before the command ended.
    fn wait_for_temporary(&self, child: &mut Child, count: usize) -> bool {
        let mut seen = BTreeSet::new();
        while child.try_wait().unwrap().is_none() {
            seen.extend(self.temporary());
            if seen.len() >= count {
                return true;
            }
        }
        false
    }
}

const OLD: &[u8] = b"old";

impl Whole {
    /// Every file is the old one or complete.
    #[track_caller]
    fn check(&self, room: &Room, case: &Case, context: &str) {
        for (file, whole) in case.files.iter().zip(&self.contents) {
            let path = room.test.path(file);
            match fs::read(&path) {
                Ok(found) => assert!(found == OLD || is_complete(&path, &found, whole), "{context}: {file} is broken"),
                Err(_) => assert_eq!(case.name, "data get", "{context}: {file} is gone"),
            }
        }
    }
}

/// Runs differ in the seconds that they took: what must be equal is how files begin and end, or what they are read as.
fn is_complete(path: &Path, found: &[u8], whole: &[u8]) -> bool {
    let lines = |bytes: &[u8]| bytes.split(|&byte| byte == b'\n').count();
    let rows = |path: &Path| Table::read(path, &ReadOptions::default()).map(|(table, _)| table.rows());
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("json") if found.starts_with(b"{\n\"format\"") => Model::load(path).is_ok(),
        Some("parquet" | "arrow") => rows(path).is_ok_and(|rows| rows > 0) && found.len() == whole.len(),
        Some("csv" | "md" | "txt" | "json") => lines(found) == lines(whole) && found.ends_with(b"\n"),
        Some("html" | "svg") => found.ends_with(&whole[whole.len() - 5..]),
        _ => found == whole,
    }
}
