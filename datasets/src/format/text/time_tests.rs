use super::*;

fn micros(texts: &[&str], zone: Option<&str>, bare: Bare) -> Vec<Option<i64>> {
    let to = DataType::Timestamp(TimeUnit::Microsecond, zone.map(Into::into));
    let text = StringArray::from(texts.to_vec());
    let parsed = parse(&text, &to, (TimeUnit::Microsecond, zone), bare).unwrap();
    assert_eq!(parsed.data_type(), &to);
    ticks(&parsed).unwrap().as_primitive::<Int64Type>().iter().collect()
}

/// Recorded from Spark 4.3: `unix_micros(CAST(text AS TIMESTAMP))` with the session time
/// zone; its readers of CSV and JSON lines say the same.
#[test]
fn local_times_are_those_of_spark() {
    for (zone, text, expected) in [
        ("Europe/Paris", "2024-03-31 01:59:59.999999", 1_711_846_799_999_999),
        ("Europe/Paris", "2024-03-31 02:00:00", 1_711_846_800_000_000),
        ("Europe/Paris", "2024-03-31 02:30:00", 1_711_848_600_000_000),
        ("Europe/Paris", "2024-03-31 02:59:59.999999", 1_711_850_399_999_999),
        ("Europe/Paris", "2024-03-31 03:00:00", 1_711_846_800_000_000),
        ("Europe/Paris", "2024-10-27 01:59:59", 1_729_987_199_000_000),
        ("Europe/Paris", "2024-10-27 02:00:00", 1_729_987_200_000_000),
        ("Europe/Paris", "2024-10-27 02:30:00", 1_729_989_000_000_000),
        ("Europe/Paris", "2024-10-27 02:59:59.999999", 1_729_990_799_999_999),
        ("Europe/Paris", "2024-10-27 03:00:00", 1_729_994_400_000_000),
        ("Europe/Paris", "1900-01-01 00:00:00", -2_208_989_361_000_000),
        ("Europe/Paris", "1911-03-10 23:55:00", -1_855_959_261_000_000),
        ("Europe/Paris", "0001-01-01 00:00:00", -62_135_597_361_000_000),
        ("Europe/Paris", "9999-12-31 23:59:59", 253_402_297_199_000_000),
        ("Europe/Paris", "2100-07-01 00:00:00", 4_118_076_000_000_000),
        ("Europe/Paris", "2099-07-01 12:00:00", 4_086_583_200_000_000),
        ("Europe/Paris", "2100-03-28 02:30:00", 4_109_880_600_000_000),
        ("Europe/Paris", "2104-02-29 12:00:00", 4_233_726_000_000_000),
        ("Europe/Paris", "2150-10-25 02:30:00", 5_705_944_200_000_000),
        ("Europe/Paris", "9999-07-01 00:00:00", 253_386_396_000_000_000),
        ("America/New_York", "2500-07-04 12:00:00", 16_741_180_800_000_000),
        ("Europe/Paris", "2100-07-01", 4_118_076_000_000_000),
        ("Europe/Paris", "2024-03-31T02:30:00+01:00", 1_711_848_600_000_000),
        ("Europe/Paris", "2024-03-31T02:30:00Z", 1_711_852_200_000_000),
        ("Europe/Paris", "2024-10-27T02:30:00+01:00", 1_729_992_600_000_000),
        ("America/New_York", "2024-03-10 02:30:00", 1_710_055_800_000_000),
        ("America/New_York", "2024-11-03 01:30:00", 1_730_611_800_000_000),
        ("America/New_York", "2024-11-03 00:59:59", 1_730_609_999_000_000),
        ("America/New_York", "2024-11-03 02:00:00", 1_730_617_200_000_000),
        ("America/New_York", "1883-11-18 12:00:00", -2_717_651_038_000_000),
        ("Australia/Lord_Howe", "2024-10-06 02:15:00", 1_728_143_100_000_000),
        ("Australia/Lord_Howe", "2024-04-07 01:45:00", 1_712_414_700_000_000),
        ("Pacific/Apia", "2011-12-30 12:00:00", 1_325_282_400_000_000),
        ("Pacific/Apia", "2011-12-29 23:59:59", 1_325_239_199_000_000),
        ("Pacific/Apia", "2011-12-31 00:00:00", 1_325_239_200_000_000),
        ("America/Sao_Paulo", "2018-11-04 00:00:00", 1_541_300_400_000_000),
        ("America/Sao_Paulo", "2018-11-04 00:30:00", 1_541_302_200_000_000),
        ("America/Sao_Paulo", "2018-11-04", 1_541_300_400_000_000),
        ("America/Sao_Paulo", "2018-02-17 23:30:00", 1_518_917_400_000_000),
        ("+02:00", "2024-03-31 02:30:00", 1_711_845_000_000_000),
    ] {
        for bare in [Bare::Number, Bare::Text] {
            assert_eq!(micros(&[text], Some(zone), bare), [Some(expected)], "{zone} {text}");
        }
    }
}

