//! The table "module | may import" of ARCHITECTURE.md, compared with the imports in the source of the engine.
//!
//! Imports are `use` statements and paths that start with `crate::` or `super::`, outside of tests and comments. A name
//! that a module re-exports counts as an import of the module that defines it. A row may name only rows above it, so
//! that modules cannot import each other in a circle.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// A path of modules and at last an item, from the root of the crate.
type Segments = Vec<String>;

#[test]
fn imports_are_those_of_the_table_in_the_architecture() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let table = Table::read(&fs::read_to_string(root.join("../../ARCHITECTURE.md")).unwrap());
    let mut sources = Vec::new();
    collect(&root.join("src"), &mut Vec::new(), &mut sources);
    let faults = faults(&table, &sources);
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
}

#[test]
fn the_functions_that_a_row_passes_exist_and_are_called() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let text = fs::read_to_string(crates.join("../ARCHITECTURE.md")).unwrap();
    let named = text.split('`').skip(1).step_by(2).filter_map(|code| code.split_once(".rs:"));
    let named: Vec<(&str, &str)> = named.collect();
    assert!(named.len() > 20, "{named:?}");
    let sources: Vec<String> = paths()
        .iter()
        .filter(|path| path.contains("/src/") && Path::new(path).extension().is_some_and(|one| one == "rs"))
        .map(|path| fs::read_to_string(format!("{}/..{path}", crates.display())).unwrap())
        .collect();
    for (file, function) in named {
        let path = crates.join(format!("{file}.rs"));
        let source = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let defined = [format!("fn {function}("), format!("fn {function}<")];
        assert!(defined.iter().any(|one| source.contains(one)), "{file}.rs has no function {function}");
        let calls = |text: &str, at: usize| {
            let before = text[..at].chars().next_back();
            let is_definition = text[..at].ends_with("fn ");
            !is_definition && before.is_none_or(|one| !one.is_alphanumeric() && one != '_')
        };
        let called = |text: &String| text.match_indices(&format!("{function}(")).any(|(at, _)| calls(text, at));
        assert!(sources.iter().any(called), "nothing calls {function} of {file}.rs");
    }
}

/// Paths of files and folders from the root of the repository, a folder with a slash behind it.
fn paths() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut found = Vec::new();
    let mut folders = vec![(root, String::new())];
    while let Some((folder, name)) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let own = entry.file_name().into_string().unwrap();
            let path = format!("{name}/{own}");
            if !entry.file_type().unwrap().is_dir() {
                found.push(path);
            } else if own != "target" && !own.starts_with(['.', '_']) {
                found.push(format!("{path}/"));
                folders.push((entry.path(), path));
            }
        }
    }
    found
}

#[test]
fn files_and_folders_that_are_named_exist() {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ARCHITECTURE.md")).unwrap();
    let (paths, codes) = (paths(), quoted(&text));
    let named = codes.iter().filter(|code| code.ends_with('/') || is_source(code));
    let lost: Vec<&String> =
        named.filter(|code| !paths.iter().any(|path| path.ends_with(&format!("/{code}")))).collect();
    assert_eq!(lost, [""; 0]);
}

fn is_source(path: &str) -> bool {
    [".rs", ".py", ".pyi"].iter().any(|end| path.ends_with(end))
}

#[test]
fn the_code_maps_have_every_file_of_the_front_ends() {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ARCHITECTURE.md")).unwrap();
    let codes: BTreeSet<String> =
        quoted(&text).iter().map(|code| code.trim_end_matches('/').rsplit('/').next().unwrap().to_owned()).collect();
    let fronts = ["/crates/evenhand-cli/src/", "/crates/evenhand-py/src/", "/python/evenhand/"];
    let all = paths();
    let files = fronts.iter().flat_map(|front| all.iter().filter_map(move |path| path.strip_prefix(*front)));
    let direct = files.map(|path| path.trim_end_matches('/')).filter(|path| !path.contains('/'));
    // A library that was built in place is no source.
    let source = direct.filter(|name| !name.contains('.') || is_source(name) && *name != "__init__.py");
    let lost: Vec<&str> = source.filter(|name| !codes.contains(*name)).collect();
    assert_eq!(lost, [""; 0]);
}

