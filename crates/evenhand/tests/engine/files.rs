//! Real files, whole and damaged, as a user's disk holds them.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use evenhand::data::Categorical;
use evenhand::{Column, Dataset, Error, ReadOptions, Schema, Table, Warning};
use proptest::prelude::*;
use tempfile::TempDir;

struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        fs::write(self.path(name), content).unwrap();
        self.path(name)
    }
}

fn read_as(content: impl AsRef<[u8]>, options: &ReadOptions) -> Result<(Table, Vec<Warning>), Error> {
    let folder = Folder::new();
    Table::read(&folder.file("data.csv", content), options)
}

fn read(content: impl AsRef<[u8]>) -> Result<Table, Error> {
    read_as(content, &ReadOptions::default()).map(|(table, _)| table)
}

fn column(table: &Table, name: &str) -> String {
    let column = table.column(name).unwrap();
    let values: Vec<String> = (0..column.len()).map(|row| column.text(row).unwrap_or("∅".into())).collect();
    format!("{} {}", column.kind(), values.join("|"))
}

fn loans(rows: usize) -> Table {
    let sex = Categorical::from_values((0..rows).map(|row| (row % 7 != 3).then(|| ["f", "m"][row % 2])));
    let label = Categorical::from_values((0..rows).map(|row| Some(["yes", "no"][row % 3 / 2])));
    let income = (0..rows).map(|row| if row % 5 == 4 { f64::NAN } else { row as f64 / 8.0 }).collect();
    let columns = vec![
        ("income".to_owned(), Column::Numeric(income)),
        ("sex".to_owned(), Column::Categorical(sex)),
        ("approved".to_owned(), Column::Categorical(label)),
    ];
    Table::new(columns, 2).unwrap()
}

fn assert_same(a: &Table, b: &Table) {
    assert_eq!(a.names(), b.names());
    for name in a.names() {
        assert_eq!(column(a, name), column(b, name));
    }
}

#[test]
fn columns_of_numbers_are_told_from_columns_of_text() {
    let table = read("age,job,none,mixed\n41,clerk,,1\n NA , NA ,,x\n-2.5e1,,,NA\n").unwrap();
    assert_eq!(column(&table, "age"), "numeric 41|∅|-25");
    assert_eq!(column(&table, "job"), "categorical clerk|NA|∅");
    assert_eq!(column(&table, "none"), "categorical ∅|∅|∅");
    assert_eq!(column(&table, "mixed"), "categorical 1|x|NA");
}

#[test]
fn another_file_is_read_with_the_kinds_of_the_first() {
    let options = ReadOptions::default().missing(["?"]);
    let (first, _) = read_as("zip,age,job\n0123,?,clerk\nA1,30,?\n", &options).unwrap();
    let like = options.like(&first);
    let (second, _) = read_as("job,zip,extra\n7,0042,1\n", &like).unwrap();
    assert_eq!(column(&second, "zip"), "categorical 0042");
    assert_eq!(column(&second, "job"), "categorical 7");
    assert_eq!(column(&second, "extra"), "numeric 1");
    let kept = ReadOptions { keep_text: true, ..like.clone() };
    let (third, _) = read_as("age,id\n 31 ,007\n?,9007199254740993\n", &kept).unwrap();
    assert_eq!(column(&third, "age"), "numeric 31|∅");
    assert_eq!(column(&third, "id"), "categorical 007|9007199254740993");
    assert_eq!(read_as("age\nold\n", &like).unwrap_err().code(), "value-not-numeric");
}

#[test]
fn an_empty_file_has_no_rows_whatever_the_options_say() {
    assert_eq!(read_as("", &ReadOptions::default().ignore(["id"])).unwrap_err().code(), "no-rows");
}

#[test]
fn blanks_around_fields_and_a_missing_header_are_fine() {
    let options = ReadOptions::default().header(false).names(["age", "work", "sex"]).missing(["?"]);
    let (table, _) = read_as("39, State-gov, Male\n50, ?, Female\n\n", &options).unwrap();
    assert_eq!(column(&table, "work"), "categorical State-gov|∅");
    assert_eq!(column(&table, "sex"), "categorical Male|Female");
    assert_eq!(table.shown_row(0), 1);
    let (unnamed, _) = read_as("1,2\n3,4\n", &ReadOptions::default().header(false)).unwrap();
    assert_eq!(unnamed.names(), ["column_1", "column_2"]);
}

