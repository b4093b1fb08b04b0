//! Real messages of compilers, and those of planted faults.

use super::*;

fn signature(text: &str) -> String {
    read_crash(text, None).signature
}

/// gcc 12.2.0 with passes switched off that it cannot do without; clang 14 and 22 with
/// `#pragma clang __debug`; others as they are documented.
#[test]
fn messages_become_signatures() {
    for (text, expected) in [
        (
            "during GIMPLE pass: fre\na.c: In function ‘f’:\na.c:4:1: internal compiler error: in \
             process_bb, at tree-ssa-sccvn.cc:7498\n    4 | int main(void){}\n      | ^~~\n\
             0x7f85ff3d0249 __libc_start_call_main\n\t../sysdeps/nptl/libc_start_call_main.h:58\n\
             Please submit a full bug report, with preprocessed source (by using -freport-bug).",
            "in process_bb at tree-ssa-sccvn.cc during tree-fre",
        ),
        (
            "during RTL pass: combine\na.c: In function ‘main’:\na.c:4:45: internal compiler error: \
             in regstat_init_n_sets_and_refs, at regstat.cc:53\n",
            "in regstat_init_n_sets_and_refs at regstat.cc during rtl-combine",
        ),
        (
            "during GIMPLE pass: *build_cgraph_edges\na.c: In function ‘main’:\na.c:4:5: internal \
             compiler error: Segmentation fault\n    4 | int main(void){return 0;}\n\
             0x7fa4a5c1e04f ???\n\t./signal/../sysdeps/unix/sysv/linux/x86_64/libc_sigaction.c:0\n\
             0x7fa4a5c09249 __libc_start_call_main\n",
            "Segmentation fault during tree-*build_cgraph_edges",
        ),
        (
            "t.c: In function 'f':\nt.c:3:1: error: type mismatch in binary expression\n    3 | f()\n\
             during GIMPLE pass: vrp2\nt.c:3:1: internal compiler error: verify_gimple failed\n\
             0xf5c0ad verify_gimple_in_cfg(function*, bool)\n\t../../gcc/tree-cfg.cc:5647\n",
            "verify_gimple failed: type mismatch in binary expression during tree-vrp \
             [verify_gimple_in_cfg]",
        ),
        (
            "gcc: internal compiler error: Segmentation fault signal terminated program cc1",
            "Segmentation fault",
        ),
        (
            "gcc: fatal error: Segmentation fault signal terminated program cc1\ncompilation \
             terminated.",
            "Segmentation fault of cc1",
        ),
        (
            "PLEASE submit a bug report to https://github.com/llvm/llvm-project/issues/ and include \
             the crash backtrace, preprocessed source, and associated run script.\nStack dump:\n\
             0.\tProgram arguments: clang-14 -c c1.c\n1.\tc1.c:1:2: current parser token 'pragma'\n \
             #0 0x00007f5b00aa5291 llvm::sys::PrintStackTrace(llvm::raw_ostream&, int) \
             (/lib/x86_64-linux-gnu/libLLVM-14.so.1+0xea5291)\n #1 0x00007f5b00aa2fbe \
             llvm::sys::RunSignalHandlers() (/lib/x86_64-linux-gnu/libLLVM-14.so.1+0xea2fbe)\n \
             #3 0x00007f5b009cb83f (/lib/x86_64-linux-gnu/libLLVM-14.so.1+0xdcb83f)\n \
             #4 0x00007f5affa5a050 (/lib/x86_64-linux-gnu/libc.so.6+0x3c050)\n \
             #6 0x00007f5b0701971f clang::Preprocessor::HandlePragmaDirective(clang::\
             PragmaIntroducer) (/lib/x86_64-linux-gnu/libclang-cpp.so.14+0xa1971f)\n \
             #7 0x00007f5b06ff682a _ZN5clang12Preprocessor15HandleDirectiveERNS_5TokenE \
             (/lib/x86_64-linux-gnu/libclang-cpp.so.14+0x9f682a)\n\
             #24 0x0000000000411b36 main (/usr/lib/llvm-14/bin/clang+0x411b36)\n\
             #25 0x00007f5affa4524a __libc_start_call_main \
             ./csu/../sysdeps/nptl/libc_start_call_main.h:74:3",
            "signal [clang::Preprocessor::HandlePragmaDirective < \
             clang::Preprocessor::HandleDirective]",
        ),
        (
            "fatal error: error in backend: Cannot select: t27: v2i64 = X86ISD::PCMPEQ t4, t12\n\
             PLEASE submit a bug report\nStack dump:\n0.\tProgram arguments: clang\n1.\t<eof> parser \
             at end of file\n2.\tCode generation\n3.\tRunning pass 'Function Pass Manager' on module \
             't.c'.\n4.\tRunning pass 'X86 DAG->DAG Instruction Selection' on function '@f'\n",
            "backend: Cannot select: tN: v2i64 = X86ISD::PCMPEQ tN, tN in X86 DAG->DAG Instruction \
             Selection",
        ),
        (
            "clang-16: ../lib/IR/Value.cpp:503: void llvm::Value::doRAUW(llvm::Value*, int): \
             Assertion `!contains(New, this) && \"this->replaceAllUsesWith(expr(this)) is NOT \
             valid!\"' failed.\nPLEASE submit a bug report\nStack dump:\n0.\tProgram arguments: x\n\
             3.\tRunning pass \"function<eager-inv>(instcombine)\" on module \"t.c\"",
            "assertion `!contains(New, this) && \"this->replaceAllUsesWith(expr(this)) is NOT \
             valid!\"' at Value.cpp in function<eager-inv>(instcombine)",
        ),
        (
            "Unknown condition code!\nUNREACHABLE executed at ../lib/Target/X86/X86ISelLowering.cpp:\
             4711!\nPLEASE submit a bug report",
            "unreachable: Unknown condition code! at X86ISelLowering.cpp",
        ),
        (
            "thread 'main' panicked at src/codegen/lower.rs:312:17:\nindex out of bounds: the len is \
             3 but the index is 7\nnote: run with `RUST_BACKTRACE=1`",
            "panic: index out of bounds: the len is N but the index is N at lower.rs",
        ),
        (
            "thread 'main' panicked at 'not yet implemented: x', src/lib.rs:3:5",
            "panic: not yet implemented: x at lib.rs",
        ),
        ("thread 4711 panic: reached unreachable code\n", "panic: reached unreachable code"),
        (
            "t.c, line 3: compiler error: major internal error",
            "compiler error: major internal error",
        ),
        ("t.c:3: error: internal compiler error", "internal compiler error"),
        ("`cc -O2 -c t.c -o t.o` succeeds without a result\n", "succeeds without a result"),
    ] {
        assert_eq!(signature(text), expected, "{text}");
    }
}

