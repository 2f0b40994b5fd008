//! Whatever a file holds, what is carried along comes out equal.

use std::collections::HashMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::types::{Int8Type, Int32Type};
use arrow_array::{
    Array, ArrayRef, BinaryArray, BooleanArray, Date32Array, Decimal128Array, DictionaryArray, Float32Array,
    Int64Array, ListArray, RecordBatch, StringArray, TimestampMicrosecondArray, UInt64Array,
};
use arrow_schema::{Field, Schema as ArrowSchema, SchemaRef};
use proptest::prelude::*;
use tempfile::TempDir;

use super::batches::{Batches, whole};
use super::*;
use crate::data::write::arrow::BatchWriter;
use crate::data::{Categorical, Table};

const LARGE: i64 = 9_007_199_254_740_993;

/// Columns of all sorts, in three batches whose dictionaries differ.
fn typed() -> (SchemaRef, Vec<RecordBatch>) {
    let batch = |at: u8| {
        let codes = [["b", "a"], ["c", "b"], ["a", "a"]][usize::from(at)];
        let codes: DictionaryArray<Int8Type> = codes.into_iter().collect();
        let money = Decimal128Array::from(vec![Some(12_345_678_901_234_567_890_123_450 + i128::from(at)), None]);
        let moment = TimestampMicrosecondArray::from(vec![Some(1_700_000_000_123_456 + i64::from(at)), None]);
        let columns: Vec<(&str, ArrayRef)> = vec![
            ("id", Arc::new(Int64Array::from(vec![Some(LARGE + i64::from(at)), None]))),
            ("hash", Arc::new(UInt64Array::from(vec![u64::MAX - u64::from(at), 7]))),
            ("money", Arc::new(money.with_precision_and_scale(38, 2).unwrap())),
            ("flag", Arc::new(BooleanArray::from(vec![Some(true), None]))),
            ("day", Arc::new(Date32Array::from(vec![Some(19_000 + i32::from(at)), None]))),
            ("moment", Arc::new(moment.with_timezone("Europe/Berlin"))),
            (" text ", Arc::new(StringArray::from(vec![Some("  blank, \"quoted\" "), Some("")]))),
            ("code", Arc::new(codes)),
            ("share", Arc::new(Float32Array::from(vec![0.1, f32::NAN]))),
            ("member", Arc::new(BooleanArray::from(vec![Some(false), None]))),
        ];
        RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, array)| (name, array, true))).unwrap()
    };
    let batches: Vec<RecordBatch> = (0..3).map(batch).collect();
    let mut fields: Vec<Field> = batches[0].schema().fields().iter().map(|field| (**field).clone()).collect();
    fields[0] = fields[0].clone().with_metadata(HashMap::from([("unit".to_owned(), "person".to_owned())]));
    let metadata = HashMap::from([("origin".to_owned(), "made up".to_owned())]);
    let schema = Arc::new(ArrowSchema::new_with_metadata(fields, metadata));
    let batches = batches.into_iter().map(|batch| batch.with_schema(schema.clone()).unwrap()).collect();
    (schema, batches)
}

fn written(folder: &TempDir, name: &str, schema: &SchemaRef, batches: &[RecordBatch]) -> PathBuf {
    let path = folder.path().join(name);
    let file = File::create(&path).unwrap();
    let mut out = std::io::BufWriter::new(&file);
    if name.ends_with(".parquet") {
        let mut writer = BatchWriter::new(Target::Parquet, schema, &mut out).unwrap();
        for batch in batches {
            writer.write(batch).unwrap();
        }
        writer.close().unwrap();
    } else {
        // A stream may have a dictionary a batch.
        let mut writer = arrow_ipc::writer::StreamWriter::try_new(&mut out, schema).unwrap();
        for batch in batches {
            writer.write(batch).unwrap();
        }
        writer.finish().unwrap();
    }
    drop(out);
    path
}

