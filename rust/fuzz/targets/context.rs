//! libFuzzer's way into [`membound_fuzz::context`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| membound_fuzz::context(data));