#[test]
fn a_byte_order_mark_windows_line_ends_and_empty_lines_do_not_count() {
    let table = read("\u{feff}\"a\",b\r\n1,x\r\n2,\"y\r\nz\"\r\n\r\n\r\n").unwrap();
    assert_eq!(table.names(), ["a", "b"]);
    assert_eq!(column(&table, "a"), "numeric 1|2");
    assert_eq!(column(&table, "b"), "categorical x|y\r\nz");
}

#[test]
fn semicolons_quotes_and_tabs_are_understood() {
    let table = read("name;\"a;b\"\n\"Smith; \"\"Jo\"\"\";1,5\nx;2\n").unwrap();
    assert_eq!(table.names(), ["name", "a;b"]);
    assert_eq!(column(&table, "name"), "categorical Smith; \"Jo\"|x");
    assert_eq!(column(&table, "a;b"), "categorical 1,5|2");
    let folder = Folder::new();
    let (tabs, _) = Table::read(&folder.file("data.tsv", "a,b\tc\n1\t2\n"), &ReadOptions::default()).unwrap();
    assert_eq!(tabs.names(), ["a,b", "c"]);
}

#[test]
fn gzipped_text_is_unpacked_and_a_cut_one_is_refused() {
    let folder = Folder::new();
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(b"a\tb\n1\tx\n2\ty\n").unwrap();
    let packed = packed.finish().unwrap();
    let (table, _) = Table::read(&folder.file("data.tsv.gz", &packed), &ReadOptions::default()).unwrap();
    assert_eq!(column(&table, "b"), "categorical x|y");
    for length in 2..packed.len() {
        let cut = folder.file("cut.csv.gz", &packed[..length]);
        assert_eq!(Table::read(&cut, &ReadOptions::default()).unwrap_err().code(), "file-unreadable", "{length}");
    }
}

#[test]
fn repeated_names_are_told_apart_with_a_warning() {
    let (table, warnings) = read_as("id,x,x,,x\n1,2,3,4,5\n", &ReadOptions::default()).unwrap();
    assert_eq!(table.names(), ["id", "x", "x.1", "column_4", "x.2"]);
    let renamed = |to: &str| Warning::RenamedColumn { column: "x".into(), renamed: to.into() };
    assert_eq!(warnings, [renamed("x.1"), renamed("x.2")]);
}

#[test]
fn rows_of_another_length_are_refused_with_their_number() {
    let ragged = |content: &str, header| match read_as(content, &ReadOptions::default().header(header)) {
        Err(Error::RaggedRow { row, expected, found, .. }) => (row, expected, found),
        other => panic!("{other:?}"),
    };
    assert_eq!(ragged("a,b,c\n1,2,3\n1,2\n", true), (3, 3, 2));
    assert_eq!(ragged("a,b\n1,2,3\n1,2\n", true), (2, 2, 3));
    assert_eq!(ragged("1,2\n1,2\n1\n", false), (3, 2, 1));
    let late: String = (0..20_000).map(|_| "1,2\n").chain(["1,2,3,4\n"]).collect();
    assert_eq!(ragged(&format!("a,b\n{late}"), true), (20_002, 2, 4));
}

#[test]
fn a_file_cut_inside_quotes_is_refused_with_the_line() {
    for (content, line) in [("a,b\n1,x\n2,\"y", 3), ("a,b\n1,\"x\n2,y\n", 2), ("a,\"b\n", 1)] {
        let error = read(content).unwrap_err();
        assert_eq!(error.code(), "file-unreadable", "{error}");
        assert!(error.to_string().contains("never closed"), "{error}");
        assert!(line == 1 || error.to_string().contains(&format!("line {line}:")), "{error}");
    }
}

#[test]
fn text_that_is_not_utf8_is_refused_with_the_row() {
    let error = read(b"a,b\n1,x\n2,M\xfcller\n").unwrap_err();
    assert!(error.to_string().contains("row 3: the text is not UTF-8"), "{error}");
    // Two halves of a character in neighbouring fields are not a character either.
    assert_eq!(read(b"a,b\nx\xc3,\xa9y\n").unwrap_err().code(), "file-unreadable");
    let utf16: Vec<u8> = "a,b\n1,2\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert!(read(utf16).unwrap_err().to_string().contains("UTF-16"));
}

