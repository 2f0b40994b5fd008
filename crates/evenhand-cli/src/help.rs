//! What `--help` shows of a command: its common options and an example, on two screens at most.
//!
//! `--help-all` shows everything, as the command itself has it. An option that is named nowhere here is behind it, for the commands listed here;
//! of the others everything is shown. Leans on `clap` alone.

use clap::{Arg, Command};

/// What is common of one command.
struct Common {
    command: &'static str,
    /// The options that are shown, by their long names.
    options: &'static [&'static [&'static str]],
    /// Whether notions are listed below them.
    notions: bool,
    /// What else stands there: examples first.
    below: &'static str,
    /// What `--help-all` has beside every option.
    more: &'static str,
}

/// Which rows, and who is in which group.
const ROWS: &[&str] = &["label", "positive", "group", "ignore", "missing", "recipe"];
/// What columns are to a learner, and what is asked of it.
const LEARNING: &[&str] = &["withhold", "categorical", "notion"];
/// Bounds, and how strictly they are tested.
const BOUNDS: &[&str] = &["max-violation", "max-difference", "min-ratio", "strict"];
/// Rows to test on.
const TEST: &[&str] = &["test", "holdout", "seed"];
/// Where a result goes.
const RESULT: &[&str] = &["report", "json"];

const NOTIONS: &str = "\
Notions, what should be equal across groups:
  demographic-parity    the share of positive predictions
  disparate-impact      the same, by a model that may not see the sensitive columns
  equal-opportunity     the share of positive predictions among those labelled positive
  predictive-equality   the same among those labelled negative
  equalized-odds        both of the last two
  equal-accuracy        the share of right predictions
  target-rate=RATE      a share that you name; --help-all has more, and rates of your own

";

const COMMON: &[Common] = &[
    Common {
        command: "fit",
        options: &[ROWS, LEARNING, BOUNDS, TEST, RESULT, &["model", "weights", "method", "learner"]],
        notions: true,
        below: "\
Without a bound the classifier becomes as even as the rows can tell, unless the rest
costs more error than it is worth. With one, the least correction that keeps it is found.

Examples:
  evenhand fit loans.csv --label approved --positive yes --group sex \\
      --notion demographic-parity --holdout 0.3 --model model.json
  evenhand fit loans.csv --label approved --positive yes --group sex --group age_band \\
      --notion equal-opportunity --max-violation 0.03 --holdout 0.3 --report report.html

Exit codes: 0 fine; 1 a bound was not met; 2 bad input.",
        more: " and all details",
    },
    Common {
        command: "correct",
        options: &[
            &["label", "positive", "group", "ignore", "score", "notion", "with-group", "model", "predictions"],
            BOUNDS,
            TEST,
            RESULT,
        ],
        notions: true,
        below: "\
Examples:
  evenhand correct scored.csv --score probability --label approved --positive yes \\
      --group sex --notion demographic-parity --max-violation 0.02 --model model.json
  evenhand predict model.json new.csv --out corrected.csv",
        more: " and all details",
    },
    Common {
        command: "frontier",
        options: &[ROWS, LEARNING, TEST, RESULT, &["points", "out", "learner"]],
        notions: true,
        below: "\
Examples:
  evenhand frontier loans.csv --label approved --positive yes --group sex \\
      --notion equalized-odds --holdout 0.3 --out frontier.csv",
        more: ", and the columns of --out",
    },
    Common {
        command: "sweep",
        options: &[ROWS, LEARNING, TEST, &["steps", "until", "out", "figure", "json"]],
        notions: true,
        below: "\
Example:
  evenhand sweep loans.csv --label approved --positive yes --group sex \\
      --notion demographic-parity --holdout 0.3 --figure sweep.svg",
        more: ", and the columns of --out",
    },
    Common {
        command: "audit",
        options: &[ROWS, &["predictions", "score", "threshold", "notion", "full"], BOUNDS, RESULT],
        notions: false,
        below: "\
Examples:
  evenhand audit loans.csv --label approved --positive yes --group sex
  evenhand audit scored.csv --label approved --positive yes --predictions decision \\
      --group sex --notion equal-opportunity --max-violation 0.05

Exit codes: 0 fine; 1 a bound was not met; 2 bad input.",
        more: " and all details",
    },
    Common {
        command: "identify",
        options: &[ROWS, LEARNING, &["sensitivity", "weights"], RESULT],
        notions: false,
        below: "\
Examples:
  evenhand identify loans.csv --label approved --positive yes --group sex
  evenhand identify loans.csv --label approved --positive yes --group sex=female \\
      --sensitivity",
        more: " and all details",
    },
    Common {
        command: "inject",
        options: &[
            &["label", "positive", "group", "ignore", "recipe"],
            &["multiplier", "violation", "flip", "notion", "seed", "truth-column", "out", "json"],
        ],
        notions: false,
        below: "\
Examples:
  evenhand inject loans.csv --label approved --positive yes --group sex \\
      --multiplier sex=female=0.4 --out biased.csv
  evenhand inject loans.csv --label approved --positive yes --group sex \\
      --flip sex=female=0.3 --out biased.csv",
        more: ", and what the numbers mean",
    },
    Common {
        command: "paper",
        options: &[&["data", "protocol", "injected", "rates", "table", "dataset", "notion", "method", "out", "json"]],
        notions: false,
        below: "\
Examples:
  evenhand paper --data data
  evenhand paper --data data --protocol repeated --out results
  evenhand paper --rates --out results",
        more: ", the methods and what is compared",
    },
];

/// The program's arguments, with what is rare kept for `--help-all`.
pub(crate) fn in_two_lengths(program: Command) -> Command {
    COMMON.iter().fold(program, |program, common| {
        program.mut_subcommand(common.command, |command| {
            command.mut_args(|arg| common.shown(arg)).after_help(common.after_help())
        })
    })
}

impl Common {
    /// An option that is shown only if it is common.
    fn shown(&self, arg: Arg) -> Arg {
        match arg.get_long() {
            Some(name) if !self.names().any(|common| common == name) => arg.hide_short_help(true),
            _ => arg,
        }
    }

    fn names(&self) -> impl Iterator<Item = &'static str> {
        self.options.iter().flat_map(|names| names.iter().copied())
    }

    fn after_help(&self) -> String {
        let notions = if self.notions { NOTIONS } else { "" };
        format!("{notions}{}\n\n--help-all has every option{}.", self.below, self.more)
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::args::Cli;

    #[test]
    fn every_common_option_is_one_of_its_command() {
        for common in COMMON {
            let program = Cli::command();
            let command = program.find_subcommand(common.command).unwrap();
            let known: Vec<&str> = command.get_arguments().filter_map(Arg::get_long).collect();
            // A build without reports or networks lacks the options of these.
            let optional = ["report", "table"];
            let lost = common.names().find(|name| !known.contains(name) && !optional.contains(name));
            assert_eq!(lost, None, "of {}", common.command);
        }
    }
}
