use std::sync::Arc;

use arrow::array::{
    ArrayRef, Date32Array, Int32Array, TimestampMillisecondArray, TimestampNanosecondArray,
    TimestampSecondArray,
};

use super::*;
use crate::scenario::TimeUnitName;

fn read(
    column: ArrayRef,
    unit: Option<TimeUnitName>,
    format: Option<&str>,
) -> Result<Vec<Option<i64>>, String> {
    let spec = EventTimeSpec { column: "at".to_owned(), unit, format: format.map(str::to_owned) };
    let time = EventTime::new(&spec, Value::Column(0), column.data_type())?;
    let batch = RecordBatch::try_from_iter([("at", column)]).map_err(|e| e.to_string())?;
    let micros = time.micros(&batch).map_err(|error| error.to_string())?;
    Ok(micros.iter().collect())
}

#[test]
fn times_of_every_form_become_microseconds() {
    let seconds = TimestampSecondArray::from(vec![Some(-1), None]);
    assert_eq!(read(Arc::new(seconds), None, None), Ok(vec![Some(-1_000_000), None]));
    let millis = TimestampMillisecondArray::from(vec![7]).with_timezone("+02:00");
    assert_eq!(read(Arc::new(millis), None, None), Ok(vec![Some(7_000)]));
    // Finer digits are floored, before the epoch too.
    let nanos = TimestampNanosecondArray::from(vec![1_999, -1]);
    assert_eq!(read(Arc::new(nanos), None, None), Ok(vec![Some(1), Some(-1)]));
    let days = Date32Array::from(vec![Some(-1), Some(1), None]);
    let expected = Ok(vec![Some(-86_400_000_000), Some(86_400_000_000), None]);
    assert_eq!(read(Arc::new(days), None, None), expected);
    let number = Int32Array::from(vec![Some(3), None]);
    let expected = Ok(vec![Some(3_000), None]);
    assert_eq!(read(Arc::new(number), Some(TimeUnitName::Millisecond), None), expected);
    let text = StringArray::from(vec![Some("02.01.1970"), None]);
    let expected = Ok(vec![Some(86_400_000_000), None]);
    assert_eq!(read(Arc::new(text), None, Some("%d.%m.%Y")), expected);
    let text = StringArray::from(vec!["1970-01-01T00:00:01.5"]);
    let expected = Ok(vec![Some(1_500_000)]);
    assert_eq!(read(Arc::new(text), None, Some("%Y-%m-%dT%H:%M:%S%.f")), expected);
}

#[test]
fn what_is_no_time_is_refused_with_a_remedy() {
    let refused = |column: ArrayRef, unit, format, word: &str| {
        let message = read(column, unit, format).unwrap_err();
        assert!(message.contains(word), "{message}");
    };
    let number: ArrayRef = Arc::new(Int64Array::from(vec![i64::MAX]));
    let text: ArrayRef = Arc::new(StringArray::from(vec!["noon"]));
    let time: ArrayRef = Arc::new(TimestampSecondArray::from(vec![0]));
    refused(Arc::clone(&number), None, None, "unit =");
    refused(Arc::clone(&text), None, None, "format =");
    refused(text, None, Some("%H:%M"), "`noon` (row 0 of the batch)");
    refused(time, Some(TimeUnitName::Second), None, "a time already");
    refused(number, Some(TimeUnitName::Second), None, "outside the range");
}
