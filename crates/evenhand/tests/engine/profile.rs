//! Columns, groups and encodings learnt from summaries of parts of the rows, against those of a table.
//!
//! The numbers of an encoding are those of a table to the last bit, however rows are cut. The weights of a table are scaled first, which rounds them: with
//! weights its numbers differ by at most 1e-12 of their size.

use evenhand::correction::Binding;
use evenhand::data::Categorical;
use evenhand::facts::{Answer, Profile, Question, Rescan};
use evenhand::features::Code;
use evenhand::{Column, Correction, Dataset, Notion, Result, Schema, Table, Warning};
use proptest::prelude::*;

/// A row: category, sensitive category, number of few values, continuous number, weight, label.
type Row = (Option<u8>, Option<u8>, Option<i8>, f64, u8, bool);

fn row() -> impl Strategy<Value = Row> {
    let category = |most: u8| proptest::option::weighted(0.9, 0..most);
    let continuous = prop_oneof![Just(f64::NAN), Just(0.0), Just(-0.0), -1e3..1e3_f64, (0u8..4).prop_map(f64::from)];
    (category(5), category(3), proptest::option::weighted(0.9, -3i8..9), continuous, 0u8..4, any::<bool>())
}

fn table(rows: &[Row]) -> Table {
    let text = |of: &dyn Fn(&Row) -> Option<String>| Column::Categorical(Categorical::from_values(rows.iter().map(of)));
    let number = |of: &dyn Fn(&Row) -> f64| Column::Numeric(rows.iter().map(of).collect());
    let columns = vec![
        ("place".into(), text(&|row| row.0.map(|code| format!("p{code}")))),
        ("sex".into(), text(&|row| row.1.map(|code| format!("s{code}")))),
        ("age".into(), number(&|row| row.2.map_or(f64::NAN, f64::from))),
        ("income".into(), number(&|row| 1e6 + row.3)),
        ("weight".into(), number(&|row| f64::from(row.4) / 3.0)),
        ("y".into(), text(&|row| Some(if row.5 { "yes" } else { "no" }.to_owned()))),
    ];
    Table::new(columns, 2).unwrap()
}

fn settings(specs: &[&str], notion: Notion) -> Correction {
    specs.iter().fold(Correction::new(notion), |asked, spec| asked.group(spec).unwrap())
}

fn all() -> Vec<Correction> {
    vec![
        settings(&["sex", "age/3"], Notion::DemographicParity),
        settings(&["sex*age<=2", "income/4"], Notion::EqualizedOdds),
        settings(&["place*sex"], Notion::DisparateImpact),
        settings(&["sex=s0"], Notion::PaperDisparateImpact),
        settings(&["age"], Notion::DemographicParity),
    ]
}

/// The same profile from parts, each through JSON, in the order in which they stand.
fn merged(parts: &[Table], schema: &Schema) -> Result<Profile> {
    let of = |part: &Table| -> Result<Profile> {
        let json = serde_json::to_string(&Profile::of(part, schema)?).unwrap();
        Ok(serde_json::from_str(&json).unwrap())
    };
    let mut profiles = parts.iter().map(of);
    let first = profiles.next().unwrap()?;
    profiles.try_fold(first, |all, next| all.merge(next?))
}

/// Rows in several tables.
struct Parts<'a>(&'a [Table]);

impl Rescan for Parts<'_> {
    fn ask(&self, question: &Question) -> Result<Answer> {
        let mut answers = self.0.iter().map(|table| Answer::of(question, table));
        let first = answers.next().unwrap()?;
        answers.try_fold(first, |all, answer| all.merge(answer?))
    }
}

fn learnt(asked: &Correction, parts: &[Table], schema: &Schema) -> Result<(Binding, Vec<Warning>)> {
    let profile = merged(parts, schema)?;
    profile.row_weight_scale(schema)?;
    let (classes, positive) = profile.classes(schema)?;
    Binding::learn(asked, schema, (&classes, positive), &profile.facts(&Parts(parts)))
}

