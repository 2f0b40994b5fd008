#![allow(missing_docs, clippy::all, clippy::pedantic, clippy::unwrap_used, clippy::print_stdout)]
use evenhand_network::*;
use std::io::Read;
fn read(name: &str) -> Vec<u8> {
    let out = std::process::Command::new("zcat").arg(format!("/work/shared/data/mnist/{name}.gz")).output().unwrap();
    let _ = std::io::empty().read(&mut []);
    out.stdout
}
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let steps: usize = args[1].parse().unwrap();
    let mode = args[2].as_str();
    let ratio: f64 = args[3].parse().unwrap();
    let seed: u64 = args.get(4).map_or(0, |s| s.parse().unwrap());
    let lr: f64 = args.get(5).map_or(1e-3, |s| s.parse().unwrap());
    let f = |b: Vec<u8>| -> Vec<f32> { b[16..].iter().map(|v| *v as f32 / 255.0).collect() };
    let l = |b: Vec<u8>| -> Vec<usize> { b[8..].iter().map(|v| *v as usize).collect() };
    let train = f(read("train-images-idx3-ubyte"));
    let mut labels = l(read("train-labels-idx1-ubyte"));
    let test = f(read("t10k-images-idx3-ubyte"));
    let truth = l(read("t10k-labels-idx1-ubyte"));
    if mode == "biased" {
        let mut s = 12345u64 + seed;
        for y in labels.iter_mut() {
            s = s.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            if (s >> 33) as f64 / (1u64 << 31) as f64 <= 0.2 {
                *y = 2;
            }
        }
    }
    let weights: Vec<f64> = labels.iter().map(|&y| if y == 2 { ratio } else { 1.0 }).collect();
    let rows = Inputs::numbers(&train, 784);
    let trows = Inputs::numbers(&test, 784);
    let net = Network { layers: vec![512, 512, 512], steps, learning_rate: lr, seed, ..Network::default() };
    let start = std::time::Instant::now();
    let model = net.train(&rows, &labels, 10, &weights, &|_, _| false).unwrap();
    let t = start.elapsed().as_secs_f64();
    let p = model.probabilities(&trows, 0..10000);
    let dec: Vec<usize> = p.chunks(10).map(|c| (0..10).max_by(|a, b| c[*a].total_cmp(&c[*b])).unwrap()).collect();
    let acc = dec.iter().zip(&truth).filter(|(a, b)| a == b).count() as f64 / 10000.0;
    let two = dec.iter().filter(|d| **d == 2).count() as f64 / 10000.0;
    let ptwo: f64 = p.chunks(10).map(|c| c[2]).sum::<f64>() / 10000.0;
    println!(
        "{mode} ratio {ratio} seed {seed} lr {lr}: {t:.1}s acc {acc:.4} rate2 {two:.4} mean p2 {ptwo:.4} total {:.1}",
        start.elapsed().as_secs_f64()
    );
}
