//! The network as a whole: against numpy, against finite differences, and on any number of threads.

use serde::Deserialize;

use crate::NetworkModel;
use crate::adam::rate;
use crate::inputs::{Gathered, Inputs};
use crate::layer::{Incoming, Layer};
use crate::settings::{Batches, Network};
use crate::train::{Failed, Trainer, places, softmax_errors};

/// What numpy computed; see `golden/network.py`.
#[derive(Deserialize)]
struct Golden {
    sizes: Vec<usize>,
    learning_rate: f64,
    numbers: Vec<Vec<f32>>,
    on: Vec<Vec<u32>>,
    labels: Vec<usize>,
    weights: Vec<f32>,
    batches: Vec<Vec<usize>>,
    start: Vec<f32>,
    gradient: Vec<f32>,
    end: Vec<f32>,
    probabilities: Vec<Vec<f64>>,
}

impl Golden {
    fn read() -> Self {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../golden/network.json");
        serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
    }

    fn layers(&self) -> Vec<Layer> {
        let mut rest = &self.start[..];
        let layer = |pair: &[usize]| {
            let (weights, after) = rest.split_at(pair[0] * pair[1]);
            let (biases, after) = after.split_at(pair[1]);
            rest = after;
            Layer { inputs: pair[0], outputs: pair[1], weights: weights.to_vec(), biases: biases.to_vec() }
        };
        self.sizes.windows(2).map(layer).collect()
    }

    fn inputs(&self) -> Inputs<'_> {
        let numeric = (0..self.numbers[0].len()).collect();
        Inputs::new(self.numbers.len(), self.sizes[0], numeric, self.numbers.concat(), |row, active| {
            active.extend(&self.on[row]);
        })
    }
}

fn apart(found: impl Iterator<Item = f32>, expected: &[f32]) -> f32 {
    let found: Vec<f32> = found.collect();
    assert_eq!(found.len(), expected.len());
    found.iter().zip(expected).map(|(one, other)| (one - other).abs()).fold(0.0, f32::max)
}

/// The gradient of every weight and bias for a batch, and its mean loss.
fn gradient(layers: &[Layer], batch: &Gathered, wanted: &[(usize, f32)]) -> (Vec<f32>, f64) {
    let mut trainer = Trainer::new(layers.to_vec(), batch.len());
    trainer.forward(batch);
    let classes = layers[layers.len() - 1].outputs;
    let (outputs, errors) = trainer.last();
    softmax_errors(outputs, classes, wanted.iter().copied(), errors);
    let loss = outputs.chunks(classes).zip(wanted).map(|(line, (label, weight))| {
        let sum: f64 = line.iter().map(|output| f64::from(*output).exp()).sum();
        f64::from(*weight) * (sum.ln() - f64::from(line[*label])) / batch.len() as f64
    });
    let loss = loss.sum();
    let mut all = Vec::new();
    for at in (0..layers.len()).rev() {
        let incoming = match at {
            0 => Incoming::gathered(batch),
            _ => Incoming::activations(batch.len(), &trainer.activations[at - 1]),
        };
        let mut own = vec![0.0; layers[at].weights.len()];
        layers[at].gradient(incoming, &trainer.deltas[at], 0..layers[at].inputs, &mut own);
        own.extend(layers[at].bias_gradient(&trainer.deltas[at]));
        all.splice(0..0, own);
        if at > 0 {
            let (before, own) = trainer.deltas.split_at_mut(at);
            layers[at].backward(&own[0], &trainer.activations[at - 1], false, &mut before[at - 1]);
        }
    }
    (all, loss)
}

#[test]
fn three_steps_are_those_of_numpy() {
    let golden = Golden::read();
    let (layers, rows) = (golden.layers(), golden.inputs());
    let place = places(&rows.order());
    let mut gathered = Gathered::default();
    let wanted = |batch: &[usize]| -> Vec<(usize, f32)> {
        batch.iter().map(|&row| (golden.labels[row], golden.weights[row])).collect()
    };
    rows.gather(&golden.batches[0], &place, &mut gathered);
    let (first, _) = gradient(&layers, &gathered, &wanted(&golden.batches[0]));
    assert!(apart(first.into_iter(), &golden.gradient) < 1e-6);

    let mut trainer = Trainer::new(layers, golden.batches[0].len());
    for (at, batch) in golden.batches.iter().enumerate() {
        rows.gather(batch, &place, &mut gathered);
        trainer.forward(&gathered);
        let (outputs, errors) = trainer.last();
        softmax_errors(outputs, 3, wanted(batch).into_iter(), errors);
        trainer.backward(&gathered, rate(golden.learning_rate, at + 1));
    }
    let model = NetworkModel::of_arranged(trainer.layers, &rows.order());
    // Single precision has seven digits; Adam divides small gradients by small roots.
    assert!(apart(model.weights(), &golden.end) < 2e-5);
    let found = model.probabilities(&rows, 0..6);
    for (one, other) in found.iter().zip(golden.probabilities.iter().flatten()) {
        assert!((one - other).abs() < 2e-5, "{one} {other}");
    }
}