#[test]
fn imports_that_the_table_does_not_have_and_entries_without_imports_are_told() {
    let table = Table::read(
        "| module | holds | may import |\n| --- | --- | --- |\n| `low` | | nothing |\n| `high` | | `low` |\n",
    );
    let source = |file: &str, module: &[&str], text: &str| Source {
        file: file.into(),
        module: module.iter().map(|&one| one.to_owned()).collect(),
        text: text.into(),
    };
    let facade = source("lib.rs", &[], "pub use high::{High, other};\n");
    let low = |text: &str| source("low.rs", &["low"], text);
    let high = source("high/mod.rs", &["high"], "use crate::low::Low;\n");
    let found = |text: &str| faults(&table, &[facade.clone(), low(text), high.clone()]);
    assert_eq!(
        found("// use crate::high::High;\nuse std::fs;\n#[cfg(test)]\nmod tests {\n    use crate::high::High;\n}\n"),
        [""; 0]
    );
    let expected = "low.rs:2: `low` imports `high` (crate::high::High), which the table does not allow";
    for text in ["\nuse crate::high::High;", "\nuse super::{\n    High,\n};", "\nfn one(_: crate::High) {}"] {
        assert_eq!(found(text), [expected], "{text}");
    }
    let unused = faults(&table, &[facade, low(""), source("high/mod.rs", &["high"], "")]);
    assert_eq!(unused, ["`high` may import `low` by the table, and no file does"]);
}

/// What may import what, by the first name of a row.
struct Table {
    rows: Vec<(Vec<String>, BTreeSet<String>)>,
}

impl Table {
    fn read(text: &str) -> Self {
        let mut lines = text.lines().skip_while(|line| !line.starts_with("| module | holds | may import |"));
        assert!(lines.next().is_some(), "there is no table of modules");
        let cells = lines.skip(1).take_while(|line| line.starts_with('|')).map(|line| {
            let cells: Vec<&str> = line.trim_matches('|').split(" | ").collect();
            (quoted(cells[0]), quoted(cells[cells.len() - 1]).into_iter().collect())
        });
        Self { rows: cells.collect() }
    }

    /// The row that a path belongs to: the one with the longest name that the path starts with.
    fn row(&self, path: &[String]) -> Option<usize> {
        (1..=path.len()).rev().find_map(|length| {
            let name = path[..length].join("::");
            self.rows.iter().position(|(names, _)| names.contains(&name))
        })
    }

    fn name(&self, row: usize) -> &str {
        &self.rows[row].0[0]
    }
}

/// What stands between backticks.
fn quoted(cell: &str) -> Vec<String> {
    cell.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

#[derive(Clone)]
struct Source {
    file: String,
    module: Segments,
    text: String,
}

/// All files below a folder but those of tests.
fn collect(folder: &Path, module: &mut Segments, sources: &mut Vec<Source>) {
    let mut entries: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        if path.is_dir() {
            module.push(name);
            collect(&path, module, sources);
            module.pop();
        } else if name != "tests" {
            let own = (!["mod", "lib"].contains(&name.as_str())).then_some(name);
            let file = path.strip_prefix(env!("CARGO_MANIFEST_DIR")).unwrap().display().to_string();
            let module = module.iter().cloned().chain(own).collect();
            sources.push(Source { file, module, text: fs::read_to_string(&path).unwrap() });
        }
    }
}

fn faults(table: &Table, sources: &[Source]) -> Vec<String> {
    let modules: BTreeSet<&[String]> = sources.iter().map(|source| &source.module[..]).collect();
    let imports: Vec<(&Source, Vec<Import>)> = sources.iter().map(|one| (one, imports(one, &modules))).collect();
    let mut facades: BTreeMap<(&[String], &str), &Segments> = BTreeMap::new();
    for (source, import) in imports.iter().flat_map(|(source, all)| all.iter().map(move |one| (source, one))) {
        if let (true, Some(name)) = (import.is_public, import.path.last()) {
            facades.insert((&source.module, name), &import.path);
        }
    }
    let (mut faults, mut used) = (BTreeSet::new(), BTreeSet::new());
    for (source, all) in imports.iter().filter(|(source, _)| !source.module.is_empty()) {
        let Some(from) = table.row(&source.module) else {
            faults.insert(format!("{}: `{}` is not in the table", source.file, source.module.join("::")));
            continue;
        };
        for import in all {
            let path = defined(&import.path, &modules, &facades);
            let Some(to) = table.row(&path).filter(|&to| to != from) else { continue };
            used.insert((from, to));
            if !table.rows[from].1.iter().any(|name| table.rows[to].0.contains(name)) {
                let (file, line, path) = (&source.file, import.line, path.join("::"));
                let [one, other] = [from, to].map(|row| table.name(row));
                faults.insert(format!(
                    "{file}:{line}: `{one}` imports `{other}` (crate::{path}), which the table does not allow"
                ));
            }
        }
    }
    for (row, (_, allowed)) in table.rows.iter().enumerate() {
        for name in allowed {
            if !table.rows[..row].iter().any(|(names, _)| names.contains(name)) {
                faults.insert(format!("`{}` may import `{name}`, which does not stand above it", table.name(row)));
            }
            let is_used = used.iter().any(|&(from, to)| from == row && table.rows[to].0.contains(name));
            if !is_used {
                faults.insert(format!("`{}` may import `{name}` by the table, and no file does", table.name(row)));
            }
        }
    }
    faults.into_iter().collect()
}

