//! libFuzzer's way into [`membound_fuzz::index`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| membound_fuzz::index(data));
