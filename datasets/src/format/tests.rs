//! The registry.

use super::*;

#[test]
fn every_format_has_its_own_line() {
    let formats = [
        FileFormat::ArrowFile,
        FileFormat::ArrowStream,
        FileFormat::Parquet,
        FileFormat::Csv,
        FileFormat::JsonLines,
    ];
    assert_eq!(FileFormat::all().collect::<Vec<_>>(), formats);
    for format in formats {
        assert_eq!(format.entry().0, format);
        assert_eq!(format.name().parse::<FileFormat>().unwrap(), format);
        for extension in format.extensions() {
            let path = format!("x/y.{}", extension.to_uppercase());
            assert_eq!(FileFormat::from_path(Path::new(&path)), Some(format));
        }
    }
    assert_eq!(FileFormat::from_path(Path::new("parquet")), None);
}

#[test]
fn an_unknown_name_gets_the_nearest() {
    let error = "parket".parse::<FileFormat>().unwrap_err().to_string();
    assert!(error.contains("did you mean `parquet`?"), "{error}");
}