/// Where an item is defined that is named by way of modules which re-export it.
fn defined(
    path: &[String],
    modules: &BTreeSet<&[String]>,
    facades: &BTreeMap<(&[String], &str), &Segments>,
) -> Segments {
    let mut path = path.to_vec();
    // A re-export may lead to another; more than a few in a row there are not.
    for _ in 0..8 {
        let length = (0..=path.len()).rev().find(|&length| modules.contains(&path[..length])).unwrap_or(0);
        let Some(name) = path.get(length) else { break };
        let Some(target) = facades.get(&(&path[..length], name.as_str())) else { break };
        path = target.iter().cloned().chain(path[length + 1..].iter().cloned()).collect();
    }
    path
}

struct Import {
    line: usize,
    path: Segments,
    is_public: bool,
}

/// The imports of a file from its own crate.
fn imports(source: &Source, modules: &BTreeSet<&[String]>) -> Vec<Import> {
    let mut found = Vec::new();
    let mut lines = source.text.lines().map(|line| line.split("//").next().unwrap()).enumerate().peekable();
    while let Some((at, line)) = lines.next() {
        if line.trim() == "#[cfg(test)]" && lines.peek().is_some_and(|(_, next)| next.starts_with("mod ")) {
            break;
        }
        let statement =
            line.trim().split_once("use ").filter(|(before, _)| before.is_empty() || before.starts_with("pub"));
        let Some((before, statement)) = statement else {
            let paths = ["crate::", "super::"].into_iter().flat_map(|start| inline(line, start));
            let paths = paths.filter_map(|path| absolute(&path, &source.module, modules));
            found.extend(paths.map(|path| Import { line: at + 1, path, is_public: false }));
            continue;
        };
        let (is_public, mut whole) = (!before.is_empty(), statement.to_owned());
        while !whole.contains(';') {
            whole.push_str(lines.next().expect("a statement ends").1.trim());
        }
        let mut paths = Vec::new();
        expand("", whole.split(';').next().unwrap(), &mut paths);
        let paths = paths.iter().filter_map(|path| absolute(path, &source.module, modules));
        found.extend(paths.map(|path| Import { line: at + 1, path, is_public }));
    }
    found
}

/// Paths in the middle of a line, but for those that say who may see something.
fn inline(line: &str, start: &str) -> Vec<String> {
    let is_path = |one: char| one.is_alphanumeric() || one == '_' || one == ':';
    let whole = |at: usize| !line[..at].ends_with("in ") && !line[..at].ends_with(is_path);
    let path = |at: usize| line[at..].chars().take_while(|&one| is_path(one)).collect();
    line.match_indices(start).map(|(at, _)| at).filter(|&at| whole(at)).map(path).collect()
}

/// The paths in a tree like `a::{b, c::{d, e}}`.
fn expand(prefix: &str, tree: &str, paths: &mut Vec<String>) {
    let tree = tree.trim();
    let Some((before, rest)) = tree.split_once('{') else {
        let name = tree.split(" as ").next().unwrap().trim();
        paths.push(if name == "self" { prefix.trim_end_matches("::").to_owned() } else { format!("{prefix}{name}") });
        return;
    };
    let (mut depth, mut start) = (0, 0);
    let inner = &rest[..rest.rfind('}').expect("braces are closed")];
    for (at, one) in inner.char_indices().chain([(inner.len(), ',')]) {
        match one {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                if !inner[start..at].trim().is_empty() {
                    expand(&format!("{prefix}{before}"), &inner[start..at], paths);
                }
                start = at + 1;
            }
            _ => {}
        }
    }
}

/// The path from the root; `None` for that of another crate.
fn absolute(path: &str, module: &[String], modules: &BTreeSet<&[String]>) -> Option<Segments> {
    let mut segments = path.split("::").map(str::to_owned).filter(|one| !one.is_empty()).peekable();
    let mut base = module.to_vec();
    match segments.peek()?.as_str() {
        "crate" => base.clear(),
        "self" => {}
        "super" => {
            while segments.next_if(|one| one == "super").is_some() {
                base.pop();
            }
            return Some(base.into_iter().chain(segments).collect());
        }
        child => {
            base.push(child.to_owned());
            if !modules.contains(&base[..]) {
                return None;
            }
            base.pop();
            return Some(base.into_iter().chain(segments).collect());
        }
    }
    segments.next();
    Some(base.into_iter().chain(segments).collect())
}
