//! The stream-static join: each micro-batch of a stream is joined on its own
//! with the table in use at that moment; there is no state ([rules 34 to 40](crate::rules#rule-34)).

mod build;
mod cursor;
mod encode;
mod exchange;
mod filtered;
mod findable;
mod in_order;
mod join;
mod layout;
mod mask;
mod options;
mod output;
mod plan;
mod planned;
mod report;
mod spec;
mod unit;
mod work;

pub use cursor::Cursor;
pub use join::Join;
pub use options::{Beyond, BroadcastLimit, Layout, Options, OutputOrder};
pub use output::{output_on, output_using};
pub use report::Stats;
pub use spec::Spec;