#[test]
fn files_without_rows_are_refused() {
    for content in ["", "\n\n", "a,b\n", "a,b", "\u{feff}"] {
        assert_eq!(read(content).unwrap_err().code(), "no-rows", "{content:?}");
    }
}

#[test]
fn a_column_that_turns_to_text_late_keeps_its_first_values() {
    let rows: Vec<String> = (0..10_000).map(|row| format!("{row}.0,NA,,{row}\n")).collect();
    let table = read(format!("late,na,empty,number\n{}none,x,y,7\n", rows.concat())).unwrap();
    let text = |name, row| table.get(name).unwrap().text(row);
    assert_eq!((text("late", 0), text("late", 10_000)), (Some("0.0".into()), Some("none".into())));
    assert_eq!((text("na", 9_999), text("na", 10_000)), (Some("NA".into()), Some("x".into())));
    assert_eq!((text("empty", 9_999), text("empty", 10_000)), (None, Some("y".into())));
    assert_eq!((text("number", 0), text("number", 10_000)), (Some("0".into()), Some("7".into())));
    assert_eq!(table.get("number").unwrap().kind(), "numeric");
}

#[test]
fn infinities_are_refused_among_numbers_and_kept_among_texts() {
    match read("x\n1\n-inf\ninf\n") {
        Err(Error::NotFinite { column, row, found }) => {
            assert_eq!((column.as_str(), row, found.as_str()), ("x", 3, "-inf"));
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(read("x\n1e999\n").unwrap_err().code(), "value-not-finite");
    assert_eq!(column(&read("x\ninf\nsup\n").unwrap(), "x"), "categorical inf|sup");
}

#[test]
fn options_go_before_the_guess() {
    let options = ReadOptions::default().categorical(["zip"]).ignore(["id"]);
    let (table, _) = read_as("id,zip\n1,01234\n2,1\n", &options).unwrap();
    assert_eq!(table.names(), ["zip"]);
    assert_eq!(column(&table, "zip"), "categorical 01234|1");
    match read_as("x\n1\nNA\ntwo\n", &ReadOptions::default().numeric(["x"])) {
        Err(Error::NotNumeric { row, found, .. }) => assert_eq!((row, found.as_str()), (4, "two")),
        other => panic!("{other:?}"),
    }
    let unknown = read_as("x\n1\n", &ReadOptions::default().numeric(["y"])).unwrap_err();
    assert_eq!(unknown.code(), "column-unknown");
}

#[test]
fn a_file_that_is_not_there_is_an_error_of_the_system_and_a_folder_is_its_files() {
    let folder = Folder::new();
    let read = |path: &Path| Table::read(path, &ReadOptions::default());
    assert_eq!(read(&folder.path("absent.csv")).unwrap_err().code(), "io");
    assert_eq!(read(folder.0.path()).unwrap_err().code(), "no-rows");
    folder.file("b.csv", "x,y\n3,c\n4,a\n");
    folder.file("a.csv", "y,x\na,1\nb,\n");
    let (table, _) = read(folder.0.path()).unwrap();
    let texts =
        |column: &str| -> Vec<Option<String>> { (0..4).map(|row| table.get(column).unwrap().text(row)).collect() };
    assert_eq!(texts("x"), [Some("1".to_owned()), None, Some("3".to_owned()), Some("4".to_owned())]);
    assert_eq!(texts("y").into_iter().flatten().collect::<Vec<_>>(), ["a", "b", "c", "a"]);
}

#[test]
fn garbage_is_refused_whatever_its_name() {
    let folder = Folder::new();
    let garbage: Vec<u8> = (0_u32..5000).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    for name in ["a.csv", "a.parquet", "a.arrow", "a.arrows", "a.csv.gz"] {
        let error = Table::read(&folder.file(name, &garbage), &ReadOptions::default()).unwrap_err();
        assert_eq!(error.code(), "file-unreadable", "{name}: {error}");
    }
    for magic in [&b"PAR1"[..], b"ARROW1", &[0xff; 4], &[0x1f, 0x8b]] {
        let error = Table::read(&folder.file("b", [magic, &garbage].concat()), &ReadOptions::default()).unwrap_err();
        assert_eq!(error.code(), "file-unreadable", "{magic:?}: {error}");
    }
}

#[test]
fn truncated_and_damaged_typed_files_are_refused_and_never_panic() {
    let folder = Folder::new();
    let table = loans(5000);
    for name in ["loans.parquet", "loans.arrow"] {
        let whole = folder.path(name);
        table.write(&whole).unwrap();
        let bytes = fs::read(&whole).unwrap();
        for length in [0, 3, 4, 6, 8, 12, 100, bytes.len() / 2, bytes.len() - 9, bytes.len() - 4, bytes.len() - 1] {
            let error = Table::read(&folder.file(&format!("cut-{name}"), &bytes[..length]), &ReadOptions::default());
            assert_eq!(error.unwrap_err().code(), "file-unreadable", "{name} cut at {length}");
        }
        for at in (0..bytes.len()).step_by(bytes.len() / 200) {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x55;
            // Some damage cannot be seen; what matters is that reading comes back.
            let _ = Table::read(&folder.file(&format!("damaged-{name}"), &damaged), &ReadOptions::default());
        }
    }
}

#[test]
fn the_same_data_have_the_same_digest_in_every_format() {
    let folder = Folder::new();
    let table = loans(200_000);
    let schema = Schema::label("approved");
    let expected = Dataset::new(table.clone(), &schema).unwrap().digest();
    for name in ["a.csv", "a.tsv", "a.parquet", "a.arrow", "a.feather", "a.ipc"] {
        table.write(&folder.path(name)).unwrap();
        let (data, warnings) = Dataset::read(folder.path(name), &schema, &ReadOptions::default()).unwrap();
        assert_eq!(data.digest(), expected, "{name}");
        assert_eq!(data.labels().classes(), ["no", "yes"]);
        assert!(warnings.is_empty());
    }
    let turned: Vec<usize> = (0..table.rows()).rev().collect();
    assert_ne!(Dataset::new(table.select(&turned), &schema).unwrap().digest(), expected);
}

#[test]
fn ignored_columns_are_not_read_and_must_exist() {
    let folder = Folder::new();
    let path = folder.path("loans.parquet");
    loans(10).write(&path).unwrap();
    let (data, _) = Dataset::read(&path, &Schema::label("approved").ignore("sex"), &ReadOptions::default()).unwrap();
    assert_eq!(data.table().names(), ["income", "approved"]);
    let unknown = Dataset::read(&path, &Schema::label("approved").ignore("id"), &ReadOptions::default());
    assert_eq!(unknown.unwrap_err().code(), "column-unknown");
    assert_eq!(data.table().shown_row(0), 1);
}

/// Texts that need quoting, and texts that look like something else; none is empty or padded,
/// since neither survives in a text file.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z\",;|\t\r\n é漢\u{1f600}']{1,8}".prop_map(|text| text.trim().to_owned()),
        prop::sample::select(vec!["NA", "1", "01", "1.0", "inf", "\"", "\"\"", "a\nb", "true", "-"])
            .prop_map(str::to_owned),
    ]
    .prop_filter("neither empty nor padded", |text| !text.is_empty())
}

