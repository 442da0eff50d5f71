//! Plain slices in, row numbers and group ids out, and the same by hand with hashbrown.
//!
//! `cargo run --release -p streamjoin-kernels --example slices`

use std::collections::HashMap;
use std::time::Instant;

use hashbrown::HashMap as ByHand;
use streamjoin_kernels::table::{KeyInterner, KeyTable};
use streamjoin_kernels::{NO_ROW, Pairs, Result};

const ORDERS: u32 = 200_000;
const CUSTOMERS: u32 = 30_000;

/// What a hashbrown map says: the pairs of rows with equal keys, sorted.
fn pairs_by_hand(customers: &[u32], orders: &[u32]) -> Vec<(u32, u32)> {
    let mut rows = ByHand::<u32, Vec<u32>>::new();
    for (row, &customer) in (0..).zip(customers) {
        rows.entry(customer).or_default().push(row);
    }
    let mut pairs = Vec::new();
    for (order, customer) in (0..).zip(orders) {
        pairs.extend(rows.get(customer).into_iter().flatten().map(|&row| (order, row)));
    }
    pairs
}

/// What a hashbrown map says: an id for each row, equal ones for equal keys.
fn ids_by_hand<'a>(keys: &[&'a str], ids: &mut ByHand<&'a str, u32>) -> Vec<u32> {
    let id = |key: &&'a str| {
        let next = ids.len() as u32;
        *ids.entry(*key).or_insert(next)
    };
    keys.iter().map(id).collect()
}

fn main() -> Result<()> {
    // Pairs: two slices of numbers, some of which repeat.
    let customers: Vec<u32> = (0..CUSTOMERS).map(|i| i.wrapping_mul(2_654_435_761) >> 14).collect();
    let orders: Vec<u32> = (0..ORDERS)
        .map(|i| customers[(i * 7 % (CUSTOMERS + 1)) as usize % customers.len()] ^ (i % 5 / 4))
        .collect();
    let start = Instant::now();
    let table = KeyTable::new(&customers)?;
    let mut pairs = Pairs::default();
    table.pairs(&orders, &mut pairs)?;
    let took = start.elapsed();
    let start = Instant::now();
    let by_hand = pairs_by_hand(&customers, &orders);
    println!(
        "{} pairs by `{}` in {took:.1?}, by hand in {:.1?}",
        pairs.len(),
        table.index_name(),
        start.elapsed()
    );
    let mut found: Vec<_> = pairs.iter().collect();
    found.sort_unstable();
    assert_eq!(found, by_hand);

    // The same numbers of another type, in bounded steps.
    let orders: Vec<i64> = orders.into_iter().map(i64::from).collect();
    let (mut matches, mut count) = (table.find(&orders)?, 0);
    while matches.next_pairs(&mut pairs, 1000)? {
        count += pairs.len();
    }
    assert_eq!(count, by_hand.len());

    // Group ids: a total per city, over two batches. Rows without a city have no group.
    let cities = ["Ulm", "Bonn", "", "Jena", "Ulm", "", "Bonn", "Ulm"];
    let known = cities.map(|city| !city.is_empty());
    let amounts = [1, 2, 4, 8, 16, 32, 64, 128];
    let (mut groups, mut ids) = (KeyInterner::new(), Vec::new());
    groups.intern((&cities[..5], &known[..5]), &mut ids)?;
    groups.intern((&cities[5..], &known[5..]), &mut ids)?;
    let mut totals = vec![0; groups.len()];
    for (&group, amount) in ids.iter().zip(amounts).filter(|(group, _)| **group != NO_ROW) {
        totals[group as usize] += amount;
    }
    let totals: HashMap<String, i32> = groups.values::<String>()?.into_iter().zip(totals).collect();
    println!("{totals:?}");
    assert_eq!((totals["Ulm"], totals["Bonn"], totals["Jena"]), (145, 66, 8));

    // Ids are those that a map gives, in the order in which keys come.
    let names: Vec<String> =
        (0..ORDERS).map(|i| format!("customer {}", i % 977 * i % 1009)).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let (mut groups, mut ids, mut ids_of) = (KeyInterner::new(), Vec::new(), ByHand::new());
    for batch in names.chunks(8192) {
        let first = ids.len();
        groups.intern(batch, &mut ids)?;
        assert_eq!(ids[first..], ids_by_hand(batch, &mut ids_of));
    }
    println!("{} distinct names, {} bytes", groups.len(), groups.bytes());
    assert_eq!(groups.len(), ids_of.len());
    Ok(())
}

#[test]
fn the_answer_is_right() {
    main().unwrap();
}