fn columns(path: &Path) -> (ArrowSchema, Vec<ArrayRef>) {
    let carry = Carry::open(path, &ReadOptions::default()).unwrap();
    let schema = Batches::open(&carry.files[0].source).unwrap().schema.as_ref().clone();
    let columns = (0..schema.fields().len()).map(|at| whole(&carry, at).unwrap()).collect();
    (schema, columns)
}

/// Equal in values, whatever the dictionaries are.
fn assert_equal(one: &dyn Array, other: &dyn Array, name: &str) {
    assert_eq!(one.data_type(), other.data_type(), "{name}");
    if let arrow_schema::DataType::Dictionary(..) = one.data_type() {
        let texts = |array: &dyn Array| {
            let array = array.as_any().downcast_ref::<DictionaryArray<Int8Type>>().unwrap();
            let texts = array.downcast_dict::<StringArray>().unwrap();
            texts.into_iter().map(|text| text.map(str::to_owned)).collect::<Vec<_>>()
        };
        assert_eq!(texts(one), texts(other), "{name}");
    } else {
        assert_eq!(one.to_data(), other.to_data(), "{name}");
    }
}

#[test]
fn types_values_and_metadata_of_a_typed_file_come_out_as_they_went_in() {
    let folder = tempfile::tempdir().unwrap();
    let (schema, batches) = typed();
    for from in ["in.parquet", "in.arrows"] {
        let source = written(&folder, from, &schema, &batches);
        let before = columns(&source);
        for to in ["out.parquet", "out.arrow"] {
            let path = folder.path().join(to);
            let mut carry = Carry::open(&source, &ReadOptions::default()).unwrap();
            carry.put("score", Column::Numeric((0..6).map(f64::from).collect()));
            carry.put_rows("flag", "flag", vec![1, 0, 0, 0, 2, 1]).unwrap();
            carry.write(&path).unwrap();
            let after = columns(&path);
            assert_eq!(after.0.fields().len(), before.0.fields().len() + 1);
            assert_eq!(after.0.metadata().get("origin").map(String::as_str), Some("made up"), "{from} {to}");
            for (at, field) in before.0.fields().iter().enumerate().filter(|(_, field)| field.name() != "flag") {
                assert_eq!(after.0.field(at), &**field, "{from} {to}");
                assert_equal(&after.1[at], &before.1[at], field.name());
            }
            let flags = after.1[3].as_any().downcast_ref::<BooleanArray>().unwrap();
            let flags: Vec<Option<bool>> = flags.iter().collect();
            assert_eq!(flags, [None, Some(true), Some(true), Some(true), Some(true), None]);
        }
    }
}

#[test]
fn what_has_no_spelling_is_carried_between_typed_files_and_refused_as_text() {
    let folder = tempfile::tempdir().unwrap();
    let lists = ListArray::from_iter_primitive::<Int32Type, _, _>([Some(vec![Some(1), None]), None]);
    let bytes = BinaryArray::from(vec![&b"\xff\x00"[..], b""]);
    let made: Vec<(&str, ArrayRef)> = vec![("lists", Arc::new(lists)), ("bytes", Arc::new(bytes))];
    let batch = RecordBatch::try_from_iter_with_nullable(made.into_iter().map(|(n, a)| (n, a, true))).unwrap();
    let source = written(&folder, "in.parquet", &batch.schema(), std::slice::from_ref(&batch));
    let carry = Carry::open(&source, &ReadOptions::default()).unwrap();
    carry.write(&folder.path().join("out.parquet")).unwrap();
    let after = columns(&folder.path().join("out.parquet"));
    assert_equal(&after.1[0], batch.column(0), "lists");
    assert_equal(&after.1[1], batch.column(1), "bytes");
    let error = carry.write(&folder.path().join("out.csv")).unwrap_err();
    assert_eq!(error.code(), "column-type");
    assert!(!folder.path().join("out.csv").exists());
}

