//! Instructions of the processor that llama.cpp is compiled to use.

/// Each by its name, with true if this processor has it. The process would end at the first that it lacks, so no model is
/// loaded then.
pub fn needed_instructions() -> Vec<(&'static str, bool)> {
    #[cfg(target_arch = "x86_64")]
    return vec![
        ("avx2", std::arch::is_x86_feature_detected!("avx2")),
        ("fma", std::arch::is_x86_feature_detected!("fma")),
        ("f16c", std::arch::is_x86_feature_detected!("f16c")),
        ("bmi2", std::arch::is_x86_feature_detected!("bmi2")),
    ];
    #[cfg(not(target_arch = "x86_64"))]
    Vec::new()
}