/// Whether codes are the same, numbers up to rounding in weights.
fn close(one: &Code, other: &Code) -> bool {
    // A centre near zero is rounded by as much as the values around it.
    let near = |a: f64, b: f64, size: f64| (a - b).abs() <= 1e-12 * a.abs().max(b.abs()).max(size);
    match (one, other) {
        (
            Code::Number { centre, scale, fill, indicator },
            Code::Number { centre: c, scale: s, fill: f, indicator: i },
        ) => near(*centre, *c, *scale) && near(*scale, *s, 0.0) && near(*fill, *f, *scale) && indicator == i,
        _ => one == other,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn summaries_of_parts_teach_what_a_table_teaches(
        rows in prop::collection::vec(row(), 2..60),
        turn in any::<prop::sample::Index>(),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..5),
        weighted in any::<bool>(),
    ) {
        let whole = table(&rows);
        let schema = Schema::label("y").positive("yes");
        let schema = if weighted { schema.weight("weight") } else { schema.ignore("weight") };
        let mut order: Vec<usize> = (0..rows.len()).collect();
        order.rotate_left(turn.index(rows.len()));
        let mut places: Vec<usize> = cuts.iter().map(|cut| cut.index(rows.len() + 1)).chain([0, rows.len()]).collect();
        places.sort_unstable();
        let parts: Vec<Table> = places.windows(2).map(|ends| whole.select(&order[ends[0]..ends[1]])).collect();
        let one = std::slice::from_ref(&whole);
        for asked in all() {
            let data = Dataset::new(whole.clone(), &schema);
            let by_table = data.and_then(|data| Binding::new(&asked, &data));
            let (by_parts, by_one) = (learnt(&asked, &parts, &schema), learnt(&asked, one, &schema));
            prop_assert_eq!(by_parts.as_ref().ok(), by_one.as_ref().ok(), "cuts show");
            match (by_table, by_parts) {
                (Ok((binding, _, warnings)), Ok((learnt, early))) => {
                    prop_assert_eq!(binding.groups(), learnt.groups());
                    prop_assert_eq!(binding.withheld(), learnt.withheld());
                    prop_assert_eq!(binding.feature_names(), learnt.feature_names());
                    prop_assert_eq!((binding.classes(), binding.positive()), (learnt.classes(), learnt.positive()));
                    prop_assert_eq!(&warnings[..early.len()], &early[..]);
                    let (own, others) = (binding.encoding().columns(), learnt.encoding().columns());
                    if !weighted {
                        prop_assert_eq!(own, others);
                    }
                    for (one, other) in own.iter().zip(others) {
                        prop_assert!(one.column == other.column && close(&one.code, &other.code), "{:?} {:?}", one, other);
                    }
                }
                // Which constraints have rows is not known before they are bound.
                (Err(error), Ok(_)) => prop_assert_eq!(error.code(), "no-constraints"),
                (Err(error), Err(other)) => prop_assert_eq!(error.code(), other.code()),
                (Ok(_), Err(error)) => prop_assert!(false, "{}", error),
            }
        }
    }
}

#[test]
fn rows_are_asked_again_by_questions_that_survive_json() {
    struct Elsewhere(Table);
    impl Rescan for Elsewhere {
        fn ask(&self, question: &Question) -> Result<Answer> {
            let sent: Question = serde_json::from_str(&serde_json::to_string(question).unwrap()).unwrap();
            let answer = Answer::of(&sent, &self.0)?;
            Ok(serde_json::from_str(&serde_json::to_string(&answer).unwrap()).unwrap())
        }
    }
    // More distinct numbers than a profile keeps.
    let rows = 70_000;
    let number = |row: usize| ((row * 7919) % rows) as f64 / 3.0 - 1e4;
    let label = Categorical::from_values((0..rows).map(|row| Some(if row % 3 == 0 { "yes" } else { "no" })));
    let columns =
        vec![("x".into(), Column::Numeric((0..rows).map(number).collect())), ("y".into(), Column::Categorical(label))];
    let (table, schema) = (Table::new(columns, 1).unwrap(), Schema::label("y").positive("yes"));
    let profile = Profile::of(&table, &schema).unwrap();
    let classes = profile.classes(&schema).unwrap();
    let data = Dataset::new(table.clone(), &schema).unwrap();
    let elsewhere = Elsewhere(table);
    for (spec, groups) in [("x/7", 7), ("x=0,5", 2)] {
        let asked = settings(&[spec], Notion::DemographicParity);
        let (found, _) = Binding::learn(&asked, &schema, (&classes.0, classes.1), &profile.facts(&elsewhere)).unwrap();
        assert_eq!(found.groups(), Binding::new(&asked, &data).unwrap().0.groups());
        assert_eq!(found.groups().len(), groups);
    }
    let too_many = settings(&["x"], Notion::DemographicParity);
    let error = Binding::learn(&too_many, &schema, (&classes.0, classes.1), &profile.facts(&elsewhere)).unwrap_err();
    assert!(error.to_string().contains("very many distinct values"), "{error}");
}

