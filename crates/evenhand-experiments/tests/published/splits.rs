//! Splits of the public datasets drawn at random. Skipped without the datasets: see `support`.

use crate::support::data_folder;
use evenhand::features::PlanKind;
use evenhand::{Column, Dataset, Groups};
use evenhand_datasets::Recipe;
use evenhand_datasets::recipe::Prepared;

#[test]
fn a_drawn_split_has_the_rows_of_the_published_one_in_other_places() {
    for name in evenhand_experiments::DATASETS {
        let Some(folder) = data_folder(name) else { continue };
        let source = Recipe::named(name).unwrap().read(&folder).unwrap();
        let (published, drawn) = (source.published().unwrap(), source.drawn(1).unwrap());
        assert_eq!(drawn.train.rows(), published.train.rows(), "{name}: training rows");
        assert_eq!(drawn.test.rows(), published.test.rows(), "{name}: test rows");
        assert_eq!(positives(&drawn), positives(&published), "{name}: positives in all");
        assert_eq!(drawn.groups().len(), published.groups().len(), "{name}: groups");
        assert_ne!(drawn.train.digest(), published.train.digest(), "{name}");
    }
}

#[test]
fn the_seed_alone_decides_which_rows_are_drawn() {
    let Some(folder) = data_folder("german") else { return };
    let source = Recipe::named("german").unwrap().read(&folder).unwrap();
    let digest = |seed| source.drawn(seed).unwrap().test.digest();
    assert_eq!(digest(1), digest(1));
    assert_ne!(digest(1), digest(2));
}

#[test]
fn percentiles_of_training_rows_are_those_of_the_drawn_ones() {
    let Some(folder) = data_folder("adult") else { return };
    let drawn = Recipe::named("adult").unwrap().read(&folder).unwrap().drawn(3).unwrap();
    let mut ages = numbers(&drawn.train, "age").to_vec();
    ages.sort_unstable_by(f64::total_cmp);
    let quarter = (ages.len() - 1) / 4;
    assert_eq!(4 * quarter + 1, ages.len(), "no percentile lies between two rows");
    let quartiles: Vec<f64> = (0..=4).map(|at| ages[at * quarter]).collect();
    let plan = drawn.plan().iter().find(|plan| plan.column == "age").unwrap();
    assert!(matches!(&plan.kind, PlanKind::Buckets { edges, .. } if *edges == quartiles), "{:?}", plan.kind);
}

#[test]
fn missing_numbers_become_the_mean_of_the_drawn_training_rows() {
    let Some(folder) = data_folder("communities") else { return };
    let source = Recipe::named("communities").unwrap().read(&folder).unwrap();
    // The police columns are missing in most rows, so that the fill is the commonest value.
    let fill = |prepared: &Prepared| commonest(numbers(&prepared.test, "LemasSwornFT"));
    let [one, other] = [1, 2].map(|seed| source.drawn(seed).unwrap());
    for prepared in [&one, &other] {
        let train = numbers(&prepared.train, "LemasSwornFT");
        // Filling with the mean of known values leaves the mean as it was.
        let mean = train.iter().sum::<f64>() / train.len() as f64;
        assert!((fill(prepared) - mean).abs() < 1e-12, "{} and {mean}", fill(prepared));
    }
    assert!((fill(&one) - fill(&other)).abs() > 1e-6);
}

fn positives(prepared: &Prepared) -> usize {
    let of = |data: &Dataset| {
        let positive = data.labels().positive().unwrap();
        data.labels().codes().iter().filter(|&code| code == positive).count()
    };
    of(&prepared.train) + of(&prepared.test)
}

fn numbers<'a>(data: &'a Dataset, name: &str) -> &'a [f64] {
    match data.table().column(name).unwrap() {
        Column::Numeric(values) => values,
        Column::Categorical(_) => panic!("{name} holds no numbers"),
    }
}

fn commonest(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted.chunk_by(|a, b| a.total_cmp(b).is_eq()).max_by_key(|alike| alike.len()).unwrap()[0]
}

#[test]
fn the_published_splits_are_those_listed_beside_the_data() {
    for name in ["bank", "communities", "compas", "german"] {
        let Some(folder) = data_folder(name) else { continue };
        let listed = std::fs::read_to_string(folder.join("split.csv")).unwrap();
        let train: Vec<usize> =
            listed.lines().filter_map(|line| line.strip_suffix(",train")).map(|row| row.parse().unwrap()).collect();
        let prepared = Recipe::named(name).unwrap().load(&folder).unwrap();
        // In the same order too: sums in another order would differ in their last digits.
        assert_eq!(prepared.train_places(), train, "{name}");
        assert_eq!(prepared.train.rows() + prepared.test.rows(), listed.lines().count() - 1, "{name}");
    }
}

#[test]
fn nothing_but_the_published_files_is_read_gzipped_or_not() {
    let Some(folder) = data_folder("german") else { return };
    let bare = tempfile::tempdir().unwrap();
    let german = Recipe::named("german").unwrap();
    std::fs::copy(folder.join("german.data-numeric"), bare.path().join("german.data-numeric")).unwrap();
    let plain = german.load(bare.path()).unwrap();
    let bytes = std::fs::read(bare.path().join("german.data-numeric")).unwrap();
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut packed, &bytes).unwrap();
    std::fs::write(bare.path().join("german.data-numeric.gz"), packed.finish().unwrap()).unwrap();
    std::fs::remove_file(bare.path().join("german.data-numeric")).unwrap();
    assert_eq!(german.load(bare.path()).unwrap().train.digest(), plain.train.digest());

    let cut: Vec<u8> = bytes.split_inclusive(|&byte| byte == b'\n').take(900).flatten().copied().collect();
    std::fs::write(bare.path().join("german.data-numeric"), cut).unwrap();
    let error = german.load(bare.path()).unwrap_err();
    assert!(error.to_string().ends_with("has 1000 rows that are used, this one 900"), "{error}");
    std::fs::remove_dir_all(bare.path()).unwrap();
    assert_eq!(german.load(bare.path()).unwrap_err().code(), "io");
}

/// How many of all 1,994 communities are in each group, as the authors' notebooks print it where they do, and the others by numpy.
#[test]
fn the_groups_of_communities_are_the_outer_thirds_of_shares() {
    let Some(folder) = data_folder("communities") else { return };
    let communities = Recipe::named("communities").unwrap().load(&folder).unwrap();
    let (groups, _) = Groups::of(communities.groups(), &communities.all).unwrap();
    let names: Vec<&str> = groups.names().collect();
    let expected = [
        ("racepctblack<=0.03", 796),
        ("racepctblack>0.14", 661),
        ("racePctAsian<=0.05", 790),
        ("racePctAsian>0.12", 648),
        ("racePctWhite<=0.72", 680),
        ("racePctWhite>0.92", 618),
        ("racePctHisp<=0.02", 759),
        ("racePctHisp>0.09", 664),
    ];
    assert_eq!(names, expected.map(|(name, _)| name));
    assert_eq!(groups.membership(communities.all.table()).unwrap().counts(), expected.map(|(_, rows)| rows));
    // Each is a feature beside the share itself, and the middle third is none.
    let of_black = communities.plan().iter().filter(|plan| plan.column == "racepctblack");
    let kinds: Vec<&PlanKind> = of_black.map(|plan| &plan.kind).collect();
    let bucket = |from, to| PlanKind::Buckets { edges: vec![from, to], thermometer: false };
    assert_eq!(kinds, [&bucket(-1.0, 0.03), &bucket(0.14, 1.0), &PlanKind::Number]);
}