#[test]
fn a_typed_file_is_spelled_with_all_its_digits() {
    let folder = tempfile::tempdir().unwrap();
    let (schema, batches) = typed();
    let source = written(&folder, "in.parquet", &schema, &batches[..1]);
    let path = folder.path().join("out.csv");
    Carry::open(&source, &ReadOptions::default()).unwrap().write(&path).unwrap();
    let text = std::fs::read_to_string(path).unwrap();
    assert_eq!(
        text,
        "id,hash,money,flag,day,moment, text ,code,share,member\n\
         9007199254740993,18446744073709551615,123456789012345678901234.50,true,2022-01-08,2023-11-14T22:13:20.123456Z,\
         \"  blank, \"\"quoted\"\" \",b,0.1,false\n\
         ,7,,,,,\"\",a,NaN,\n"
    );
}

const ODD: &str = " id ,\"na,me\",x,x,,\"plain\"\r\n 007 ,\" a \",1.10,+3,\"line\nbreak\",\"\"\r\n9007199254740993,,-0,1e400,\"\"\"\",q\"q\r\n";

#[test]
fn fields_and_headers_of_a_text_file_come_out_to_the_letter() {
    let folder = tempfile::tempdir().unwrap();
    let (source, path) = (folder.path().join("in.csv"), folder.path().join("out.csv"));
    std::fs::write(&source, ODD).unwrap();
    let mut carry = Carry::open(&source, &ReadOptions::default()).unwrap();
    assert_eq!(carry.names(), ["id", "na,me", "x", "x.1", "column_5", "plain"]);
    carry.put("p", Column::Numeric(vec![0.5, 0.25]));
    carry.write(&path).unwrap();
    let expected = ODD
        .replace("\"plain\"\r\n", "\"plain\",p\n")
        .replace("\"\"\r\n", "\"\",0.5\n")
        .replace("q\"q\r\n", "q\"q,0.25\n");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), expected);
    // What is left out is left out, and the rest stays.
    let carry = Carry::open(&source, &ReadOptions::default().ignore(["na,me", "column_5"])).unwrap();
    carry.write(&path).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    assert_eq!(text, " id ,x,x,\"plain\"\n 007 ,1.10,+3,\"\"\n9007199254740993,-0,1e400,q\"q\n");
}

#[test]
fn text_becomes_typed_where_no_digit_is_lost() {
    let folder = tempfile::tempdir().unwrap();
    let (source, path) = (folder.path().join("in.csv"), folder.path().join("out.parquet"));
    std::fs::write(&source, "id,zip,pay,note,label\n9007199254740993,007,1.5,\" a \",no\n-2,12,2,,yes\n").unwrap();
    let mut carry = Carry::open(&source, &ReadOptions::default()).unwrap();
    carry.put_rows("label", "label", vec![1, 0]).unwrap();
    carry.write(&path).unwrap();
    let (schema, found) = columns(&path);
    let types: Vec<String> = schema.fields().iter().map(|field| field.data_type().to_string()).collect();
    assert_eq!(types, ["Int64", "Utf8", "Float64", "Utf8", "Utf8"]);
    assert_equal(&found[0], &Int64Array::from(vec![LARGE, -2]), "id");
    assert_equal(&found[3], &StringArray::from(vec![Some(" a "), None]), "note");
    assert_equal(&found[4], &StringArray::from(vec!["yes", "no"]), "label");
}

#[test]
fn other_numbers_of_rows_are_refused_and_nothing_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("in.csv");
    std::fs::write(&source, "a,b\n1,2\n3,4\n").unwrap();
    for to in ["out.csv", "out.parquet", "out.arrow"] {
        for rows in [1, 3] {
            let mut carry = Carry::open(&source, &ReadOptions::default()).unwrap();
            carry.put("p", Column::Numeric(vec![0.5; rows]));
            assert_eq!(carry.write(&folder.path().join(to)).unwrap_err().code(), "length-mismatch", "{to} {rows}");
            assert!(!folder.path().join(to).exists());
        }
    }
}