#[test]
fn groups_of_one_column_are_known_without_asking_rows_again() {
    /// Rows that may be asked about several columns alone.
    struct Sparing<'a>(&'a Table, std::cell::Cell<usize>);
    impl Rescan for Sparing<'_> {
        fn ask(&self, question: &Question) -> Result<Answer> {
            let Question::Patterns { groups } = question else { panic!("{question:?}") };
            let names: Vec<&str> = groups.iter().map(evenhand::group::Group::name).collect();
            assert!(
                names.iter().any(|name| name.starts_with("sex")) && names.iter().any(|name| name.starts_with("age"))
            );
            self.1.set(self.1.get() + 1);
            Answer::of(question, self.0)
        }
    }
    let row = |at: u8| {
        let [no_sex, no_age, label] = [7, 11, 2].map(|by| at.is_multiple_of(by));
        (Some(at % 5), (!no_sex).then_some(at % 3), (!no_age).then_some(9), 1.0, 1, label)
    };
    let mut rows: Vec<Row> = (0..60).map(row).collect();
    (0i8..).zip(&mut rows).take(40).for_each(|(at, row)| row.2 = Some(at % 13 - 3));
    let (table, schema) = (table(&rows), Schema::label("y").positive("yes").ignore("weight"));
    let profile = Profile::of(&table, &schema).unwrap();
    let classes = profile.classes(&schema).unwrap();
    let data = Dataset::new(table.clone(), &schema).unwrap();
    for (spec, asked) in
        [("sex", 0), ("sex=s0,s1|s2", 0), ("age", 0), ("age=3|-0", 0), ("age<=2", 0), ("age/3", 0), ("sex*age<=2", 1)]
    {
        let settings = settings(&[spec], Notion::DemographicParity);
        let rows = Sparing(&table, 0.into());
        let (found, _) = Binding::learn(&settings, &schema, (&classes.0, classes.1), &profile.facts(&rows)).unwrap();
        assert_eq!(found.groups(), Binding::new(&settings, &data).unwrap().0.groups(), "{spec}");
        assert_eq!(rows.1.get(), asked, "{spec}");
    }
    // A group without rows is told by them too.
    for spec in ["sex=s9", "age<-9"] {
        let settings = settings(&[spec], Notion::DemographicParity);
        let facts = profile.facts(&table);
        let error = Binding::learn(&settings, &schema, (&classes.0, classes.1), &facts).unwrap_err();
        assert_eq!(error.code(), Binding::new(&settings, &data).unwrap_err().code(), "{spec}");
    }
}

#[test]
fn parts_that_do_not_go_together_are_refused() {
    let schema = Schema::label("y").positive("yes").weight("weight");
    let rows: Vec<Row> = vec![(Some(1), Some(1), Some(1), 1.0, 1, true), (Some(1), Some(1), Some(1), 1.0, 1, false)];
    let (whole, profile) = (table(&rows), |table: &Table| Profile::of(table, &schema));
    let merge = |change: &dyn Fn(&mut Table)| {
        let mut other = whole.clone();
        change(&mut other);
        profile(&whole).unwrap().merge(profile(&other)?).map(|_| ())
    };
    merge(&|_| ()).unwrap();
    let code = |change: &dyn Fn(&mut Table)| merge(change).unwrap_err().code();
    let text = || Column::Categorical(Categorical::from_values(["a", "b"].map(Some)));
    assert_eq!(code(&|table| table.set("age", text()).unwrap()), "column-kind");
    assert_eq!(code(&|table| table.set("more", text()).unwrap()), "column-unknown");
    assert_eq!(code(&|table| table.set("weight", Column::Numeric(vec![1.0, -1.0])).unwrap()), "weight-invalid");
    let missing = Column::Categorical(Categorical::from_values([Some("yes"), None]));
    assert_eq!(code(&|table| table.set("y", missing.clone()).unwrap()), "label-missing");
    let mut light = whole.clone();
    light.set("weight", Column::Numeric(vec![0.0; 2])).unwrap();
    let light = profile(&light).unwrap();
    assert_eq!(light.row_weight_scale(&schema).unwrap_err().code(), "weight-none");
    let scale = light.merge(profile(&whole).unwrap()).unwrap().row_weight_scale(&schema).unwrap().unwrap();
    assert!((scale.scaled(1.0 / 3.0) - 1.0).abs() < 1e-15 && scale.scaled(0.0) <= 0.0);
}

#[test]
fn whole_numbers_that_merge_as_doubles_are_no_groups() {
    let schema = Schema::label("y").positive("yes");
    let mut part = table(&[(None, None, None, 1.0, 1, true), (None, None, None, 2.0, 1, false)]);
    part.set_whole("id", [Some((1 << 53) + 1), Some(3)].into_iter()).unwrap();
    let parts = [part.select(&[0]), part.select(&[1])];
    let asked = settings(&["id"], Notion::DemographicParity);
    assert_eq!(learnt(&asked, &parts, &schema).unwrap_err().code(), "value-rounded");
}