fn number() -> impl Strategy<Value = f64> {
    prop_oneof![3 => any::<f64>().prop_filter("finite", |number| number.is_finite()), 1 => Just(f64::NAN)]
}

fn table() -> impl Strategy<Value = Table> {
    (1_usize..20, 0_usize..3, 0_usize..3).prop_flat_map(|(rows, numeric, categorical)| {
        let numbers = prop::collection::vec(prop::collection::vec(number(), rows), numeric);
        let texts = prop::collection::vec(
            prop::collection::vec(prop::option::of(text()), rows),
            categorical.max(1 - numeric.min(1)),
        );
        (numbers, texts).prop_map(|(numbers, texts)| {
            let numbers = numbers.into_iter().map(Column::Numeric);
            let texts = texts.into_iter().map(|values| Column::Categorical(Categorical::from_values(values)));
            let named = |(at, column)| (format!("{at}: ; \"x\", y"), column);
            Table::new(numbers.chain(texts).enumerate().map(named).collect(), 2).unwrap()
        })
    })
}

fn same_kinds(table: &Table) -> ReadOptions {
    let of = |kind: &str| -> Vec<String> {
        table.columns().filter(|(_, column)| column.kind() == kind).map(|(name, _)| name.to_owned()).collect()
    };
    ReadOptions::default().numeric(of("numeric")).categorical(of("categorical"))
}