#[test]
fn gradients_are_finite_differences_of_the_loss() {
    let golden = Golden::read();
    let (layers, rows) = (golden.layers(), golden.inputs());
    let batch: Vec<usize> = (0..6).collect();
    let mut gathered = Gathered::default();
    rows.gather(&batch, &places(&rows.order()), &mut gathered);
    let wanted: Vec<(usize, f32)> = golden.labels.iter().copied().zip(golden.weights.iter().copied()).collect();
    let (found, _) = gradient(&layers, &gathered, &wanted);
    let mut at = 0;
    for layer in 0..layers.len() {
        for weight in 0..layers[layer].weights.len() + layers[layer].biases.len() {
            let loss = |by: f32| {
                let mut moved = layers.clone();
                let own = &mut moved[layer];
                let count = own.weights.len();
                *own.weights.iter_mut().chain(&mut own.biases).nth(weight).unwrap() += by;
                assert!(weight < count + own.outputs);
                gradient(&moved, &gathered, &wanted).1
            };
            // A step small enough to pass no kink of a ReLU here, and large against the rounding of outputs.
            let slope = (loss(2e-3) - loss(-2e-3)) / 4e-3;
            assert!(
                (f64::from(found[at]) - slope).abs() < 1e-3,
                "layer {layer}, weight {weight}: {} {slope}",
                found[at]
            );
            at += 1;
        }
    }
}

/// Rows whose class depends on two numbers and a category, some of them labelled at random.
fn made_up(rows: usize) -> (Vec<f32>, Vec<u32>, Vec<usize>) {
    let noise = |at: usize| ((at * 7919 + at / 7 * 104_729) % 10_007) as f32 / 10_007.0;
    let values: Vec<f32> = (0..2 * rows).map(|at| 2.0 * noise(at) - 1.0).collect();
    let codes: Vec<u32> = (0..rows).map(|row| (row * 31 % 5) as u32).collect();
    let class = |row: usize| {
        let inside = values[2 * row] * values[2 * row + 1] > 0.0;
        let wrong = noise(row + 5_000) < 0.05;
        usize::from((inside == (codes[row] < 3)) != wrong)
    };
    let labels = (0..rows).map(class).collect();
    (values, codes, labels)
}

fn inputs<'a>(values: &[f32], codes: &'a [u32]) -> Inputs<'a> {
    // Features 0 to 4 are categories, 5 and 6 are numbers: the order inside is another.
    Inputs::new(codes.len(), 7, vec![5, 6], values.to_vec(), |row, active| active.push(codes[row]))
}

#[test]
fn the_same_bits_come_of_any_number_of_threads() {
    let (values, codes, labels) = made_up(300);
    let rows = inputs(&values, &codes);
    // Layers wide enough to be cut into several blocks, and handed to threads.
    let network = Network { layers: vec![300, 520], steps: 6, batch: 40, seed: 3, ..Network::default() };
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let model = pool.install(|| network.train(&rows, &labels, 2, &[1.0; 300], &|_, _| false)).unwrap();
        let bits: Vec<u32> = model.weights().map(f32::to_bits).collect();
        (bits, model)
    };
    let (one, model) = on(1);
    assert_eq!(one, on(2).0);
    assert_eq!(one, on(3).0);
    // And a row has the same bits in whichever range it is.
    let all = model.probabilities(&rows, 0..300);
    for range in [3..4, 17..120, 60..300] {
        let part = model.probabilities(&rows, range.clone());
        let same = part.iter().zip(&all[2 * range.start..]).all(|(one, other)| one.to_bits() == other.to_bits());
        assert!(same, "{range:?}");
    }
    assert!(all.chunks(2).all(|pair| (pair[0] + pair[1] - 1.0).abs() < 1e-12));
}

#[test]
fn weights_that_are_drawn_and_weights_of_losses_agree_on_average() {
    let golden = Golden::read();
    let (layers, rows) = (golden.layers(), golden.inputs());
    let place = places(&rows.order());
    let weights: Vec<f64> = golden.weights.iter().map(|weight| f64::from(*weight)).collect();
    let mean = |batches: Batches| -> Vec<f64> {
        use rand::SeedableRng as _;
        let draws = crate::batches::Draws::new(batches, &weights).unwrap();
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(1);
        let (mut batch, mut gathered) = (vec![0; 40_000], Gathered::default());
        draws.draw(&mut rng, &mut batch);
        rows.gather(&batch, &place, &mut gathered);
        let wanted: Vec<(usize, f32)> = batch.iter().map(|&row| (golden.labels[row], draws.weight(row))).collect();
        gradient(&layers, &gathered, &wanted).0.into_iter().map(f64::from).collect()
    };
    let (drawn, weighted) = (mean(Batches::Drawn), mean(Batches::Weighted));
    let largest = drawn.iter().fold(0.0, |largest: f64, one| largest.max(one.abs()));
    // Entries of a row's gradient are below 5 here: a mean of 40,000 is within .025 by five standard errors and more.
    assert!(largest > 0.1, "{largest}");
    for (one, other) in drawn.iter().zip(&weighted) {
        assert!((one - other).abs() < 0.05, "{one} {other}");
    }
}

