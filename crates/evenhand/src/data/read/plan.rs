//! Which columns are read, under which name and as what.
//!
//! Holds [`Plan`] and [`Kind`]. Everything is settled from names and types before the
//! first row is read, so that a wrong option costs no time.

use std::collections::{HashMap, HashSet};

use super::ReadOptions;
use crate::{Error, Result, Warning};

/// What a column is to become.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Numeric,
    Categorical,
}

/// The names of a file after renaming, and which of its columns are kept.
#[derive(Debug)]
pub(in crate::data) struct Plan {
    names: Vec<String>,
    kept: Vec<usize>,
    asked: Vec<Option<Kind>>,
    pub(super) warnings: Vec<Warning>,
}

impl Plan {
    pub(in crate::data) fn new(in_file: Vec<String>, options: &ReadOptions) -> Result<Self> {
        let raw = match &options.names {
            Some(names) if names.len() != in_file.len() => {
                return Err(Error::Length { what: "column names", expected: in_file.len(), found: names.len() });
            }
            Some(names) => names.clone(),
            None => in_file,
        };
        let (names, warnings) = distinct(raw);
        let places: HashMap<&str, usize> = names.iter().enumerate().map(|(at, name)| (name.as_str(), at)).collect();
        // The place of a column that an option names; none where the options pass over one that is not there.
        let find = |name: &str| match places.get(name) {
            None if !options.if_present => Err(Error::UnknownColumn { column: name.to_owned(), known: names.clone() }),
            found => Ok(found.copied()),
        };
        let mut asked = vec![None; names.len()];
        for (listed, kind) in [(&options.categorical, Kind::Categorical), (&options.numeric, Kind::Numeric)] {
            for name in listed {
                let Some(at) = find(name)? else { continue };
                if asked[at].is_some_and(|other| other != kind) {
                    return Err(Error::setting(
                        "numeric",
                        format!("`{name}`"),
                        "a column that is not also said to be categorical",
                    ));
                }
                asked[at] = Some(kind);
            }
        }
        let mut keep = vec![true; names.len()];
        for name in &options.ignore {
            if let Some(at) = find(name)? {
                keep[at] = false;
            }
        }
        let kept: Vec<usize> = (0..names.len()).filter(|&at| keep[at]).collect();
        if kept.is_empty() && !names.is_empty() {
            return Err(Error::NoFeatures);
        }
        Ok(Self { names, kept, asked, warnings })
    }

    /// The positions in the file of the columns that are read.
    pub(in crate::data) fn kept(&self) -> &[usize] {
        &self.kept
    }

    /// The names of all columns, each its own.
    pub(in crate::data) fn names(&self) -> &[String] {
        &self.names
    }

    pub(super) fn name(&self, at: usize) -> &str {
        &self.names[at]
    }

    /// What the options ask that column to be, if they do.
    pub(super) fn asked(&self, at: usize) -> Option<Kind> {
        self.asked[at]
    }
}

/// Gives every column a name of its own: `column_3` for an empty one, `name.1` for a second `name`.
fn distinct(raw: Vec<String>) -> (Vec<String>, Vec<Warning>) {
    let original: HashSet<String> = raw.iter().cloned().collect();
    let mut taken = HashSet::new();
    // How far the suffixes of each name have come: a name that stands there ten thousand times is not counted from 1 each time.
    let mut suffixes: HashMap<String, usize> = HashMap::new();
    let mut warnings = Vec::new();
    let mut names = Vec::with_capacity(raw.len());
    for (at, name) in raw.into_iter().enumerate() {
        let wanted = if name.is_empty() { format!("column_{}", at + 1) } else { name.clone() };
        let mut free = wanted.clone();
        let mut suffix = 0;
        let reached = suffixes.entry(wanted.clone()).or_default();
        // A later `name.1` of the file keeps its name: the suffix steps over it.
        while taken.contains(&free) || (suffix > 0 || name.is_empty()) && original.contains(&free) {
            *reached += 1;
            suffix = *reached;
            free = format!("{wanted}.{suffix}");
        }
        if suffix > 0 && !name.is_empty() {
            warnings.push(Warning::RenamedColumn { column: name, renamed: free.clone() });
        }
        taken.insert(free.clone());
        names.push(free);
    }
    (names, warnings)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(names: &[&str], options: &ReadOptions) -> Result<Plan> {
        Plan::new(names.iter().map(|&name| name.to_owned()).collect(), options)
    }

    #[test]
    fn repeated_and_empty_names_are_made_distinct() {
        let plan = plan(&["a", "b", "a", "", "a", "a.1"], &ReadOptions::default()).unwrap();
        assert_eq!(plan.names, ["a", "b", "a.2", "column_4", "a.3", "a.1"]);
        let renamed = |to: &str| Warning::RenamedColumn { column: "a".into(), renamed: to.into() };
        assert_eq!(plan.warnings, [renamed("a.2"), renamed("a.3")]);
    }

    #[test]
    fn the_same_name_forty_thousand_times_takes_no_longer_than_as_many_names() {
        let begun = std::time::Instant::now();
        let plan = plan(&vec!["a"; 40_000], &ReadOptions::default()).unwrap();
        assert!(begun.elapsed().as_secs() < 10, "{:?}", begun.elapsed());
        assert_eq!((plan.names[1].as_str(), plan.names[39_999].as_str()), ("a.1", "a.39999"));
        let twice: Vec<&str> = ["a", "a.3"].into_iter().chain(["a"; 5]).collect();
        let plan = self::plan(&twice, &ReadOptions::default()).unwrap();
        assert_eq!(plan.names, ["a", "a.3", "a.1", "a.2", "a.4", "a.5", "a.6"]);
    }

    #[test]
    fn options_about_unknown_columns_are_refused() {
        let none = ReadOptions::default;
        for options in [none().categorical(["z"]), none().numeric(["z"]), none().ignore(["z"])] {
            assert_eq!(plan(&["a"], &options).unwrap_err().code(), "column-unknown");
        }
        let both = none().categorical(["a"]).numeric(["a"]);
        assert_eq!(plan(&["a"], &both).unwrap_err().code(), "setting-invalid");
    }

    #[test]
    fn absent_columns_are_passed_over_when_asked() {
        let options = ReadOptions { if_present: true, ..ReadOptions::default() };
        let plan = plan(&["a", "b"], &options.categorical(["z", "b"]).numeric(["y"]).ignore(["x", "a"])).unwrap();
        assert_eq!((plan.kept(), plan.asked(1)), (&[1][..], Some(Kind::Categorical)));
    }

    #[test]
    fn given_names_replace_those_of_the_file_one_for_one() {
        let named = plan(&["a", "b"], &ReadOptions::default().names(["x", "y"]).ignore(["x"])).unwrap();
        assert_eq!((named.name(1), named.kept()), ("y", &[1][..]));
        assert_eq!(plan(&["a"], &ReadOptions::default().names(["x", "y"])).unwrap_err().code(), "length-mismatch");
    }

    #[test]
    fn a_plan_that_keeps_nothing_is_refused() {
        assert_eq!(plan(&["a"], &ReadOptions::default().ignore(["a"])).unwrap_err().code(), "no-features");
    }
}
