//! Grafts of small programs.

use farrier_machine::{Certified, Options};

use super::super::tests::{certified, generated};
use super::super::{Lineage, Mutant, Settings, Strategy};

const HOST: &str = "int printf(const char *, ...); void abort(void);
    struct s { int x; } s; static unsigned table[4]; unsigned total;
    unsigned mixed(unsigned x) { static unsigned last; last ^= x; return last * 3; }
    int main(void) {
        for (int i = 0; i < 9; i++) { table[i % 4] += i; total += mixed(table[i % 4]); }
        if (total == 0) abort();
        printf(\"%u\\n\", total);
        return 0;
    }";

/// The mutants of a program and a donor that are found with some seeds.
fn mutants(host: &str, donor: &str, seeds: u64) -> Vec<(Vec<&'static str>, Mutant)> {
    let (host, donors) = (certified(host), [certified(donor)]);
    let found = (0..seeds).filter_map(|seed| grown(&host, &donors, seed));
    found.map(|(lineage, mutant)| (names(&lineage), mutant)).collect()
}

fn grown(host: &Certified, donors: &[Certified], seed: u64) -> Option<(Lineage, Mutant)> {
    let settings = Settings { with: vec![Strategy::Graft], edits: (1, 6), growth: 400, walk: 0 };
    let mut lineage = Lineage::new(host, &Options::default());
    let mutant = lineage.grow(seed, donors, &settings).ok()?;
    Some((lineage, mutant))
}

fn names(lineage: &Lineage) -> Vec<&'static str> {
    let rounds = lineage.rounds().iter();
    rounds.flat_map(|round| &round.mutations).map(super::super::Mutation::name).collect()
}

/// Whether some text has all of these.
fn some_has(mutants: &[(Vec<&'static str>, Mutant)], parts: &[&str]) -> bool {
    mutants.iter().any(|(_, mutant)| parts.iter().all(|part| mutant.text.contains(part)))
}

#[test]
fn a_function_comes_with_what_it_needs() {
    let donor = "void abort(void); void *memcpy(void *, const void *, unsigned long);
        struct s { long y[2]; }; enum e { low = -2, high = 5 }; static struct s s;
        static int table[8] = {3, 1, 2};
        static long sum(int n) { static int calls; calls++; return n ? n + sum(n - 1) : calls; }
        long scale(int n, enum e e) {
            struct s t = {{n, e}};
            memcpy(&s, &t, sizeof s);
            if (n < 0 || n > 7) abort();
            return s.y[0] * table[n] + sum(n);
        }
        int main(void) { scale(3, low); return scale(7, high) == 0; }";
    let found = mutants(HOST, donor, 12);
    assert!(found.len() >= 10, "{}", found.len());
    assert!(some_has(&found, &["struct s_1", "table_1[8]", "scale(", "memcpy("]));
    assert!(some_has(&found, &[" % 5ULL)", "scale("]), "a value between those of the donor");
    assert!(some_has(&found, &["grafted = grafted * 31ULL + "]));
    assert!(some_has(&found, &["scale_1("]), "a function under two names");
    assert!(some_has(&found, &["noinline"]) && some_has(&found, &["static inline"]));
}

#[test]
fn pointers_lead_to_objects_of_the_donor() {
    let donor =
        "struct p { int x, y; }; static const char name[] = \"name\"; int numbers[3] = {1, 2, 3};
        int count(const char *text) { int n = 0; while (*text++) n++; return n; }
        double add(struct p *p, int *n, int (*by)(int)) { p->x += n[1]; return by(p->x) * 0.5; }
        struct p twice(struct p p) { p.y *= 2; return p; }
        int one(int x) { return x + 1; }
        int main(void) {
            struct p p = {1, 2}; int local[2] = {4, 5};
            add(&p, numbers, one); add(&p, local, &one);
            count(name);
            return twice(p).y + count(\"text\") == 0;
        }";
    let found = mutants(HOST, donor, 16);
    assert!(some_has(&found, &["add(&p", "numbers"]) && some_has(&found, &["= twice(p"]));
    assert!(some_has(&found, &["local[2] = {4, 5}"]) && some_has(&found, &["count(name"]));
}

#[test]
fn a_whole_program_becomes_a_function() {
    let donor = "int printf(const char *, ...); void exit(int); int state;
        int main(int argc, char **argv) {
            if (state++ || argv[argc]) exit(7);
            printf(\"donor\\n\");
            exit(0);
        }";
    let found = mutants(HOST, donor, 12);
    assert!(found.iter().any(|(names, _)| names.contains(&"merge")));
    assert!(some_has(&found, &["main_1(1, arguments", "return 7;", "while (once == 0)"]));
    for (_, mutant) in &found {
        assert!(mutant.certified.behavior().output.windows(6).any(|part| part == b"donor\n"));
    }
}

#[test]
fn a_program_that_stops_elsewhere_gives_nothing() {
    let stops = "void exit(int); int f(int x) { if (x > 2) exit(0); return x; }
        int main(void) { return f(1) + f(3); }";
    let nested = "int main(void) { int f(int x) { return x; } return f(1); }";
    for donor in [stops, nested] {
        assert_eq!(mutants(HOST, donor, 4).len(), 0);
    }
}

#[test]
fn four_of_five_rounds_give_a_mutant() {
    const PAIRS: u64 = 50;
    let programs: Vec<Certified> = (0..10).map(generated).collect();
    let mut found = 0;
    for pair in 0..PAIRS {
        let (host, donor) = (pair % 10, (pair * 7 + 3 + pair / 10) % 10);
        let donors = &programs[donor as usize..=donor as usize];
        found += u64::from(grown(&programs[host as usize], donors, pair).is_some());
    }
    assert!(found * 5 >= PAIRS * 4, "{found} of {PAIRS}");
}
