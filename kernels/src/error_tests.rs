use std::io;
use std::sync::Arc;

use arrow::array::{ArrayRef, BooleanArray};

use super::*;
use crate::memory::Reserved;
use crate::memory::reservation::MemoryReservation;
use crate::predicate::{Filter, Predicate};

/// Refuses and fails with an error of the caller's own.
#[derive(Debug)]
struct Own;

fn cause() -> io::Error {
    io::Error::new(io::ErrorKind::NotFound, "the caller's own")
}

impl Predicate for Own {
    fn evaluate(&self, _: &[ArrayRef], _: usize) -> Result<BooleanArray> {
        Err(JoinError::predicate(cause()))
    }
}

impl MemoryReservation for Own {
    fn try_grow(&self, _: usize) -> Result<(), Box<dyn Error + Send + Sync>> {
        Err(cause().into())
    }

    fn shrink(&self, _: usize) {}
}

#[test]
fn causes_are_kept_whoever_they_are_of() {
    let filter: Filter<usize> = Filter { columns: Vec::new(), predicate: Arc::new(Own) };
    let refused = Reserved::new(Some(Arc::new(Own))).grow(1, "a table");
    for error in [filter.evaluate(&[], 1).unwrap_err(), refused.unwrap_err()] {
        let source = error.source().and_then(|source| source.downcast_ref::<io::Error>());
        assert_eq!(source.map(io::Error::kind), Some(io::ErrorKind::NotFound), "{error}");
        assert!(error.to_string().contains("the caller's own"), "{error}");
    }
    let offsets = || ArrowError::OffsetOverflowError(7);
    for error in [
        JoinError::from(offsets()),
        JoinError::OutputTooLarge { column: "text".to_owned(), source: offsets() },
    ] {
        let source = error.source().and_then(|source| source.downcast_ref::<ArrowError>());
        assert!(matches!(source, Some(ArrowError::OffsetOverflowError(7))), "{error}");
    }
    assert!(JoinError::NotLoaded.source().is_none());
}

#[test]
fn messages_speak_of_the_library() {
    use crate::spark::{CastMode, cast, comparison_type, supported};
    use crate::{JoinType, OutputMode, Side, Sides, time};
    use arrow::array::{Int64Array, StringArray};
    let ansi = |column: ArrayRef| cast(&column, &DataType::Int8, CastMode::Ansi).unwrap_err();
    let mut messages = vec![
        ansi(Arc::new(StringArray::from(vec!["x"]))).to_string(),
        ansi(Arc::new(Int64Array::from(vec![300]))).to_string(),
        comparison_type(&DataType::Boolean, &DataType::Int32).unwrap_err().to_string(),
    ];
    for join_type in JoinType::ALL {
        let refused = Side::BOTH.map(|side| supported::stream_static(join_type, side).err());
        messages.extend(refused.into_iter().flatten().map(|error| error.to_string()));
        for why in Side::BOTH.map(|side| time::Unbounded::OpenInterval { side }) {
            let never = Sides::new(|_| time::Expiry::Never(why));
            for (mode, has_keys) in
                OutputMode::ALL.into_iter().flat_map(|m| [(m, true), (m, false)])
            {
                let refused = supported::stream_stream(join_type, mode, has_keys, never).err();
                messages.extend(refused.map(|error| error.to_string()));
            }
        }
    }
    assert!(messages.len() > 30);
    // Words of SQL and of the harness's scenarios, which a program does not have.
    for word in ["INTERVAL", "CAST(", "try_cast", "ANSI", "stream_side", "l.id", "--"] {
        for message in &messages {
            assert!(!message.contains(word), "`{word}` in: {message}");
        }
    }
}