fn written_and_read(table: &Table, path: &Path) -> Table {
    table.write(path).unwrap();
    Table::read(path, &same_kinds(table)).unwrap().0
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn what_is_written_is_read_back(table in table()) {
        let folder = Folder::new();
        for name in ["t.csv", "t.tsv", "t.parquet", "t.arrow"] {
            assert_same(&table, &written_and_read(&table, &folder.path(name)));
        }
    }
}

/// One bit is wrong in the length before a compressed buffer.
const DAMAGED: &[u8] = include_bytes!("../../../evenhand-fuzz/corpus/arrow/typed972_d.arrow");

#[cfg(feature = "ipc")]
#[test]
fn lengths_in_damaged_compressed_files_are_checked_before_memory_is_taken() {
    let folder = Folder::new();
    let error = Table::read(&folder.file("damaged.arrow", DAMAGED), &ReadOptions::default()).unwrap_err();
    assert_eq!(error.code(), "file-unreadable");
    assert!(error.to_string().contains("compressed bytes are said to become 576460752303423489"), "{error}");
}

#[cfg(feature = "ipc")]
#[test]
fn no_bit_of_a_compressed_file_that_is_turned_over_ends_the_program() {
    let folder = Folder::new();
    for at in 0..8 * DAMAGED.len() {
        let mut content = DAMAGED.to_vec();
        content[at / 8] ^= 1 << (at % 8);
        let _ = Table::read(&folder.file("damaged.arrow", content), &ReadOptions::default());
    }
}

/// Where a number of Thrift's compact protocol that begins at a place ends.
#[cfg(feature = "parquet")]
fn after_number(content: &[u8], at: usize) -> usize {
    at + content[at..].iter().position(|byte| byte & 0x80 == 0).unwrap() + 1
}

#[cfg(feature = "parquet")]
#[test]
fn what_pages_of_parquet_say_is_checked_before_memory_is_taken() {
    const MOST: [u8; 5] = [0xfe, 0xff, 0xff, 0xff, 0x0f];
    let folder = Folder::new();
    let colours = ["red", "green", "blue"].into_iter().cycle().take(900).map(Some);
    let columns = vec![("colour".to_owned(), Column::Categorical(Categorical::from_values(colours)))];
    let path = folder.path("whole.parquet");
    Table::new(columns, 1).unwrap().write(&path).unwrap();
    let whole = std::fs::read(&path).unwrap();
    // The first page is the dictionary: its kind, its length without compression and with it, and then, in a structure, its values.
    let length = after_number(&whole, 5) + 1;
    let packed = after_number(&whole, length) + 1;
    let values = after_number(&whole, packed) + 2;
    assert_eq!((&whole[4..6], &whole[values - 2..values]), (&[0x15, 0x04][..], &[0x4c, 0x15][..]));
    for (at, said) in
        [(length, "compressed bytes are said to become 2147483647"), (values, "said to be 2147483647 values")]
    {
        let forged = [&whole[..at], &MOST, &whole[after_number(&whole, at)..]].concat();
        let error = Table::read(&folder.file("forged.parquet", forged), &ReadOptions::default()).unwrap_err();
        assert_eq!(error.code(), "file-unreadable");
        assert!(error.to_string().contains(said), "{error}");
    }
}

/// The header of a page has a text that is said to be longer than the file by far.
#[cfg(feature = "parquet")]
const ENDLESS: &[u8] = include_bytes!("../../../evenhand-fuzz/corpus/parquet/header2622.parquet");

#[cfg(feature = "parquet")]
#[test]
fn a_header_of_parquet_that_goes_on_past_the_file_is_refused_at_once() {
    let folder = Folder::new();
    let error = Table::read(&folder.file("endless.parquet", ENDLESS), &ReadOptions::default()).unwrap_err();
    assert!(error.to_string().contains("the header of a page cannot be read"), "{error}");
}
