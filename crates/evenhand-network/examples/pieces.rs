#![allow(missing_docs, clippy::all, clippy::pedantic, clippy::unwrap_used, clippy::print_stdout)]
use faer::{Accum, MatMut, MatRef, Par, linalg::matmul::matmul};
fn cpu() -> f64 {
    let s = std::fs::read_to_string("/proc/self/stat").unwrap();
    let f: Vec<&str> = s.rsplit(')').next().unwrap().split_whitespace().collect();
    (f[11].parse::<f64>().unwrap() + f[12].parse::<f64>().unwrap()) / 100.0
}
fn time(name: &str, n: usize, flops: f64, mut f: impl FnMut()) {
    let s = cpu();
    for _ in 0..n {
        f();
    }
    let t = (cpu() - s) / n as f64;
    println!("{name}: {:.3} ms {:.1} GF/s", t * 1e3, flops / t / 1e9);
}
fn main() {
    let (b, i, o) = (50, 784, 512);
    let mut r = 1u32;
    let mut v = |n: usize| -> Vec<f32> {
        (0..n)
            .map(|_| {
                r = r.wrapping_mul(1664525).wrapping_add(1013904223);
                (r >> 8) as f32 / 1e8
            })
            .collect()
    };
    let (x, w, mut z, d) = (v(b * i), v(i * o), v(b * o), v(b * o));
    let fl = 2.0 * (b * i * o) as f64;
    time("forward whole", 500, fl, || {
        matmul(
            MatMut::from_row_major_slice_mut(&mut z, b, o),
            Accum::Replace,
            MatRef::from_row_major_slice(&x, b, i),
            MatRef::from_row_major_slice(&w, i, o),
            1.0,
            Par::Seq,
        )
    });
    time("forward in 4", 500, fl, || {
        for c in 0..4 {
            matmul(
                MatMut::from_row_major_slice_mut(&mut z, b, o).submatrix_mut(0, c * 128, b, 128),
                Accum::Replace,
                MatRef::from_row_major_slice(&x, b, i),
                MatRef::from_row_major_slice(&w, i, o).submatrix(0, c * 128, i, 128),
                1.0,
                Par::Seq,
            )
        }
    });
    let mut dx = v(b * i);
    time("backward whole", 500, fl, || {
        matmul(
            MatMut::from_row_major_slice_mut(&mut dx, b, i),
            Accum::Replace,
            MatRef::from_row_major_slice(&d, b, o),
            MatRef::from_row_major_slice(&w, i, o).transpose(),
            1.0,
            Par::Seq,
        )
    });
    time("backward in 128", 500, fl, || {
        for c in 0..6 {
            matmul(
                MatMut::from_row_major_slice_mut(&mut dx, b, i).submatrix_mut(0, c * 128, b, 128),
                Accum::Replace,
                MatRef::from_row_major_slice(&d, b, o),
                MatRef::from_row_major_slice(&w, i, o).subrows(c * 128, 128).transpose(),
                1.0,
                Par::Seq,
            )
        }
    });
    let mut g = v(i * o);
    time("gradient whole", 500, fl, || {
        matmul(
            MatMut::from_row_major_slice_mut(&mut g, i, o),
            Accum::Replace,
            MatRef::from_row_major_slice(&x, b, i).transpose(),
            MatRef::from_row_major_slice(&d, b, o),
            1.0,
            Par::Seq,
        )
    });
    time("gradient in 64", 500, fl, || {
        for c in 0..12 {
            matmul(
                MatMut::from_row_major_slice_mut(&mut g[..64 * o], 64, o),
                Accum::Replace,
                MatRef::from_row_major_slice(&x, b, i).transpose().subrows(c * 64, 64),
                MatRef::from_row_major_slice(&d, b, o),
                1.0,
                Par::Seq,
            )
        }
    });
    let n = 930_000;
    let (mut p, mut m, mut s, gg) = (v(n), v(n), v(n), v(n));
    let arch = pulp::Arch::new();
    time("adam", 300, n as f64, || {
        arch.dispatch(
            #[inline(always)]
            || {
                for (((w, f), s), g) in p.iter_mut().zip(&mut m).zip(&mut s).zip(&gg) {
                    *f = 0.9 * *f + 0.1 * g;
                    *s = 0.999 * *s + 0.001 * (g * g);
                    *w -= 0.001 * *f / (s.sqrt() + 1e-8);
                }
            },
        )
    });
    time("adam sgd only", 300, n as f64, || {
        arch.dispatch(
            #[inline(always)]
            || {
                for (((w, f), s), g) in p.iter_mut().zip(&mut m).zip(&mut s).zip(&gg) {
                    *f = 0.9 * *f + 0.1 * g;
                    *s = 0.999 * *s + 0.001 * (g * g);
                    *w -= 0.001 * *f * (*s + 1e-8);
                }
            },
        )
    });
    let k = 16 * 1024;
    time("adam in L1", 30000, k as f64, || {
        arch.dispatch(
            #[inline(always)]
            || {
                for (((w, f), s), g) in
                    p[..k / 8].iter_mut().zip(&mut m[..k / 8]).zip(&mut s[..k / 8]).zip(&gg[..k / 8])
                {
                    *f = 0.9 * *f + 0.1 * g;
                    *s = 0.999 * *s + 0.001 * (g * g);
                    *w -= 0.001 * *f / (s.sqrt() + 1e-8);
                }
            },
        )
    });
}
