//! Atomic operations. The versions for one size, such as `__atomic_load_4`, are
//! functions of a library and not listed.

use super::table::rows;
use super::{BuiltinRow, GenericRule, Prototype};

/// The older family.
pub(super) static SYNC: &[BuiltinRow] = rows! {
    exact "__sync_fetch_and_add" SyncFetch
    exact "__sync_fetch_and_sub" SyncFetch
    exact "__sync_fetch_and_or" SyncFetch
    exact "__sync_fetch_and_and" SyncFetch
    exact "__sync_fetch_and_xor" SyncFetch
    exact "__sync_fetch_and_nand" SyncFetch
    exact "__sync_add_and_fetch" SyncFetch
    exact "__sync_sub_and_fetch" SyncFetch
    exact "__sync_or_and_fetch" SyncFetch
    exact "__sync_and_and_fetch" SyncFetch
    exact "__sync_xor_and_fetch" SyncFetch
    exact "__sync_nand_and_fetch" SyncFetch
    exact "__sync_val_compare_and_swap" SyncFetch
    exact "__sync_lock_test_and_set" SyncFetch
    exact "__sync_bool_compare_and_swap" SyncBool
    exact "__sync_lock_release" SyncVoid
    exact "__sync_synchronize" "v"
};

/// The family with memory orders.
pub(super) static ATOMIC: &[BuiltinRow] = rows! {
    exact "__atomic_load_n" AtomicFetch
    exact "__atomic_exchange_n" AtomicFetch
    exact "__atomic_fetch_add" AtomicFetch
    exact "__atomic_fetch_sub" AtomicFetch
    exact "__atomic_fetch_and" AtomicFetch
    exact "__atomic_fetch_xor" AtomicFetch
    exact "__atomic_fetch_or" AtomicFetch
    exact "__atomic_fetch_nand" AtomicFetch
    exact "__atomic_add_fetch" AtomicFetch
    exact "__atomic_sub_fetch" AtomicFetch
    exact "__atomic_and_fetch" AtomicFetch
    exact "__atomic_xor_fetch" AtomicFetch
    exact "__atomic_or_fetch" AtomicFetch
    exact "__atomic_nand_fetch" AtomicFetch
    exact "__atomic_store_n" AtomicStore
    exact "__atomic_load" AtomicPointers
    exact "__atomic_store" AtomicPointers
    exact "__atomic_exchange" AtomicPointers
    exact "__atomic_compare_exchange_n" AtomicCompareExchangeN
    exact "__atomic_compare_exchange" AtomicCompareExchange
    exact "__atomic_test_and_set" "bui"
    exact "__atomic_clear" "vui"
    exact "__atomic_thread_fence" "vi"
    exact "__atomic_signal_fence" "vi"
    exact "__atomic_always_lock_free" "bzV"
    exact "__atomic_is_lock_free" "bzV"
};