#[test]
fn places_numbers_and_addresses_do_not_count() {
    for (first, second) in [
        (
            "a.c:4:1: internal compiler error: in process_bb, at tree-ssa-sccvn.cc:7498",
            "longer.c:12:31: internal compiler error: in process_bb, at tree-ssa-sccvn.cc:7502",
        ),
        (
            "fatal error: error in backend: Cannot select: t27: i64 = bitcast t4",
            "fatal error: error in backend: Cannot select: t5: i64 = bitcast t1234",
        ),
        (
            "Stack dump:\n #0 0x00007f5b0701971f f(int) (/lib/a.so+0xa1)",
            "Stack dump:\n #3 0x00007fffff011111 f(int, long) (/opt/a.so+0xa2)",
        ),
    ] {
        assert_eq!(signature(first), signature(second));
    }
}

#[test]
fn other_bugs_have_other_signatures() {
    let texts = [
        "t.c:1:1: internal compiler error: in f, at a.cc:1",
        "t.c:1:1: internal compiler error: in g, at a.cc:1",
        "during GIMPLE pass: ch\nt.c:1:1: internal compiler error: in g, at a.cc:1",
        "during RTL pass: ch\nt.c:1:1: internal compiler error: Segmentation fault",
        "t.c:1:1: internal compiler error: Segmentation fault",
        "fatal error: error in backend: Cannot select: t27: i64 = bitcast t4",
        "fatal error: error in backend: Cannot select: t27: i32 = bitcast t4",
        "x: a.cpp:3: Assertion `a' failed.",
        "x: a.cpp:3: Assertion `b' failed.",
        "",
    ];
    for (index, text) in texts.iter().enumerate() {
        for other in &texts[..index] {
            assert_ne!(signature(text), signature(other));
        }
    }
    assert_ne!(read_crash("", Some(11)).signature, read_crash("", Some(6)).signature);
}

#[test]
fn areas_and_passes_are_told() {
    let reading = read_crash("during IPA pass: inline\nt.c:1: internal compiler error: x", None);
    assert_eq!((reading.pass.as_deref(), reading.area), (Some("ipa-inline"), Area::MiddleEnd));
    let reading = read_crash("during RTL pass: ira\nt.c:1: internal compiler error: x", None);
    assert_eq!((reading.pass.as_deref(), reading.area), (Some("rtl-ira"), Area::BackEnd));
    let clang = "Stack dump:\n1.\tt.c:1:2: current parser token 'x'";
    assert_eq!(read_crash(clang, None).area, Area::FrontEnd);
    let clang = "Stack dump:\n1.\t<eof> parser at end of file\n2.\tOptimizer\n3.\tRunning pass \"x\" \
                 on module \"t.c\"";
    assert_eq!(read_crash(clang, None).area, Area::MiddleEnd);
    let clang = "Stack dump:\n2.\tCode generation\n4.\tRunning pass 'x' on function '@f'";
    assert_eq!(read_crash(clang, None).area, Area::BackEnd);
}

#[test]
fn a_rejection_is_known_by_its_first_error() {
    let first = "a.c:3:5: error: 'x' undeclared (first use in this function)\n 3 | x";
    let second = "b.c:77:1: error: 'longer' undeclared (first use in this function)\nnote: z";
    assert_eq!(rejection(first), "'…' undeclared (first use in this function)");
    assert_eq!(rejection(first), rejection(second));
    assert_ne!(rejection(first), rejection("a.c:1:1: error: expected ';' before '}' token"));
}

#[test]
fn any_text_can_be_read() {
    for text in ["", "#", "#0 0x", "0x12", "in , at ", "during  pass: ", "Assertion `", "\u{1b}["] {
        let _ = read_crash(text, None);
    }
    let _ = read_crash("t.c: internal compiler error: in f(", None);
    let _ = read_crash("UNREACHABLE executed at ", None);
    let _ = read_crash("Running pass ", None);
    let _ = read_crash("Running pass ü", None);
}
