//! Links what the rivals of a workload share with those in C++ (libbench_kernels.a, built by CMake).

fn main() {
    let folder =
        std::env::var("TREADLE_BENCH_BUILD").expect("TREADLE_BENCH_BUILD names the folder of libbench_kernels.a");
    println!("cargo:rerun-if-env-changed=TREADLE_BENCH_BUILD");
    println!("cargo:rerun-if-changed={folder}/libbench_kernels.a");
    println!("cargo:rustc-link-search=native={folder}");
    println!("cargo:rustc-link-lib=static=bench_kernels");
    for library in ["crypto", "stdc++", "m"] {
        println!("cargo:rustc-link-lib={library}");
    }
}
