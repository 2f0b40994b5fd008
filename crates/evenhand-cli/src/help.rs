//! What `--help` shows of a command: its common options and an example, on two screens at most.
//!
//! `--help-all` shows everything, as the command itself has it. An option that is named nowhere here is behind it, for the commands listed here;
//! of the others everything is shown. Leans on `clap` alone.

use clap::{Arg, Command};

/// What is common of one command.
struct Common {
    command: &'static str,
    /// The options that are shown, by their long names.
    options: &'static [&'static str],
    /// What stands below them.
    below: &'static str,
}

/// The notions in one line each.
macro_rules! notions {
    () => {
        "\
Notions, what should be equal across groups:
  demographic-parity    the share of positive predictions
  disparate-impact      the same, by a model that may not see the sensitive columns
  equal-opportunity     the share of positive predictions among those labelled positive
  predictive-equality   the same among those labelled negative
  equalized-odds        both of the last two
  equal-accuracy        the share of right predictions
  target-rate=RATE      a share that you name; --help-all has more, and rates of your own
"
    };
}

const COMMON: &[Common] = &[
    Common {
        command: "fit",
        options: &[
            "label",
            "positive",
            "group",
            "ignore",
            "withhold",
            "categorical",
            "missing",
            "notion",
            "max-violation",
            "max-difference",
            "min-ratio",
            "strict",
            "test",
            "holdout",
            "seed",
            "model",
            "weights",
            "report",
            "json",
            "method",
            "learner",
            "recipe",
        ],
        below: concat!(
            notions!(),
            "
Without a bound the classifier becomes as even as the rows can tell, unless the rest
costs more error than it is worth. With one, the least correction that keeps it is found.

Examples:
  evenhand fit loans.csv --label approved --positive yes --group sex \\
      --notion demographic-parity --holdout 0.3 --model model.json
  evenhand fit loans.csv --label approved --positive yes --group sex --group age_band \\
      --notion equal-opportunity --max-violation 0.03 --holdout 0.3 --report report.html

Exit codes: 0 fine; 1 a bound was not met; 2 bad input.
--help-all has every option and all details."
        ),
    },
    Common {
        command: "correct",
        options: &[
            "label",
            "positive",
            "group",
            "ignore",
            "score",
            "notion",
            "with-group",
            "max-violation",
            "max-difference",
            "min-ratio",
            "strict",
            "test",
            "holdout",
            "seed",
            "model",
            "predictions",
            "report",
            "json",
        ],
        below: concat!(
            notions!(),
            "
Examples:
  evenhand correct scored.csv --score probability --label approved --positive yes \\
      --group sex --notion demographic-parity --max-violation 0.02 --model model.json
  evenhand predict model.json new.csv --out corrected.csv

--help-all has every option and all details."
        ),
    },
    Common {
        command: "frontier",
        options: &[
            "label",
            "positive",
            "group",
            "ignore",
            "withhold",
            "categorical",
            "missing",
            "notion",
            "points",
            "test",
            "holdout",
            "seed",
            "out",
            "report",
            "json",
            "learner",
            "recipe",
        ],
        below: concat!(
            notions!(),
            "
Examples:
  evenhand frontier loans.csv --label approved --positive yes --group sex \\
      --notion equalized-odds --holdout 0.3 --out frontier.csv

--help-all has every option, and the columns of --out."
        ),
    },
    Common {
        command: "sweep",
        options: &[
            "label",
            "positive",
            "group",
            "ignore",
            "withhold",
            "categorical",
            "missing",
            "notion",
            "steps",
            "until",
            "test",
            "holdout",
            "seed",
            "out",
            "figure",
            "json",
            "recipe",
        ],
        below: concat!(
            notions!(),
            "
Example:
  evenhand sweep loans.csv --label approved --positive yes --group sex \\
      --notion demographic-parity --holdout 0.3 --figure sweep.svg

--help-all has every option, and the columns of --out."
        ),
    },
    Common {
        command: "audit",
        options: &[
            "label",
            "positive",
            "group",
            "ignore",
            "missing",
            "predictions",
            "score",
            "threshold",
            "notion",
            "max-violation",
            "max-difference",
            "min-ratio",
            "strict",
            "report",
            "json",
            "recipe",
        ],
        below: "\
Examples:
  evenhand audit loans.csv --label approved --positive yes --group sex
  evenhand audit scored.csv --label approved --positive yes --predictions decision \\
      --group sex --notion equal-opportunity --max-violation 0.05

Exit codes: 0 fine; 1 a bound was not met; 2 bad input.
--help-all has every option and all details.",
    },
    Common {
        command: "identify",
        options: &[
            "label",
            "positive",
            "group",
            "ignore",
            "withhold",
            "categorical",
            "missing",
            "notion",
            "sensitivity",
            "weights",
            "report",
            "json",
            "recipe",
        ],
        below: "\
Examples:
  evenhand identify loans.csv --label approved --positive yes --group sex
  evenhand identify loans.csv --label approved --positive yes --group sex=female \\
      --sensitivity

--help-all has every option and all details.",
    },
    Common {
        command: "inject",
        options: &[
            "label",
            "positive",
            "group",
            "ignore",
            "out",
            "multiplier",
            "violation",
            "flip",
            "notion",
            "seed",
            "truth-column",
            "json",
            "recipe",
        ],
        below: "\
Examples:
  evenhand inject loans.csv --label approved --positive yes --group sex \\
      --multiplier sex=female=0.4 --out biased.csv
  evenhand inject loans.csv --label approved --positive yes --group sex \\
      --flip sex=female=0.3 --out biased.csv

--help-all has every option, and what the numbers mean.",
    },
    Common {
        command: "paper",
        options: &["data", "protocol", "injected", "rates", "table", "dataset", "notion", "method", "out", "json"],
        below: "\
Examples:
  evenhand paper --data data
  evenhand paper --data data --protocol repeated --out results
  evenhand paper --rates --out results

--help-all has every option, the methods and what is compared.",
    },
];

/// The program's arguments, with what is rare kept for `--help-all`.
pub(crate) fn in_two_lengths(program: Command) -> Command {
    COMMON.iter().fold(program, |program, common| {
        program.mut_subcommand(common.command, |command| {
            command.mut_args(|arg| shown_if_common(arg, common.options)).after_help(common.below)
        })
    })
}

fn shown_if_common(arg: Arg, common: &[&str]) -> Arg {
    match arg.get_long() {
        Some(name) if !common.contains(&name) => arg.hide_short_help(true),
        _ => arg,
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
            let lost = common.options.iter().find(|name| !known.contains(name) && !optional.contains(name));
            assert_eq!(lost, None, "of {}", common.command);
        }
    }
}