/// Numbers and decisions for so many rows, cut into chunks of so many.
fn chunks(rows: usize, size: usize) -> impl FnMut() -> Result<Option<Vec<Column>>> {
    let decided = (0..rows).map(|row| u32::try_from(row % 2).unwrap()).collect();
    let all = [
        Column::Numeric((0..rows).map(|row| row as f64 / 7.0).collect()),
        Column::Categorical(Categorical::new(decided, vec!["no, never".into(), "yes".into()])),
    ];
    let mut first = 0;
    move || {
        let part = first..rows.min(first + size);
        first = part.end;
        Ok((!part.is_empty()).then(|| all.iter().map(|column| column.slice(part.clone())).collect()))
    }
}

#[test]
fn columns_that_come_in_chunks_of_any_size_are_written_to_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let text = folder.path().join("in.csv");
    let lines: Vec<String> = (0..5000).map(|row| format!("{row},\"a, {}\"\n", row % 9)).collect();
    std::fs::write(&text, format!("id,note\n{}", lines.concat())).unwrap();
    let typed = folder.path().join("in.parquet");
    Carry::open(&text, &ReadOptions::default()).unwrap().write(&typed).unwrap();
    for from in [&text, &typed] {
        for to in ["out.csv", "out.parquet", "out.arrow"] {
            let written = |size: usize| {
                let mut carry = Carry::open(from, &ReadOptions::default()).unwrap();
                carry.put_fed("p");
                carry.put_fed("decision");
                let mut outputs = Outputs::default();
                let path = folder.path().join(to);
                outputs.carry_fed(&path, &carry, WriteOptions::default(), &mut chunks(5000, size)).unwrap();
                outputs.commit().unwrap();
                std::fs::read(path).unwrap()
            };
            let whole = written(5000);
            for size in [1, 1024, 1500, 4999] {
                assert!(written(size) == whole, "{} to {to} by {size}", from.display());
            }
        }
    }
}

#[test]
fn several_files_become_one_whatever_the_order_of_their_columns() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("people")).unwrap();
    std::fs::write(folder.path().join("people/a.csv"), "id,note\n007,\"x, y\"\n8,\n").unwrap();
    std::fs::write(folder.path().join("people/b.csv"), "note;id\n z ;9\n").unwrap();
    let people = folder.path().join("people");
    let fed = |to: &str| {
        let path = folder.path().join(to);
        let mut carry = Carry::open(&people, &ReadOptions::default()).unwrap();
        carry.put("p", Column::Numeric(vec![0.5, 0.25, 1.0]));
        carry.put_rows("copy", "id", vec![2, 1, 0]).unwrap();
        carry.write(&path).unwrap();
        path
    };
    let expected = "id,note,p,copy\n007,\"x, y\",0.5,9\n8,,0.25,8\n9, z ,1,007\n";
    assert_eq!(std::fs::read_to_string(fed("out.csv")).unwrap(), expected);
    let (schema, found) = columns(&fed("out.parquet"));
    assert_eq!(
        schema.fields().iter().map(|field| field.name().as_str()).collect::<Vec<_>>(),
        ["id", "note", "p", "copy"]
    );
    assert_equal(&found[0], &StringArray::from(vec!["007", "8", "9"]), "id");
    assert_equal(&found[3], &StringArray::from(vec!["9", "8", "007"]), "copy");

    // Typed files: those of two folders, whose columns stand in another order.
    std::fs::create_dir(folder.path().join("typed")).unwrap();
    for (name, text) in [("a", "id,note\n1,x\n2,y\n"), ("b", "note,id\nz,3\n")] {
        let path = folder.path().join(format!("{name}.csv"));
        std::fs::write(&path, text).unwrap();
        let typed = folder.path().join(format!("typed/{name}.parquet"));
        Carry::open(&path, &ReadOptions::default()).unwrap().write(&typed).unwrap();
    }
    let typed = Carry::open(&folder.path().join("typed"), &ReadOptions::default()).unwrap();
    for to in ["all.csv", "all.parquet", "all.arrow"] {
        typed.write(&folder.path().join(to)).unwrap();
    }
    assert_eq!(std::fs::read_to_string(folder.path().join("all.csv")).unwrap(), "id,note\n1,x\n2,y\n3,z\n");
    assert_equal(&columns(&folder.path().join("all.arrow")).1[0], &Int64Array::from(vec![1, 2, 3]), "id");

    // A file with other columns, or of another type, is refused by its name.
    for (text, problem) in [
        ("id\n4\n", "no column `note`"),
        ("id,note,age\n4,a,5\n", "a column `age` more"),
        ("id,note\n4.5,a\n", "is Float64"),
    ] {
        let path = folder.path().join("c.csv");
        std::fs::write(&path, text).unwrap();
        Carry::open(&path, &ReadOptions::default()).unwrap().write(&folder.path().join("typed/c.parquet")).unwrap();
        let error = Carry::open(&folder.path().join("typed"), &ReadOptions::default()).unwrap_err();
        assert!(error.to_string().contains("c.parquet") && error.to_string().contains(problem), "{error}");
    }
}

