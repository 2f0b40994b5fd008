//! By whose rounding a network is trained.
//!
//! Products are summed in the order of the vectors that a processor has: the same settings and rows lead to the same bits on one kind of
//! processor, with any number of threads, and to other weights on another kind.

/// The kind of this processor, as far as rounding goes.
pub fn arithmetic() -> &'static str {
    #[cfg(target_arch = "x86_64")]
    {
        let fused = std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma");
        if std::arch::is_x86_feature_detected!("avx512f") {
            return "x86-64 with AVX-512";
        }
        if fused {
            return "x86-64 with AVX2";
        }
    }
    std::env::consts::ARCH
}