/// A zone in the text counts, and not the column's.
#[test]
fn a_zone_in_the_text_skips_and_repeats_too() {
    let texts = ["2024-03-31 02:30:00 Europe/Paris", "2024-10-27 02:30:00 Europe/Paris"];
    let expected = [Some(1_711_848_600_000_000), Some(1_729_989_000_000_000)];
    for zone in ["UTC", "America/New_York"] {
        assert_eq!(micros(&texts, Some(zone), Bare::Text), expected);
    }
}

/// Recorded from Spark 4.3, of CSV and of texts in JSON lines.
#[test]
fn shorter_forms_are_those_of_spark() {
    let texts = [
        "2024-02-29",
        "2024-02-29 12",
        "2024-02-29T12:00",
        "2024-02-29 12:00:00.123456789",
        "2024-2-9 1:2:3",
        " 2024-02-29 12:00:00 ",
    ];
    let expected = [
        1_709_164_800_000_000,
        1_709_208_000_000_000,
        1_709_208_000_000_000,
        1_709_208_000_123_456,
        1_707_440_523_000_000,
        1_709_208_000_000_000,
    ];
    for zone in [None, Some("UTC")] {
        assert_eq!(micros(&texts, zone, Bare::Text), expected.map(Some), "{zone:?}");
    }
}

/// Whole ones recorded from Spark 4.3, of JSON numbers; it has no value for fractions.
#[test]
fn numbers_are_seconds() {
    let numbers = [
        ("1709208000", Some(1_709_208_000_000_000)),
        ("0", Some(0)),
        ("-1", Some(-1_000_000)),
        ("2024", Some(2_024_000_000)),
        ("253402300799", Some(253_402_300_799_000_000)),
        ("1709208000000", Some(1_709_208_000_000_000_000)),
        ("1709208000.5", Some(1_709_208_000_500_000)),
        ("1.709208e9", Some(1_709_208_000_000_000)),
        ("-1.5", Some(-1_500_000)),
        ("-0.0000001", Some(-1)),
        // Spark wraps around here.
        ("9223372036854775807", None),
        ("1e400", None),
    ];
    for (number, expected) in numbers {
        let marked = format!("{NUMBER}{number}");
        for bare in [Bare::Number, Bare::Text] {
            assert_eq!(micros(&[&marked], Some("UTC"), bare), [expected], "{number}");
            assert_eq!(micros(&[&marked], Some("Europe/Paris"), bare), [expected], "{number}");
            assert_eq!(micros(&[&marked], None, bare), [None], "{number}");
        }
        assert_eq!(micros(&[number], Some("UTC"), Bare::Text), [None], "{number}");
        assert_eq!(micros(&[number], None, Bare::Number), [None], "{number}");
        let bare = if number == "2024" { None } else { expected };
        assert_eq!(micros(&[number], Some("UTC"), Bare::Number), [bare], "{number}");
    }
}