#[test]
fn a_network_learns_what_no_linear_model_can() {
    let (values, codes, labels) = made_up(2000);
    let rows = inputs(&values, &codes);
    for batches in [Batches::Drawn, Batches::Weighted] {
        let network = Network { layers: vec![24, 24], steps: 1500, batches, learning_rate: 3e-3, ..Network::default() };
        let model = network.train(&rows, &labels, 2, &[1.0; 2000], &|_, _| false).unwrap();
        let right = |labels: &[usize]| {
            let found = model.probabilities(&rows, 0..labels.len());
            found.chunks(2).zip(labels).filter(|(pair, label)| pair[**label] > 0.5).count()
        };
        assert!(right(&labels) > 1800, "{batches:?}: {}", right(&labels));
    }
}

#[test]
fn a_saved_network_predicts_the_same_and_a_damaged_one_is_refused() {
    let (values, codes, labels) = made_up(200);
    let rows = inputs(&values, &codes);
    let network = Network { layers: vec![6], steps: 20, ..Network::default() };
    let model = network.train(&rows, &labels, 2, &[1.0; 200], &|_, _| false).unwrap();
    let text = serde_json::to_string(&model).unwrap();
    let again: NetworkModel = serde_json::from_str(&text).unwrap();
    assert_eq!(model, again);
    assert_eq!((again.width(), again.hidden(), again.classes()), (7, vec![6], 2));

    let refused = |text: &str| serde_json::from_str::<NetworkModel>(text).unwrap_err().to_string();
    let sizes = text.replace("\"sizes\":[7,6,2]", "\"sizes\":[7,5,2]");
    assert!(refused(&sizes).contains("its layers need others"), "{}", refused(&sizes));
    let huge = text.replace("[7,6,2]", "[18446744073709551615,6,2]");
    assert!(refused(&huge).contains("its layers need others"), "{}", refused(&huge));
    let none = text.replace("[7,6,2]", "[7,0,2]");
    assert!(refused(&none).contains("layers of one unit or more"), "{}", refused(&none));
    let one_class = text.replace("[7,6,2]", "[7,6,1]");
    assert!(refused(&one_class).contains("two classes or more"), "{}", refused(&one_class));
    // An infinite weight: 0x7f800000, little end first.
    let start = text.find("\"weights\":\"").unwrap() + 11;
    let infinite = format!("{}AACAfwAA{}", &text[..start], &text[start + 8..]);
    assert!(refused(&infinite).contains("not finite"), "{}", refused(&infinite));
    assert!(refused(&text.replace("\"weights\":\"", "\"weights\":\"!")).contains("base64"));
}

#[test]
fn a_training_can_be_stopped_and_says_how_far_it_is() {
    let (values, codes, labels) = made_up(100);
    let rows = inputs(&values, &codes);
    let network = Network { layers: vec![4], steps: 50, ..Network::default() };
    let seen = std::sync::Mutex::new(Vec::new());
    let stopped = network.train(&rows, &labels, 2, &[1.0; 100], &|done, of| {
        seen.lock().unwrap().push((done, of));
        done == 3
    });
    assert_eq!(stopped, Err(Failed::Stopped));
    assert_eq!(*seen.lock().unwrap(), [(1, 50), (2, 50), (3, 50)]);
}

#[test]
fn what_cannot_be_trained_is_said() {
    let (values, codes, labels) = made_up(100);
    let rows = inputs(&values, &codes);
    let fails =
        |network: Network, weights: &[f64]| network.train(&rows, &labels, 2, weights, &|_, _| false).unwrap_err();
    let usual = Network { layers: vec![4], steps: 30, ..Network::default() };
    assert_eq!(fails(usual.clone(), &[0.0; 100]), Failed::NoWeight);
    let huge = fails(Network { layers: vec![usize::MAX], ..usual.clone() }, &[1.0; 100]);
    assert!(huge.to_string().contains("at most 268 million weights"), "{huge}");
    // Within the weights that are allowed, and beyond what a batch may be: what is asked for is refused, and not the memory for it.
    for (batch, layers) in [(usize::MAX, vec![4]), (30_000_000, vec![4]), (50, vec![6_000_000])] {
        let wide = fails(Network { layers, batch, ..usual.clone() }, &[1.0; 100]).to_string();
        assert!(wide.starts_with(&format!("`batch` is {batch}; allowed is at most 268 million divided by")), "{wide}");
    }
    assert!(matches!(fails(Network { layers: vec![0], ..usual.clone() }, &[1.0; 100]), Failed::Refused(_)));
    assert_eq!(fails(Network { learning_rate: 1e38, ..usual }, &[1.0; 100]), Failed::Diverged);
}