#[test]
fn whole_numbers_beyond_doubles_are_no_categories_unless_they_are_read_as_such() {
    let folder = tempfile::tempdir().unwrap();
    let (text, typed) = (folder.path().join("in.csv"), folder.path().join("in.parquet"));
    std::fs::write(&text, "code,x\n9007199254740992,1\n9007199254740993,2\n").unwrap();
    Carry::open(&text, &ReadOptions::default()).unwrap().write(&typed).unwrap();
    for path in [&text, &typed] {
        let (table, _) = Table::read(path, &ReadOptions::default()).unwrap();
        let error = table.check_exact("code").unwrap_err();
        assert!(error.to_string().contains("`9007199254740993` has more digits"), "{error}");
        table.check_exact("x").unwrap();
        let (table, _) = Table::read(path, &ReadOptions::default().categorical(["code"])).unwrap();
        table.check_exact("code").unwrap();
        let code = table.get("code").unwrap();
        let codes: Vec<String> = (0..2).map(|row| code.text(row).unwrap()).collect();
        assert_eq!(codes, ["9007199254740992", "9007199254740993"]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Fields say the same after any way through text, and are spelled the same between the same delimiters.
    #[test]
    fn fields_say_the_same_whatever_they_hold(
        fields in prop::collection::vec(prop::collection::vec(r#"[a1 .,;\t"\n]{0,6}"#, 3), 1..5), tabs in any::<bool>()
    ) {
        let folder = tempfile::tempdir().unwrap();
        let (source, path) = (folder.path().join("in.csv"), folder.path().join(if tabs { "out.tsv" } else { "out.csv" }));
        let mut writer = csv::WriterBuilder::new().from_path(&source).unwrap();
        writer.write_record(["a", "b", "c"]).unwrap();
        for row in &fields {
            writer.write_record(row).unwrap();
        }
        drop(writer);
        let mut carry = Carry::open(&source, &ReadOptions::default()).unwrap();
        carry.put("p", Column::Numeric(vec![0.5; fields.len()]));
        carry.write(&path).unwrap();
        let mut reader = csv::ReaderBuilder::new().delimiter(if tabs { b'\t' } else { b',' }).from_path(&path).unwrap();
        let found: Vec<Vec<String>> =
            reader.records().map(|row| row.unwrap().iter().take(3).map(str::to_owned).collect()).collect();
        prop_assert_eq!(found, fields);
        if !tabs {
            let (before, after) = (std::fs::read_to_string(&source).unwrap(), std::fs::read_to_string(&path).unwrap());
            prop_assert_eq!(before.replace('\n', ""), after.replace(",p\n", "").replace(",0.5\n", "").replace('\n', ""));
        }
    }
}
