//! How far long work has come, on a terminal only.
//!
//! Holds [`Progress`], which the library's loop reports to, and which lends it a clock.

use std::io::{self, IsTerminal as _};
use std::time::{Duration, Instant};

use evenhand::correction::{Iteration, Observer};
use evenhand::format::clean;
use indicatif::{ProgressBar, ProgressStyle};

/// Says what is being done while it is done; says nothing where stderr is no terminal.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Progress {
    shown: bool,
}

impl Progress {
    /// Progress that is shown on a terminal, unless it is to be `quiet`.
    pub(crate) fn new(quiet: bool) -> Self {
        Self { shown: !quiet && io::stderr().is_terminal() }
    }

    /// Does one piece of work whose length is not known.
    pub(crate) fn during<T>(self, what: impl Into<String>, work: impl FnOnce() -> T) -> T {
        let spinner = if self.shown { ProgressBar::new_spinner() } else { ProgressBar::hidden() };
        spinner.set_message(clean(&what.into()));
        spinner.enable_steady_tick(Duration::from_millis(100));
        let done = work();
        spinner.finish_and_clear();
        done
    }

    /// Counts pieces of work.
    pub(crate) fn count(self, what: &'static str, most: usize) -> ProgressBar {
        let bar = if self.shown { ProgressBar::new(most as u64) } else { ProgressBar::hidden() };
        let style = ProgressStyle::with_template(&format!("{what} {{bar:30}} {{pos}}/{{len}}, {{eta}} left"));
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar
    }

    /// Counts the rows of a pass.
    pub(crate) fn rows(self, what: &'static str, rows: Option<usize>) -> ProgressBar {
        let bar = match (self.shown, rows) {
            (false, _) => ProgressBar::hidden(),
            (true, Some(rows)) => ProgressBar::new(rows as u64),
            (true, None) => ProgressBar::no_length(),
        };
        let template = match rows {
            Some(_) => "{msg} {bar:20} {human_pos}/{human_len} rows, {per_sec}, {eta} left",
            None => "{msg} {human_pos} rows, {per_sec}",
        };
        bar.set_style(ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar.set_message(what);
        bar
    }

    /// Watches the bytes of a file that comes over the network.
    pub(crate) fn bytes(self, what: &str) -> ProgressBar {
        let bar = if self.shown { ProgressBar::no_length() } else { ProgressBar::hidden() };
        let style = ProgressStyle::with_template("{msg} {bar:20} {bytes}/{total_bytes} {bytes_per_sec}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar.set_message(clean(what));
        bar
    }

    /// Watches the fits of a frontier, whose number is not known beforehand.
    pub(crate) fn fits(self) -> Watch {
        let bar = if self.shown { ProgressBar::no_length() } else { ProgressBar::hidden() };
        let style = ProgressStyle::with_template("tracing, fit {pos} {prefix}{msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
        Watch { started: Instant::now(), bar }
    }

    /// Watches the loops of a correction.
    pub(crate) fn loops(self, most: usize) -> Watch {
        let bar = if self.shown { ProgressBar::new(most as u64) } else { ProgressBar::hidden() };
        let style = ProgressStyle::with_template("correcting {bar:20} loop {pos}/{len} {prefix}{msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        Watch { started: Instant::now(), bar }
    }
}

/// Watches the loops of a correction, by a clock.
#[derive(Debug)]
pub(crate) struct Watch {
    started: Instant,
    bar: ProgressBar,
}

impl Watch {
    /// Clears the bar and returns the seconds since the start.
    pub(crate) fn finish(self) -> f64 {
        self.bar.finish_and_clear();
        self.started.elapsed().as_secs_f64()
    }
}

/// The steps of a fit that takes many, shown beside the fits themselves.
#[cfg(feature = "network")]
#[derive(Debug, Default)]
pub(crate) struct ShownSteps {
    bar: std::sync::OnceLock<ProgressBar>,
}

#[cfg(feature = "network")]
impl ShownSteps {
    /// Shows them where the fits are shown.
    pub(crate) fn on(&self, watch: &Watch) {
        // A second bar would be of a second run, and there is one.
        let _ = self.bar.set(watch.bar.clone());
    }

    /// Another step; nobody asks to stop.
    pub(crate) fn step(&self, done: usize, of: usize) -> bool {
        if let Some(bar) = self.bar.get()
            && (done.is_multiple_of(50) || done == of)
        {
            bar.set_prefix(format!("step {done}/{of} "));
        }
        false
    }
}

impl Observer for Watch {
    fn after(&mut self, done: &Iteration) -> bool {
        self.bar.set_message(format!("violation {:.4}", done.violation));
        self.bar.inc(1);
        true
    }

    fn seconds(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }
}
